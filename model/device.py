"""Choose the device to run on: CUDA, then Apple's MPS, then the CPU, unless the user names one."""

from typing import Any

import torch

from vizapp.errors import VizError


def choose_device(wanted: str | None = None) -> torch.device:
    """Return the best device of this machine, or the wanted one ("cpu", "cuda", "cuda:1", "mps", "xpu" ...) if it has it."""
    present = available_devices()
    if wanted is None:
        return torch.device(present[0])
    try:
        device = torch.device(wanted)
    except RuntimeError:
        raise VizError(
            "'{wanted}' is no device.", "This machine has: {present}.", wanted=wanted, present=", ".join(present)
        ) from None
    if (device.index or 0) >= _count(device.type):
        raise VizError(
            "The device '{wanted}' is not on this machine.",
            "It has: {present}.",
            wanted=wanted,
            present=", ".join(present),
        )
    return device


def available_devices() -> list[str]:
    """List the devices, best first; the CPU is always there. Other kinds that PyTorch knows are used if the user names them."""
    return [kind for kind in ("cuda", "mps", "cpu") if _count(kind)]


def _count(kind: str) -> int:
    """Count the devices of a kind that this machine has."""
    if kind in {"cpu", "mps"}:
        return int(kind == "cpu" or torch.backends.mps.is_available())
    module: Any = getattr(torch, kind, None)  # torch.cuda, torch.xpu, and those that other packages add
    return int(module.device_count()) if hasattr(module, "device_count") and module.is_available() else 0
