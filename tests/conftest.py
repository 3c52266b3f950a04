"""Small seeded networks and pictures that the tests share. Nothing is downloaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rehearsal
import tiers
import torch
from torch import nn

from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import VisionModel
from vizapp.model.vit import ViT

rehearsal.begin()  # before any gradient: PyTorch counts devices once, with the first one that it computes
torch.set_num_threads(1)  # the networks here are small: more threads only wait for each other on a busy machine

ROOT = Path(__file__).parents[1]
MIDDLE = (0.5, 0.5, 0.5)  # mean and std that bring colours to -1 .. 1
DEIT = ROOT.parent / "shared" / "weights" / "deit_tiny_patch16_224.in1k.safetensors"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--whole", action="store_true", help="everything, also what the short run leaves out (tests/tiers.py)"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """With `-x` hand out a test or two at a time: what a process has in its queue, it runs, though another one has failed."""
    if config.option.maxfail and getattr(config.option, "dist", "") == "worksteal":
        config.option.dist, config.option.maxschedchunk = "load", 1


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_configure_node(node: Any) -> None:
    """Tell a process of tests whether this is the short run: it does not know what was typed."""
    node.workerinput["short"] = is_short(node.config)


def is_short(config: pytest.Config) -> bool:
    """Without `--whole`, and without a test, file or folder that is named."""
    told: dict[str, bool] = getattr(config, "workerinput", {})
    by_itself = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    return told.get("short", by_itself and not config.getoption("--whole"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if is_short(config):
        left_out = {item for item in items if tiers.kind_of(item.nodeid)}
        config.hook.pytest_deselected(items=[*left_out])
        items[:] = [item for item in items if item not in left_out]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if is_short(config):
        terminalreporter.write_line(f"The short run leaves out: {'; '.join(tiers.LEFT_OUT)}. All of it: pytest --whole")


def sharpen(net: nn.Module, seed: int = 0) -> nn.Module:
    """Random weights under which nothing may be forgotten: biases that are not zero, attention far from uniform."""
    generator = torch.Generator().manual_seed(seed)
    for name, parameter in net.named_parameters():
        noise = torch.randn(parameter.shape, generator=generator)
        with torch.no_grad():
            if "qkv.weight" in name:
                parameter.copy_(noise * 2.5 / parameter.shape[-1] ** 0.5)
            elif name.endswith("bias") or parameter.ndim == 1:
                parameter.add_(0.2 * noise)
            elif "pos_embed" in name or "token" in name:
                parameter.copy_(0.5 * noise)
    return net.eval().requires_grad_(False)


def small_vit(**changes: object) -> VisionModel:
    """Our own ViT, 4 x 4 patches of 8 pixels, 3 layers of 4 heads."""
    options: dict = dict(img_size=32, patch_size=8, num_classes=5, embed_dim=32, depth=3, num_heads=4) | changes
    net = sharpen(ViT(**options))
    size = options["img_size"] if isinstance(options["img_size"], tuple) else (options["img_size"],) * 2
    return VisionModel(
        name="small",
        net=net,
        attention=tuple(f"blocks.{i}.attn" for i in range(options["depth"])),
        prefix=net.prefix,
        patch=(8, 8),
        preprocess=Preprocess(size, MIDDLE, MIDDLE),
        labels=tuple(f"class {i}" for i in range(5)),
        readout="mean" if options.get("global_pool") == "avg" else "cls",
    )


@pytest.fixture(autouse=True)
def seeded() -> None:
    """What is left to chance does not depend on which tests ran before in this process."""
    torch.manual_seed(0)


@pytest.fixture
def small() -> VisionModel:
    return small_vit()


@pytest.fixture(scope="session")
def picture() -> np.ndarray:
    """(40, 60, 3) uint8 noise with structure."""
    return np.random.default_rng(0).integers(0, 256, (40, 60, 3), dtype=np.uint8)


@pytest.fixture(scope="session")
def deit_name() -> str:
    """The real DeiT-Ti, where this checkout has it beside it."""
    if not DEIT.exists():
        pytest.skip(
            "real DeiT-Ti weights are not on this machine (shared/weights/deit_tiny_patch16_224.in1k.safetensors)"
        )
    return f"file:{DEIT}?arch=deit_tiny_patch16_224"
