"""Which device to run on: CUDA, then Apple's MPS, then the CPU, unless the user says."""

from __future__ import annotations

import torch

from vizapp.errors import VizError


def choose_device(wanted: str | None = None) -> torch.device:
    """The best device of this machine, or the wanted one ("cpu", "cuda", "cuda:1", "mps") if it is there."""
    present = available_devices()
    if wanted is None:
        return torch.device(present[0])
    try:
        device = torch.device(wanted)
    except RuntimeError:
        raise VizError(
            "'{wanted}' is no device.", "This machine has: {present}.", wanted=wanted, present=", ".join(present)
        ) from None
    count = torch.cuda.device_count() if device.type == "cuda" else 1
    if device.type not in present or (device.index or 0) >= count:
        raise VizError(
            "The device '{wanted}' is not on this machine.",
            "It has: {present}.",
            wanted=wanted,
            present=", ".join(present),
        )
    return device


def available_devices() -> list[str]:
    """Best first; the CPU is always there."""
    present = ["cpu"]
    if torch.backends.mps.is_available():
        present.insert(0, "mps")
    if torch.cuda.is_available():
        present.insert(0, "cuda")
    return present
