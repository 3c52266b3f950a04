"""A network that FSDP has cut into pieces is refused in words, and goes on as it was."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard

import vizapp
from support.networks import pixels_for, small_vit
from vizapp.errors import VizError


@pytest.fixture(autouse=True)
def group() -> Iterator[None]:
    """A group of one process, this one: the weights are cut into one piece, put together and taken back all the same."""
    with tempfile.TemporaryDirectory() as folder:
        store = dist.FileStore(str(Path(folder, "store")), 1)
        dist.init_process_group("gloo", store=store, rank=0, world_size=1)
        yield
        dist.destroy_process_group()


def cut(net: nn.Module, version: int) -> nn.Module:
    if version == 1:
        return FullyShardedDataParallel(net, device_id=torch.device("cpu")).eval()
    for part in (*net.blocks, net):
        fully_shard(part, mesh=init_device_mesh("cpu", (1,)))
    return net


@pytest.mark.filterwarnings("ignore")  # the first version warns of a group of one, and of what it does itself
@pytest.mark.parametrize("version", [1, 2])
def test_it_is_refused_and_goes_on(version: int) -> None:
    known, pixels = small_vit(), pixels_for(small_vit())
    expected = known.net(pixels)
    net = cut(known.net, version)
    model = vizapp.describe(net, preprocess=known.preprocess, labels=known.labels)
    for ask in (lambda: vizapp.analyse(model, pixels), lambda: vizapp.check(model), lambda: vizapp.quantised(model)):
        with pytest.raises(VizError, match=r"is sharded \(FSDP\).*before it was sharded"):
            ask()
    assert torch.equal(net(pixels), expected)
