"""Networks whose queries and keys are of different tokens."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import timm
import torch
from torch import Tensor, nn

import vizapp
from support.networks import sharpen
from vizapp.analysis import Analysis
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import VisionModel
from vizapp.model.zoo import timm_models

PICTURE = np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8)
SIZE = Preprocess((64, 64), (0.5, 0.5, 0.5), (0.5, 0.5, 0.5))


def of_timm(name: str, **options: object) -> Analysis:
    net = sharpen(timm.create_model(name, num_classes=3, **options))
    model = timm_models.describe(net, name=name, labels=("a", "b", "c"))
    return vizapp.analyse(replace(model, preprocess=SIZE) if "img_size" in options else model, PICTURE)


class Heads(nn.Module):
    """Attention of 2 heads, spelled out; `last` is what it showed last, (head, query, key)."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.kv = nn.Linear(16, 16), nn.Linear(16, 32)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        q = self.q(x).unflatten(-1, (2, 8)).transpose(1, 2)
        k, v = self.kv(y).unflatten(-1, (2, 2, 8)).permute(2, 0, 3, 1, 4)
        a = (q @ k.transpose(-2, -1) * 8**-0.5).softmax(-1)
        self.last = a.detach()[0]
        return (a @ v).transpose(1, 2).flatten(2)


class ClassAttention(nn.Module):
    """Patches look at patches; then CLS joins and looks at all, twice. No network of timm is spelled so."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.cls = nn.Conv2d(3, 16, 8, 8), nn.Parameter(torch.randn(1, 1, 16))
        self.patches, self.late = nn.ModuleList(Heads() for _ in "ab"), nn.ModuleList(Heads() for _ in "ab")
        self.head = nn.Linear(16, 3)

    def forward(self, x: Tensor) -> Tensor:
        x = self.embed(x).flatten(2).transpose(1, 2)
        for block in self.patches:
            x = x + block(x, x)
        cls = self.cls.expand(len(x), -1, -1)
        for block in self.late:
            cls = cls + block(cls, torch.cat([cls, x], 1))
        return self.head(cls[:, 0])


def own(readout: str = "") -> Analysis:
    torch.manual_seed(0)
    net = sharpen(ClassAttention())
    return vizapp.analyse(vizapp.describe(net, preprocess=SIZE, labels=("a", "b", "c"), readout=readout), PICTURE)


transformers = pytest.importorskip("transformers", reason="transformers is an extra: pip install vizapp[hf]")
QUERIES = 7  # 4 x 5 patches are looked at by so many object queries


def detr(queries: int = QUERIES) -> VisionModel:
    torch.manual_seed(0)
    backbone = transformers.ResNetConfig(
        embedding_size=8, hidden_sizes=[8, 16, 16, 16], depths=[1, 1, 1, 1], out_features=["stage4"]
    )
    config = transformers.DetrConfig(
        use_timm_backbone=False,
        backbone_config=backbone,
        use_pretrained_backbone=False,
        backbone=None,
        d_model=32,
        encoder_layers=2,
        decoder_layers=3,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        num_queries=queries,
    )
    net = sharpen(transformers.DetrModel(config))
    for name, parameter in net.named_parameters():
        if "query_position" in name:  # else queries that have not looked at anything are all alike
            nn.init.normal_(parameter)
        if name.endswith(("q_proj.weight", "k_proj.weight")):
            nn.init.normal_(parameter, std=0.25)
    return vizapp.describe(net, preprocess=Preprocess((128, 160), (0.5, 0.5, 0.5), (0.5, 0.5, 0.5)))


LATE: dict[str, Callable[[], Analysis]] = {
    "cait": lambda: of_timm("cait_xxs24_224", img_size=64, depth=2),
    "volo": lambda: of_timm("volo_d1_224", img_size=64),
    "crossvit": lambda: of_timm("crossvit_tiny_240"),
    "pit": lambda: of_timm("pit_ti_distilled_224"),
    "own": own,
    "own, said": lambda: own("cls"),
}
