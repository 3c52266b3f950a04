"""The provenance for every file that is written: versions, weights, preprocessing, date."""

import hashlib
import logging
import os
import platform
import sys
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import torch
from torch import Tensor, nn

from vizapp.core.capture.edited import unedited
from vizapp.core.capture.storage import versions_of
from vizapp.core.memo import Memo
from vizapp.model.spec import VisionModel

LIBRARIES = ("torch", "timm", "numpy")
UNKNOWN = "unknown"
LOG = logging.getLogger("vizapp.provenance")


def provenance(model: VisionModel | None = None) -> dict[str, Any]:
    """A dict for JSON: versions of vizapp, torch, timm, numpy and python, date (UTC), and the name, the weights' sha256 and the
    preprocessing of `model`.

    The date is that of SOURCE_DATE_EPOCH, in seconds, if it is set, so that equal figures can be equal files.
    """
    known: dict[str, Any] = {"vizapp": own_version()}
    known |= {name: found for name in LIBRARIES if (found := _version_of(name))}
    known |= {"python": platform.python_version(), "date": today()}
    return known | (of_model(model) if model is not None else {})


def of_model(model: VisionModel) -> dict[str, Any]:
    """The part of the provenance that describes the network."""
    return {
        "model": model.name,
        "weights_sha256": weights_sha256(unedited(model).net),
        "preprocess": str(model.preprocess),
    }


def own_version() -> str:
    """The version of vizapp, from the package itself, because another version may be installed beside this checkout."""
    return str(sys.modules["vizapp"].__dict__["__version__"])


def today() -> str:
    """The date and time in UTC, as 2026-11-22T03:08:08+00:00."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdecimal() else datetime.now(UTC)
    return now.isoformat(timespec="seconds")


_hashes: Memo[str] = Memo()


def weights_sha256(net: nn.Module) -> str:
    """One hash of all weights and buffers, with their names, types and shapes; equal on any device and from any file.

    It is computed on the first call (a second for a large ViT) and kept. A change of weights in place is noticed as far as
    PyTorch counts it, which it does not for tensors made in inference mode. "unknown" for weights without bytes, and
    for weights that several processes share.
    """
    tensors = dict(_tensors(net.state_dict()))
    state = tuple((name, one.data_ptr(), versions_of(one)) for name, one in tensors.items())
    return _hashes.get(net, state, lambda: _hash(tensors))


def _hash(tensors: Mapping[str, Tensor]) -> str:
    digest, started = hashlib.sha256(), time.perf_counter()
    try:
        for name in sorted(tensors):
            # Gathering waits for all processes, and a map may be saved in one of them alone: then it would wait for ever.
            mesh = getattr(tensors[name], "device_mesh", None)
            if mesh is not None and mesh.size() > 1:
                return UNKNOWN
            one = tensors[name].detach()
            one = (one.int_repr() if one.is_quantized else one).cpu().contiguous()
            digest.update(f"{name} {one.dtype} {tuple(one.shape)}\n".encode())
            digest.update(one.reshape(-1).view(torch.uint8).numpy().data)
    except (RuntimeError, NotImplementedError, TypeError):  # meta tensors, and unknown tensor types
        return UNKNOWN
    LOG.info("sha256 of the weights made in %.2f s", time.perf_counter() - started)
    return digest.hexdigest()


def _tensors(state: Any, name: str = "") -> Iterator[tuple[str, Tensor]]:
    """All tensors in a state, also those that lie in tuples (packed, quantised weights)."""
    if isinstance(state, Tensor):
        yield name, state
    elif isinstance(state, Mapping):
        for key, one in state.items():
            yield from _tensors(one, f"{name}.{key}" if name else str(key))
    elif isinstance(state, (tuple, list)):
        for number, one in enumerate(state):
            yield from _tensors(one, f"{name}.{number}")


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
