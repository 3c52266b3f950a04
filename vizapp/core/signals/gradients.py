"""Gradients of a class with respect to attention: d logit / d A for every layer, as lazy as attention itself.

With A the attention of a call, V its values, O = A V its output and dO the gradient with respect to O, dA = dO V^T. A itself is
never needed, and with fused kernels it is never there: autograd gives dO, which is as large as V. So the kernels stay on,
and two thin factors, (token, e) each, are kept instead of a matrix.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from vizapp.core.attention.layers import LayerAttention
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.attention.windows import WindowedAttention
from vizapp.core.capture.call import Call, Shape
from vizapp.core.capture.memory import explained, is_out_of_memory
from vizapp.core.capture.patches.axis_layout import AxisLayout
from vizapp.core.capture.reading import reading
from vizapp.core.capture.survey.head_groups import joined_axes, side_by_side
from vizapp.core.capture.watch import Watch
from vizapp.core.network import dtype_of, tensors_in
from vizapp.core.target import Target, name_of, score_in
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel


class ThinProduct(LayerAttention):
    """(head, query, key) = rows x columns^T, kept as `rows` (head, query, e) and `columns` (head, key, e); no softmax."""

    def __init__(self, name: str, rows: Tensor, columns: Tensor) -> None:
        self.name, self.left, self.right = name, rows, columns
        self.n_heads, self.n_queries, self.n_keys = rows.shape[0], rows.shape[1], columns.shape[1]

    def rows(self, queries: Tensor) -> Tensor:  # (head, query, e) @ (head, e, key)
        queries = torch.as_tensor(queries, device=self.device).reshape(-1)
        return self.left[:, queries].to(self.dtype) @ self.right.to(self.dtype).transpose(1, 2)

    def picked(self, heads: Tensor, queries: Tensor) -> Tensor:
        # (n, m, e) and (n, m, key, e): a row per head of each query, without the rows of the other heads
        left, right = self.left[heads, queries[:, None]].to(self.dtype), self.right[heads].to(self.dtype)
        return (right @ left[..., None])[..., 0]

    def only(self, heads: Tensor) -> "ThinProduct":
        return ThinProduct(self.name, self.left[heads], self.right[heads])

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        return self.left, self.right


class Weighted(LayerAttention):
    """Attention times a weight of its shape (head, query, key), value by value; `positive` sets negative values to zero."""

    def __init__(self, attention: LayerAttention, weight: LayerAttention, *, positive: bool) -> None:
        self.name, self.attention, self.weight, self.positive = attention.name, attention, weight, positive
        self.n_heads, self.n_queries, self.n_keys = attention.n_heads, attention.n_queries, attention.n_keys

    def rows(self, queries: Tensor) -> Tensor:
        return self._kept(self.attention.rows(queries) * self.weight.rows(queries))

    def picked(self, heads: Tensor, queries: Tensor) -> Tensor:
        return self._kept(self.attention.picked(heads, queries) * self.weight.picked(heads, queries))

    def only(self, heads: Tensor) -> "Weighted":
        return Weighted(self.attention.only(heads), self.weight.only(heads), positive=self.positive)

    def _kept(self, product: Tensor) -> Tensor:
        return product.clamp_min(0) if self.positive else product

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        return *self.attention.tensors, *self.weight.tensors


def weighted(attention: LayerAttention, weight: LayerAttention, *, positive: bool = True) -> LayerAttention:
    """Multiply attention and weight of one layer, value by value; `weight` is a result of `attention_gradients`."""
    # Inside the windows, if there are some: outside both are zero, and rows over all tokens would be mostly zeros.
    return attention.with_parts(Weighted(attention.parts, weight.parts, positive=positive))


def gained(gradient: LayerAttention) -> LayerAttention:
    """Turn a result of `attention_gradients`, dO V^T, into (dO)^+ V^T: only the features of O that the score gains from."""
    parts = gradient.parts
    assert isinstance(parts, ThinProduct)
    return gradient.with_parts(ThinProduct(parts.name, parts.left.clamp_min(0), parts.right))


def attention_gradients(
    model: VisionModel, pixels: Tensor, trace: AttentionTrace, target: Target, only: Sequence[int] | None = None
) -> tuple[LayerAttention, ...]:
    """Gradients of the logit `target` with respect to the attention of each layer of `trace` (or those in `only`).

    Each is (head, query, key), not softmaxed and not positive, in the order of the layer's tokens. One forward and one
    backward pass of `model` on `pixels` (1, 3, h, w), which `trace` was made from; nothing is left on the network.
    Raises `VizError` if PyTorch cannot differentiate the network.
    """
    wanted = [trace.layers[index].name for index in (range(len(trace.layers)) if only is None else only)]
    calls = Calls(titles_of(trace, wanted))
    with differentiated(model):
        with torch.enable_grad(), Watch(model.net, calls.saw):
            # The pixels require a gradient so that there is a graph even if every parameter is frozen.
            output = model.net(pixels.detach().to(model.device, dtype_of(model.net)).requires_grad_(True))
            score = slope_in(model, output, target)
        calls.check_used_once(model, score)
        given, _ = calls.gradients(model, score)
    # Read after the pass: a survey runs the network itself, and must not run inside of a watched pass.
    all_axes = read_by_layer(model, pixels, trace, wanted, {title: Shape.of(call) for title, call in calls.items()})
    rows = {title: one.to(trace.device) for title, one in given.items()}
    columns = {title: call.v.to(trace.device) for title, call in calls.items()}
    return tuple(thin_of(trace, name, rows, columns, axes) for name, axes in zip(wanted, all_axes, strict=True))


def titles_of(trace: AttentionTrace, names: Sequence[str]) -> list[str]:
    """List the titles of the calls of the layers with these names."""
    return [title for name in names for title in trace.calls_of(name)]


def read_by_layer(
    model: VisionModel, pixels: Tensor, trace: AttentionTrace, names: Sequence[str], shapes: Mapping[str, Shape]
) -> list[list[AxisLayout]]:
    """Read the calls of each of these layers: one, or one for each of its heads or windows."""
    titles = titles_of(trace, names)
    axes = dict(zip(titles, reading(model, pixels, [shapes[title] for title in titles]).axes, strict=True))
    return [[axes[title] for title in trace.calls_of(name)] for name in names]


@contextmanager
def differentiated(model: VisionModel) -> Iterator[None]:
    """Turn PyTorch's errors about differentiation (changes in place, no_grad, checkpoints) into a `VizError`."""
    with explained(model, model.device):
        try:
            yield
        except VizError:
            raise
        except RuntimeError as error:
            if is_out_of_memory(error):
                raise  # `explained`, around this, has its own words for it
            why = str(error).partition("\n")[0].partition(". ")[0]  # the rest is advice on debugging autograd
            raise VizError(
                "{model} cannot be differentiated: {why}.",
                "Choose a method that needs no gradient.",
                model=model.name,
                why=why,
            ) from error


