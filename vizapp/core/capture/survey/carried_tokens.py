"""Find out which learned tokens go on from one attention to the next, and which are new there.

Between two attentions a transformer works on each token alone. So if the output of attention is changed for one token, that token
is changed in the next layer, and no other is. One that is not changed, though the patches would be, is new there: nothing goes on
in it. All layers are asked in the same few passes: each call gives what it gave in a plain pass, and a change for the tokens of
the pass, so that attention itself carries no change from token to token. That tokens keep their order is seen by the bits of
their numbers.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from vizapp.core.capture.call import Call
from vizapp.core.capture.patches.axis_layout import AxisLayout
from vizapp.core.capture.watch import Watch
from vizapp.model.spec import VisionModel
from vizapp.wording import Text

SAME = 1e-6  # of the largest value: kernels may round a token that is not touched otherwise, and by no more than this
SURE = 0.25  # a token of two passes is that of the one, if it is so much nearer to it than to the other
Values = Mapping[str, Tensor]  # (token, feature) of each call


class Followed(NamedTuple):
    """The learned tokens that are new in each call, by their number in it; all others go on from the call before.

    why  the reason why it is not known which do; then `new` is empty
    """

    new: dict[str, list[int]]
    why: str = ""


def follow_tokens(
    model: VisionModel, pixels: Tensor, layouts: Mapping[str, AxisLayout], calls: Sequence[str]
) -> Followed | None:
    """Follow the learned tokens of `calls` on `pixels` (1, C, h, w); None where the calls are such that nothing tells."""
    before = _before(layouts, calls)
    if before is None or not any(before.values()):
        return None
    passes, n = _Passes(model, pixels, layouts, calls), len(layouts[calls[0]].key_layout.prefix)
    # A pass for each bit and not for each token: of a hundred prompts it takes seven.
    bits = [[slot for slot in range(n) if slot >> bit & 1] for bit in range((n - 1).bit_length())]
    found = [passes.run(slots) for slots in ((), range(n), None, *bits)]
    plain = found[0]
    # What the network, or somebody's hook, remembers of its last pass is then of a pass that nobody changed.
    with torch.no_grad():
        model.net(pixels)
    same = [one for one in found if one is not None and plain is not None and _shapes(one) == _shapes(plain)]
    if len(same) < len(found):
        return None
    new = {}
    for title, above in before.items():
        told = _new(layouts[title], [one[title] for one in same]) if above else []
        if told is None:
            why = "it is not understood which tokens of {layer} go on from {above}"
            return Followed({}, Text(why, layer=title, above=above))
        new[title] = told
    return Followed(new)


def _shapes(values: Values) -> dict[str, torch.Size]:
    return {title: one.shape for title, one in values.items()}


def _before(layouts: Mapping[str, AxisLayout], calls: Sequence[str]) -> dict[str, str] | None:
    """Give the call that each was made from, "" for the first; None if nothing tells."""
    found, last = dict[str, str](), ""
    for title in calls:
        one, above = layouts[title], layouts.get(last)
        if one.kind == "tokens" and (one.layout.prefix != one.key_layout.prefix or not one.is_whole):
            return None
        if len(one.key_layout.prefix) != len(layouts[calls[0]].key_layout.prefix):
            return None
        # Heads that are computed one after the other, and branches, start from the same tokens.
        beside = above is not None and (one.built_on is None or not one.built_on >> above.number & 1)
        found[title] = found[last] if beside else last
        last = title if one.kind == "tokens" else last
    return found


class _Passes:
    """Passes in which the outputs of attention are those of the first, and changed for some tokens."""

    def __init__(
        self, model: VisionModel, pixels: Tensor, layouts: Mapping[str, AxisLayout], calls: Sequence[str]
    ) -> None:
        self._model, self._pixels, self._layouts, self._calls = model, pixels, layouts, set(calls)
        self._outputs: dict[str, Tensor] = {}

    def run(self, slots: Sequence[int] | None) -> Values | None:
        """Give the values of each of the calls; None if the network took another way than before.

        slots  the tokens whose output is changed; None: all
        """
        found: dict[str, Tensor] = {}
        first, same = not self._outputs, True

        def edit(call: Call) -> Tensor | None:
            nonlocal same
            title = call.title
            if title in self._calls:
                found[title] = self._values(call)
            if first:
                self._outputs[title] = call.output.clone()
                return None
            kept = self._outputs.get(title)
            if kept is None or kept.shape != call.output.shape:
                same = False
                return None
            is_layer = title in self._calls and self._layouts[title].kind == "tokens"
            return self._changed(kept, self._layouts[title], slots) if is_layer else kept

        device = self._pixels.device
        # A network that draws random numbers draws the same ones in each pass.
        alike = torch.random.fork_rng([device] if device.type == "cuda" else [])
        with alike, torch.no_grad(), Watch(self._model.net, lambda call: None, edit=edit):
            self._model.net(self._pixels)
        return found if same and len(found) == len(self._calls) else None

    def _values(self, call: Call) -> Tensor:
        axes = self._layouts[call.title]
        values = axes.fold(call.v.expand(*call.output.shape[:-2], *call.v.shape[-2:]))[0]
        return values[:, axes.keys[0].argsort().to(values.device)].transpose(0, 1).flatten(1).float()

    @staticmethod
    def _changed(output: Tensor, axes: AxisLayout, slots: Sequence[int] | None) -> Tensor:
        folded = axes.fold(output).clone()
        at = axes.queries[0].argsort().to(folded.device)
        at = at if slots is None else at[torch.tensor(list(slots), dtype=torch.long, device=folded.device)]
        # As large as the output, so that rounding hides it nowhere; another number for each feature, so that no norm removes it.
        size = float(output.abs().max()) or 1.0
        folded[:, :, at] += size * torch.linspace(0.5, 1.5, output.shape[-1]).to(output)
        return axes.unfold(folded, output.shape[:-2])


def _new(axes: AxisLayout, values: Sequence[Tensor]) -> list[int] | None:
    """Tell which learned tokens of a call are new in it; None if that is not known, or if the others changed their order.

    values  of passes in which nothing, the learned tokens, all tokens, and those with each bit were changed
    """
    plain, learned, every, *bits = values
    n, size = axes.key_layout.n_prefix, float(plain.abs().max())
    moved = _largest(learned - plain)
    # What learned tokens change in patches is rounding, or the network mixes tokens otherwise than by attention.
    stray = float(moved[n:].max()) if len(moved) > n else 0.0
    mixes = stray > SAME * size
    # Well above what rounding does to tokens that were not touched.
    limit = stray if mixes else 8 * stray
    reached = _largest(every - plain)[n:] > limit
    on = (moved[:n] > limit).tolist()
    if not any(on) and not bool(reached.any()):
        return []  # a gate that is shut: attention changes nothing at all
    if mixes and any(not one and float(moved[slot]) > 0 for slot, one in enumerate(on)):
        return None
    if not mixes and not bool(reached.all()) and axes.kind == "tokens":
        return None  # some of its patches are new
    for bit, changed in enumerate(bits):
        near_plain, near_learned = (_largest(changed - one).tolist() for one in (plain, learned))
        for slot in range(n):
            near, far = (near_learned, near_plain) if slot >> bit & 1 else (near_plain, near_learned)
            if on[slot] and near[slot] > SURE * far[slot]:
                return None
    return [slot for slot in range(n) if not on[slot]]


def _largest(values: Tensor) -> Tensor:
    return values.abs().amax(-1)
