"""Too large a picture is a sentence with a size that fits, before anything is computed; running out leaves nothing behind."""

import pytest
import torch

from support.cgroups import GIB
from support.networks import hooks_of, pixels_for, small_vit, timm_model
from vizapp.core.capture import memory
from vizapp.core.capture.forward import capture
from vizapp.errors import NotEnoughMemory, VizError
from vizapp.model.spec import VisionModel


def test_what_is_counted_grows_as_it_must() -> None:
    """Fused attention: with the number of tokens. Spelt out, as in our own ViT: with its square."""
    fused, written = timm_model("vit_tiny_patch16_224"), small_vit(img_size=128)
    small = memory.estimate(fused, (48, 48))
    assert small is not None
    assert small > 2 * 2 * 10 * 192 * 4, "at least q and k of two layers"
    tokens = 257 * 4 * 4
    assert memory.estimate(written, (128, 128)) > 257 * tokens, "at least one whole map of four heads"


def test_too_large_a_picture_is_refused_before_it_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    model = small_vit(img_size=528)
    ran: list[int] = []
    model.net.register_forward_hook(lambda *_: ran.append(1))
    monkeypatch.setattr(memory, "free", lambda device: 100 * 2**20)
    with pytest.raises(VizError, match=r"needs about .* GiB for 528x528 pixels; 0\.1 GiB are free") as caught:
        capture(model, torch.zeros(1, 3, 528, 528))
    assert "pixels would fit" in str(caught.value.hint)
    assert ran in ([], [1]), "at most the pass without data"


def test_what_fits_is_not_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free", lambda device: 2**40)
    model = small_vit(img_size=528, depth=1)
    assert capture(model, torch.zeros(1, 3, 528, 528)).layout.grid == (66, 66)


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("[enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: can't allocate memory: you tried ..."),
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB"),
        MemoryError(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_running_out_is_a_sentence(small: VisionModel, error: Exception) -> None:
    def run_out(*_: object) -> None:
        raise error

    handle = small.net.blocks[1].register_forward_hook(run_out)
    with pytest.raises(VizError, match="ran out of memory on cpu"):
        capture(small, pixels_for(small))
    handle.remove()
    assert hooks_of(small.net) == 0
    capture(small, pixels_for(small))


def test_another_error_stays_what_it_is(small: VisionModel) -> None:
    def stumble(*_: object) -> None:
        raise RuntimeError("on purpose")

    small.net.blocks[1].register_forward_hook(stumble)
    with pytest.raises(RuntimeError, match="on purpose"):
        capture(small, pixels_for(small))


@pytest.mark.parametrize(("machine", "free", "refused"), [(2, 0.02, True), (2, 0.5, False), (64, 0.02, False)])
def test_small_pictures_are_counted_in_small_containers_only(
    machine: float, free: float, refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where little is free at all, a small picture may be too much; on a usual machine nobody waits for the counting."""
    model, counted = small_vit(img_size=128), []
    monkeypatch.setattr(memory, "memory_limit", lambda: int(machine * GIB))
    monkeypatch.setattr(memory, "free_memory", lambda: int(free * GIB))
    monkeypatch.setattr(memory, "estimate", lambda *_: counted.append(1) or 300 * 2**20)
    memory._is_small.cache_clear()
    try:
        if refused:
            with pytest.raises(NotEnoughMemory, match="128x128"):
                capture(model, torch.zeros(1, 3, 128, 128))
        else:
            capture(model, torch.zeros(1, 3, 128, 128))
    finally:
        memory._is_small.cache_clear()
    assert bool(counted) == refused
