"""Models by their names, of which the latest stay in memory."""

import gc
import threading
from collections import defaultdict

import vizapp.model as models
from vizapp.core.modes import normal_tensors
from vizapp.errors import NotEnoughMemory
from vizapp.model.spec import VisionModel
from vizapp.recent import Recent

MODELS_KEPT = 3  # in memory at once; a fourth replaces the least recently used

_kept: Recent[tuple[str, str], VisionModel] = Recent(MODELS_KEPT)
_loading: dict[tuple[str, str], threading.Lock] = defaultdict(threading.Lock)


@normal_tensors()
def load(name: str = models.DEFAULT, device: str | None = None) -> VisionModel:
    """Load a model by its name, from memory if it was loaded before. Thread-safe.

    Parameters
    ----------
    name
        such as "toy" or "timm:deit_small_patch16_224" (see `vizapp.model.load`)
    device
        such as "cuda:1"; None: CUDA or Apple's MPS where they are there, else the processor

    Raises
    ------
    VizError
        for an unknown name, and for a model that cannot be fetched or does not fit into memory

    Examples
    --------
    >>> model = vizapp.load("toy", device="cpu")
    """
    key = (name, str(models.choose_device(device)))
    with _loading[key]:  # two visitors who want the same model share one download, and delay nobody else
        model = _kept.get(key) or _loaded(*key)
        _kept.keep(key, model)
        return model


def is_loaded(name: str, device: str | None = None) -> bool:
    """Tell whether `load` has the model in memory."""
    return (name, str(models.choose_device(device))) in _kept


def _loaded(name: str, device: str) -> VisionModel:
    """Load a model from its source. If memory is short, drop the kept models first."""
    try:
        return models.load(name, device)
    except NotEnoughMemory:
        if not _kept:
            raise
    forget_models()
    return models.load(name, device)


def forget_models() -> None:
    """Drop all models that `load` keeps. Python frees a model once nobody uses it."""
    _kept.clear()
    gc.collect()


def model_names() -> tuple[str, ...]:
    """The models that a list should offer (see `vizapp.model.names`)."""
    return models.names()
