"""A network that FSDP has cut into pieces: the same maps as before that, or a refusal in words, and it goes on as it was."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard

import vizapp
from support.networks import pixels_for, sharpen, small_vit
from vizapp.analysis.provenance import weights_sha256
from vizapp.core.capture.memory import estimate
from vizapp.core.methods import methods
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel

REACH_INTO = {
    "attn_lrp",
    "libra_grad",
    "transformer_attribution",
    "partial_lrp",
}  # by functions of their own within the pass


class PostNorm(nn.Module):
    """Layers whose norms come after the sums: ALTI reads the weights of the norm as well."""

    def __init__(self) -> None:
        super().__init__()
        self.patches, self.head = nn.Conv2d(3, 16, 8, 8), nn.Linear(16, 5)
        self.blocks = nn.ModuleList(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True) for _ in range(2))

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.patches(pixels).flatten(2).mT
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(1))


@pytest.fixture(autouse=True)
def group() -> Iterator[None]:
    """A group of one process, this one: the weights are cut into one piece, put together and taken back all the same."""
    with tempfile.TemporaryDirectory() as folder:
        store = dist.FileStore(str(Path(folder, "store")), 1)
        dist.init_process_group("gloo", store=store, rank=0, world_size=1)
        yield
        dist.destroy_process_group()


def vit() -> nn.Module:
    """The same network each time: FSDP's modules let nobody copy them."""
    torch.manual_seed(0)
    return small_vit().net


def described(net: nn.Module) -> VisionModel:
    known = small_vit()
    return vizapp.describe(net, preprocess=known.preprocess, labels=known.labels)


def cut(net: nn.Module, version: int = 2) -> nn.Module:
    if version == 1:
        return FullyShardedDataParallel(net, device_id=torch.device("cpu")).eval()
    mesh = init_device_mesh("cpu", (1,))
    for part in (*net.blocks, net):
        fully_shard(part, mesh=mesh)
    return net


def told(model: VisionModel, method: str) -> np.ndarray | str:
    """A map, or why there is none."""
    try:
        return vizapp.explain(vizapp.analyse(model, pixels_for(small_vit())), method).scores
    except VizError as error:
        return str(error)


@pytest.mark.filterwarnings("ignore")  # the first version warns of a group of one, and of what it does itself
@pytest.mark.parametrize("version", [1, 2])
def test_every_method_gives_the_same_map_or_says_why_it_gives_none(version: int) -> None:
    whole, pieces = described(vit()), described(cut(vit(), version))
    for name in methods():
        expected, found = told(whole, name), told(pieces, name)
        # The first version can be differentiated in few ways; what it refuses itself is said in the same words.
        if name in REACH_INTO or (version == 1 and isinstance(found, str) and not isinstance(expected, str)):
            assert "is sharded (FSDP)" in str(found), name
            assert "before it was sharded" in str(found), name
        elif isinstance(expected, str):
            assert found == expected, name
        else:
            # Weights lie elsewhere in memory, and the kernels may add in another order there.
            assert np.allclose(expected, found, rtol=0, atol=1e-5 * np.abs(expected).max()), name
    assert vizapp.check(pieces).holds


def test_norms_steps_and_the_hash_are_the_same() -> None:
    torch.manual_seed(0)
    net = sharpen(PostNorm())
    expected = told(described(net), "alti")
    assert np.array_equal(expected, told(described(cut(net)), "alti"))
    pixels = pixels_for(small_vit())
    every = [vizapp.analyse(described(net), pixels) for net in (vit(), cut(vit()))]
    expected, found = (vizapp.steps(seen, (1, 2), layer=1) for seen in every)
    for part in ("mixed", "written", "constant", "between", "after"):
        assert torch.equal(getattr(expected, part), getattr(found, part)), part
    assert weights_sha256(cut(vit())) == weights_sha256(vit())


def test_what_would_break_the_network_is_refused_and_it_goes_on() -> None:
    whole, pieces = described(vit()), described(cut(vit()))
    pixels = pixels_for(small_vit())
    seen = vizapp.analyse(pieces, pixels)
    for ask in (
        lambda: vizapp.embedding(seen, (1, 2)),
        lambda: vizapp.sanity(seen, "rollout"),
        lambda: vizapp.quantised(pieces),
    ):
        with pytest.raises(VizError, match="is sharded"):
            ask()
    assert estimate(pieces, (32, 32)) is None, "tensors without data would stay in it as weights"
    again = vizapp.analyse(pieces, pixels).trace.logits
    assert torch.equal(again, vizapp.analyse(whole, pixels).trace.logits)
