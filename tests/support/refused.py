"""Networks that an analysis refuses, each for a reason of its own, and a part of the sentence that says so."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from support.custom_ops import attend
from support.gaps import OTHERS, Hybrid, Weigh, in_pieces, of, scores, threaded
from support.networks import small_vit
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import TokenLayout, VisionModel


def alone(weigh: Weigh) -> VisionModel:
    """A network of one layer that weighs its values so."""
    return of(Hybrid(weigh, n=1, at=0))


def channels(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (scores(q.mT, k.mT).softmax(-1) @ v.mT).mT


class Gives(Hybrid):
    """What it computes is made something else at last."""

    def __init__(self, make: Callable[[Tensor], object]) -> None:
        super().__init__()
        self.make = make

    def forward(self, pixels: Tensor) -> object:
        return self.make(super().forward(pixels))


class Sorted(Hybrid):
    """Patches by how bright they are."""

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.patches(pixels).flatten(2).transpose(1, 2)
        x = x.gather(1, x.sum(-1).argsort(1)[..., None].expand(-1, -1, 16))
        for block in self.blocks:
            x = block(x)
        return x.mean(1)


class Film(Hybrid):
    """Four frames of one film, side by side in the channels."""

    def forward(self, pixels: Tensor) -> Tensor:
        frames = torch.stack([pixels.roll(step, -1) for step in range(4)], 1).flatten(0, 1)
        x = self.patches(frames).flatten(2).transpose(1, 2).reshape(len(pixels), -1, 16)
        for block in self.blocks:
            x = block(x)
        return x.mean(1)


def nan() -> VisionModel:
    model = small_vit()
    model.net.head.bias.fill_(torch.nan)
    return model


def conv() -> VisionModel:
    net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Flatten(1)).eval()
    return VisionModel("conv", net, (), (), None, Preprocess((32, 32)))


def expecting_more() -> VisionModel:
    net = Hybrid().eval()
    return VisionModel("net", net, (), ("cls",), None, Preprocess((32, 32)), expected=TokenLayout(("cls",), (3, 3)))


def bordered() -> VisionModel:
    """Patches of 8 pixels that begin 4 pixels in: the border is never seen."""
    net = Hybrid()
    net.patches = nn.Sequential(nn.ZeroPad2d(-4), nn.Conv2d(3, 16, 8, 8))
    return of(net)


def labelled() -> VisionModel:
    net = Gives(lambda y: y[:, 0]).eval()
    return VisionModel("net", net, (), (), None, Preprocess((32, 32)), labels=("a", "b"), readout="")


def tensordot(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Head by head, in a function that is not read as a product."""
    maps = scores(q, k).softmax(-1)
    each = [torch.tensordot(maps[0, head], v[0, head], ([1], [0])) for head in range(maps.shape[1])]
    return torch.stack(each)[None]


def hardest(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The best key alone; where one stands is lost in whole numbers, and it was called linear attention."""
    best = (q @ k.transpose(-2, -1)).argmax(-1)
    return F.one_hot(best, k.shape[-2]).to(v) @ v


def dropped(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The classic slip: `dropout_p` without a look at `self.training`."""
    return F.scaled_dot_product_attention(q, k, v, dropout_p=0.3)


REFUSED: dict[str, tuple[Callable[[], VisionModel], str]] = {
    "sigmoid": (lambda: alone(OTHERS["sigmoid"]), r"not understood: matmul, in blocks\.0"),
    "the best key": (lambda: alone(hardest), r"not understood: matmul, in blocks\.0"),
    "relu": (lambda: alone(OTHERS["relu"]), "not understood: matmul"),
    "exp over its sum": (lambda: alone(OTHERS["exp over sum"]), "not understood: matmul"),
    "no softmax": (lambda: alone(OTHERS["no softmax"]), "not understood: einsum"),
    "linear": (lambda: alone(OTHERS["linear"]), "it sums over all patches first"),
    "separable": (lambda: alone(OTHERS["separable"]), "it sums over all patches first"),
    "efficient": (lambda: alone(OTHERS["efficient"]), "it weighs channels, not patches"),
    "features first": (lambda: alone(OTHERS["features first"]), "it weighs channels, not patches"),
    "channels": (lambda: alone(channels), "it weighs channels, not patches"),
    "an op of a library": (lambda: alone(attend), "not understood: viztests::attend"),
    "in pieces": (lambda: alone(in_pieces(of_keys=False, strided=False)), "the order of its tokens"),
    "dropped": (lambda: alone(dropped), r"blocks\.0 drops 0\.3 of its attention by chance.*only where self\.training"),
    "not read as a product": (lambda: alone(tensordot), "not understood: tensordot"),
    "in a thread": (lambda: of(threaded(0, n=1)), r"not understood: another thread, in blocks\.0\.block"),
    "sorted": (lambda: of(Sorted()), "an order that changes with the picture"),
    "a film": (lambda: of(Film()), "stand on no grid of patches"),
    "a border": (bordered, "never looks at the border of a picture of 32x32 pixels.*cover 24x24"),
    "no numbers": (nan, "no numbers"),
    "no attention": (conv, "shows no attention"),
    "another layout": (expecting_more, "expected 10 tokens"),
    "no axis of pictures": (
        lambda: of(Gives(lambda y: y[0])),
        "only one axis, of length 16. It must be the axis of the pictures",
    ),
    "a single number": (lambda: of(Gives(lambda y: y.sum())), "The network returns a single number"),
    "no output": (lambda: of(Gives(lambda y: None)), "The network returns NoneType"),
    "labels of something else": (labelled, "gives a single number for a picture, not one for each of 2 labels"),
}
