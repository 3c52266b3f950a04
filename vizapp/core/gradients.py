"""What a class would gain from more attention: d logit / d attention for every layer, as lazy as attention itself.

With A the attention of a call, V its values, O = A V its output and dO the gradient with respect to O, dA = dO V^T. So fused
kernels stay on, and two thin factors are kept instead of a matrix.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor

from model.spec import VisionModel
from vizapp.core.arrange import Arrangement
from vizapp.core.capture import dtype_of, output_of
from vizapp.core.layers import LayerAttention
from vizapp.core.memory import explained, is_out_of_memory
from vizapp.core.survey import Shape, arrangements
from vizapp.core.trace import AttentionTrace
from vizapp.core.watch import Call, Watch
from vizapp.core.windows import WindowedAttention
from vizapp.errors import VizError


class ThinProduct(LayerAttention):
    """(head, query, key) = rows x columns^T, kept as `rows` (head, query, e) and `columns` (head, key, e)."""

    def __init__(self, name: str, rows: Tensor, columns: Tensor) -> None:
        self.name, self.left, self.right = name, rows, columns
        self.n_heads, self.n_queries, self.n_keys = rows.shape[0], rows.shape[1], columns.shape[1]

    def rows(self, queries: Tensor) -> Tensor:
        queries = torch.as_tensor(queries, device=self.device).reshape(-1)
        return self.left[:, queries].to(self.dtype) @ self.right.to(self.dtype).transpose(1, 2)

    def picked(self, heads: Tensor, queries: Tensor) -> Tensor:
        left, right = self.left[heads, queries[:, None]].to(self.dtype), self.right[heads].to(self.dtype)
        return (right @ left[..., None])[..., 0]

    def only(self, heads: Tensor) -> ThinProduct:
        return ThinProduct(self.name, self.left[heads], self.right[heads])

    @property
    def nbytes(self) -> int:
        return self.left.untyped_storage().nbytes() + self.right.untyped_storage().nbytes()

    @property
    def device(self) -> torch.device:
        return self.left.device

    @property
    def dtype(self) -> torch.dtype:
        return torch.promote_types(self.left.dtype, torch.float32)


class Weighted(LayerAttention):
    """(head, query, key): attention times something of its shape, value by value; `positive` keeps only what is above zero."""

    def __init__(self, attention: LayerAttention, weight: LayerAttention, *, positive: bool) -> None:
        self.name, self.attention, self.weight, self.positive = attention.name, attention, weight, positive
        self.n_heads, self.n_queries, self.n_keys = attention.n_heads, attention.n_queries, attention.n_keys

    def rows(self, queries: Tensor) -> Tensor:
        return self._kept(self.attention.rows(queries) * self.weight.rows(queries))

    def picked(self, heads: Tensor, queries: Tensor) -> Tensor:
        return self._kept(self.attention.picked(heads, queries) * self.weight.picked(heads, queries))

    def only(self, heads: Tensor) -> Weighted:
        return Weighted(self.attention.only(heads), self.weight.only(heads), positive=self.positive)

    def _kept(self, product: Tensor) -> Tensor:
        return product.clamp_min(0) if self.positive else product

    @property
    def nbytes(self) -> int:
        return self.attention.nbytes + self.weight.nbytes

    @property
    def device(self) -> torch.device:
        return self.attention.device

    @property
    def dtype(self) -> torch.dtype:
        return self.attention.dtype


def weighted(attention: LayerAttention, weight: LayerAttention, *, positive: bool = True) -> LayerAttention:
    """attention * weight, both of one layer; `weight` as `attention_gradients` gives it."""
    if isinstance(attention, WindowedAttention):
        assert isinstance(weight, WindowedAttention)
        return attention.with_parts(Weighted(attention.parts, weight.parts, positive=positive))
    return Weighted(attention, weight, positive=positive)


def attention_gradients(
    model: VisionModel, pixels: Tensor, trace: AttentionTrace, target: int, only: Sequence[int] | None = None
) -> tuple[LayerAttention, ...]:
    """For each layer of `trace` (or those in `only`) the gradient of the logit `target` with respect to its attention.

    Each is (head, query, key), not softmaxed and not positive, in the order of the layer's tokens. One forward and one
    backward pass of `model` on `pixels` (1, 3, h, w), which `trace` was made from; nothing is left on the network.
    """
    wanted = [trace.layers[index].name for index in (range(len(trace.layers)) if only is None else only)]
    calls = Calls(wanted)
    with differentiated(model):
        with torch.enable_grad(), Watch(model.net, calls.saw):
            score = score_of(model, pixels.detach().to(model.device, dtype_of(model.net)).requires_grad_(True), target)
        given = calls.gradients(model, score)
    ways = arrangements(model, pixels, [Shape.of(calls[name]) for name in wanted])
    return tuple(thin(name, given[name], calls[name].v, way) for name, way in zip(wanted, ways, strict=True))


@contextmanager
def differentiated(model: VisionModel) -> Iterator[None]:
    """What PyTorch cannot differentiate (changes in place, parts under no_grad, checkpoints) is said in a sentence."""
    with explained(model, model.device):
        try:
            yield
        except VizError:
            raise
        except RuntimeError as error:
            if is_out_of_memory(error):
                raise
            why = str(error).partition("\n")[0].partition(". ")[0]
            raise VizError(
                f"{model.name} cannot be differentiated: {why}.", "Choose a method that needs no gradient."
            ) from error


class Calls(dict[str, Call]):
    """The attention calls of these layers, as they are seen; by title."""

    def __init__(self, wanted: Sequence[str]) -> None:
        super().__init__()
        self._wanted, self._written = set(wanted), dict[str, tuple[int, int]]()

    def saw(self, call: Call) -> None:
        if call.title in self._wanted:
            self[call.title] = call
            self._written[call.title] = call.output._version, call.v._version

    def gradients(self, model: VisionModel, score: Tensor) -> dict[str, Tensor]:
        """d `score` / d output of each call, by title; nought for a call that the score does not depend on.

        Raises `VizError` if it depends on none, and if the network later wrote into what an attention gave: its gradient
        would be another's.
        """
        if missing := self._wanted - self.keys():
            raise VizError(
                f"{model.name} took another path on a second pass: {min(missing)} was not seen.", "Report this."
            )
        self._check(model)
        own = [call.own[0] if call.own else call.output for call in self.values()]
        found = torch.autograd.grad(score, own, allow_unused=True)
        if all(one is None for one in found):
            raise VizError(
                f"No gradient comes back to the attention of {model.name}.",
                "Choose a method that needs attention only.",
            )
        given = [torch.zeros_like(o) if one is None else one for o, one in zip(own, found, strict=True)]
        return {
            title: call.own[1](one) if call.own else one for (title, call), one in zip(self.items(), given, strict=True)
        }

    def _check(self, model: VisionModel) -> None:
        for title, call in self.items():
            if (call.output._version, call.v._version) != self._written[title]:
                raise VizError(
                    f"{model.name} changes in place what {title} gives, so its gradient cannot be had.",
                    "Choose a method that needs attention only.",
                )


def score_of(model: VisionModel, pixels: Tensor, target: int) -> Tensor:
    """The logit `target` of the first picture, with a graph behind it."""
    logits = output_of(model.net(pixels))
    if not logits.requires_grad:
        raise VizError(
            f"{model.name} lets no gradient through.", "It may run under no_grad; choose a method without gradients."
        )
    return logits[0, target].to(torch.promote_types(logits.dtype, torch.float32))


def thin(name: str, rows: Tensor, columns: Tensor, way: Arrangement) -> LayerAttention:
    """rows (..., query, e) x columns (..., key, e)^T as the network folds them -> (head, query, key) of a layer's tokens."""
    lead = rows.shape[:-2]
    rows, columns = (way.fold(part.detach().expand(*lead, *part.shape[-2:])) for part in (rows, columns))
    parts = ThinProduct(name, rows.flatten(0, 1), columns.flatten(0, 1))
    if not way.is_whole:
        tokens = way.queries.to(parts.device), way.keys.to(parts.device)
        return WindowedAttention(name, parts, *tokens, way.layout, way.key_layout)
    if way.order is None:
        return parts
    queries, keys = way.order
    return ThinProduct(name, parts.left[:, queries], parts.right[:, keys])