class Calls(dict[str, Call]):
    """Attention calls of the wanted layers, by title, collected while a pass is watched.

    They keep their graphs: the gradient belongs to the very tensors that the network continued with.
    """

    def __init__(self, wanted: Sequence[str]) -> None:
        super().__init__()
        self._wanted, self._written = set(wanted), dict[str, tuple[int, int]]()

    def saw(self, call: Call) -> None:
        """Take a call of the watched pass, if it is wanted; for `Watch`."""
        if call.title in self._wanted:
            self[call.title] = call
            # `_version` counts writes in place. One after the call changes a value that the gradient is computed with.
            self._written[call.title] = call.output._version, call.v._version

    def gradients(
        self, model: VisionModel, score: Tensor, also: Sequence[Tensor] = (), *, again: bool = False
    ) -> tuple[dict[str, Tensor], list[Tensor | None]]:
        """Gradients of `score` with respect to the output of each call, by title; zero where it does not depend on it.

        And from the same backward pass those with respect to other tensors, `also`; None if there is none.

        again  another backward pass through the same graph will follow
        Raises `VizError` if it depends on none, and if the network later wrote into the output of an attention: the gradient
        would belong to another tensor.
        """
        # An early exit, or a part that runs only where no gradient is recorded: this pass is not that of the trace.
        if missing := self._wanted - self.keys():
            raise VizError(
                "{model} took another path on a second pass of the same picture: {name} did not run.",
                "It is left to chance, or to whether gradients are recorded. Switch that off.",
                model=model.name,
                name=min(missing),
            )
        for title, call in self.items():
            if (call.output._version, call.v._version) != self._written[title]:
                raise VizError(
                    "{model} changes the output of {name} in place, so its gradient is lost.",
                    "Choose a method that needs attention only.",
                    model=model.name,
                    name=title,
                )
        # Some calls are read from an einsum: `output` is then our own view, and the graph goes through the network's tensor.
        own = [call.result for call in self.values()]
        everything = torch.autograd.grad(score, [*own, *also], allow_unused=True, retain_graph=again)
        found, rest = everything[: len(own)], everything[len(own) :]
        if all(one is None for one in found):
            raise VizError(
                "No gradient comes back to the attention of {model}.",
                "Choose a method that needs attention only.",
                model=model.name,
            )
        # Some layers may come after what the score reads (an early exit): their gradient is zero, and no error.
        given = [torch.zeros_like(o) if one is None else one for o, one in zip(own, found, strict=True)]
        by_title = {
            title: call.own.turn(one) if call.own else one
            for (title, call), one in zip(self.items(), given, strict=True)
        }
        return by_title, list(rest)

    def check_used_once(self, model: VisionModel, score: Tensor) -> None:
        """Raise `VizError` if `score` depends on a map in another way than by the values that it weighs.

        Then dO V^T is not all of the gradient with respect to it.
        """
        maps = {title: call.applied for title, call in self.items() if call.applied is not None}
        ends = Counter[tuple[Any, int]](
            (one.grad_fn, one.output_nr) for one in maps.values() if one.grad_fn is not None
        )
        uses, nodes, waiting = Counter[tuple[Any, int]](), set[Any](), [score.grad_fn]
        while ends and waiting:
            node = waiting.pop()
            if node is None or node in nodes:
                continue
            nodes.add(node)
            uses.update(edge for edge in node.next_functions if edge in ends)
            waiting += [below for below, _ in node.next_functions]
        for title, one in maps.items():
            # One map may be that of several calls (A @ (A @ v)): each of them has a gradient of its own.
            if uses[one.grad_fn, one.output_nr] > ends[one.grad_fn, one.output_nr]:
                raise VizError(
                    "{model} uses the attention of {name} for something else besides weighing its values (values of relative "
                    "places, the map of another layer), so the gradient that comes back through the values is not all of it.",
                    "Choose a method that needs no gradient.",
                    model=model.name,
                    name=title,
                )


