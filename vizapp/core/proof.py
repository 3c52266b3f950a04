"""The self-test of a network, run once for each input size and remembered as long as the network lives."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from torch import nn

from model.spec import VisionModel
from vizapp.core.check import Check, check, noise


@dataclass(frozen=True, eq=False)
class _Proofs:
    """What was found of one network, by input size; `lock` is held while it is tested."""

    found: dict[tuple[int, int], Check] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)


_proofs: WeakKeyDictionary[nn.Module, _Proofs] = WeakKeyDictionary()
_lock = threading.Lock()


def proof(model: VisionModel) -> Check:
    """`check` on noise: at once if it was made before. Who asks while another thread makes it waits for that."""
    proofs, size = _proofs_of(model), model.preprocess.size
    with proofs.lock:
        if size not in proofs.found:
            proofs.found[size] = check(model, noise(model))
        return proofs.found[size]


def known_proof(model: VisionModel) -> Check | None:
    """The proof if it was made before; it is not made now."""
    return _proofs_of(model).found.get(model.preprocess.size)


def _proofs_of(model: VisionModel) -> _Proofs:
    with _lock:
        return _proofs.setdefault(model.net, _Proofs())