def slope_in(model: VisionModel, output: Any, target: Target) -> Tensor:
    """Return `score_in` of one picture's `output`, with its graph. Raises `VizError` if there is no graph."""
    score = score_in(output, target)
    if not score.requires_grad:
        raise no_gradient(model, target, is_lost=any(one.requires_grad for one in tensors_in(output)))
    return score


def slope_in_all(model: VisionModel, output: Any, targets: Sequence[Target]) -> Tensor | None:
    """The sum of `slope_in` of each picture for its own target; None where `output` is no tensor (B, ...) of as many pictures."""
    # Of several outputs, or a loss of the whole batch, nothing tells which part belongs to which picture.
    if not isinstance(output, Tensor) or not output.ndim or len(output) != len(targets):
        return None
    return torch.stack(
        [slope_in(model, one, target) for one, target in zip(output.split(1), targets, strict=True)]
    ).sum()


def no_gradient(model: VisionModel, target: Target, *, is_lost: bool) -> VizError:
    """Make the error for a target without a gradient; `is_lost`: the network's output still had a graph."""
    if is_lost and callable(target):
        return VizError(
            "The target ({name}) gives a number without a gradient, though the network's output has one.",
            "Make it by PyTorch alone, without detach, item, numpy or no_grad; or choose a method without gradients.",
            name=name_of(target),
        )
    return VizError(
        "{model} lets no gradient through.",
        "It may run under no_grad; choose a method without gradients.",
        model=model.name,
    )


def thin_of(
    trace: AttentionTrace,
    name: str,
    rows: Mapping[str, Tensor],
    columns: Mapping[str, Tensor],
    axes: Sequence[AxisLayout],
) -> LayerAttention:
    """Make `thin` for the layer `name` of `trace`, from rows and columns of each call by title, which are read as `axes`."""
    # Heads, or windows, that a network computes one after the other are several calls of one layer.
    titles = trace.calls_of(name)
    if len(titles) == 1:
        return thin(name, rows[name], columns[name], axes[0])
    lead = rows[name].shape[:-2]
    left, right = (side_by_side([part[title].detach() for title in titles], lead) for part in (rows, columns))
    return thin(name, left, right, joined_axes(axes, len(lead)))


def thin(name: str, rows: Tensor, columns: Tensor, axes: AxisLayout) -> LayerAttention:
    """Read rows (..., query, e) x columns (..., key, e)^T like attention: (head, query, key) of the layer's tokens.

    `axes` says how the network folds heads and windows; rows and columns are ordered like q and k.
    """
    # A product broadcasts: values that several heads share have an axis of length 1 where the output has more.
    lead = rows.shape[:-2]
    rows, columns = (axes.fold(part.detach().expand(*lead, *part.shape[-2:])) for part in (rows, columns))
    parts = ThinProduct(name, rows.flatten(0, 1), columns.flatten(0, 1))
    if not axes.is_whole:
        tokens = axes.queries.to(parts.device), axes.keys.to(parts.device)
        return WindowedAttention(name, parts, *tokens, axes.layout, axes.key_layout)
    if axes.order is None:
        return parts
    queries, keys = axes.order
    return ThinProduct(name, parts.left[:, queries], parts.right[:, keys])
