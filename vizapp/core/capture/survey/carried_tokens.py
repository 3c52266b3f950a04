"""Follow learned tokens from one attention to the next: which goes on as which, and which is new.

Between two attentions a transformer works on each token alone. So if the output of attention is changed for one token, that token
is changed in the next layer, and no other is. One that is not changed, though the patches would be, is new there: nothing goes on
in it. All layers are asked in the same few passes: each call gives what it gave in a plain pass, and a change for the tokens of
the pass, so that attention itself carries no change from token to token. Tokens are told apart by the bits of their numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
Slots = Callable[[str, Tensor], Sequence[int]]


class Followed(NamedTuple):
    """The learned tokens of each call, by number: a token that goes on has the number that it had before.

    why  the reason why it is not known of some token whether it goes on; then `numbers` is empty
    """

    numbers: dict[str, list[int]]
    why: str = ""


def follow_tokens(
    model: VisionModel, pixels: Tensor, layouts: Mapping[str, AxisLayout], calls: Sequence[str]
) -> Followed | None:
    """Follow the learned tokens of `calls` on `pixels` (1, C, h, w); None where the calls are such that nothing tells."""
    before = _before(layouts, calls)
    if before is None:
        return None
    passes = _Passes(model, pixels, layouts, calls)
    every = {title: range(len(layouts[title].key_layout.prefix)) for title in calls}
    plain = passes.run(lambda title, values: ())
    if not any(before.values()) or plain is None:
        return None
    learned = passes.run(lambda title, values: every[title])
    patches = passes.run(lambda title, values: range(layouts[title].layout.n_tokens))
    if learned is None or patches is None or any(learned[one].shape != plain[one].shape for one in plain):
        return None
    found = _Found(layouts, before, plain, learned, patches)
    if not found.why:
        found.number()
        # A pass for each bit and not for each token: of a hundred prompts it takes seven.
        for bit in range((found.n - 1).bit_length()):
            values = passes.run(lambda title, values, bit=bit: found.chosen(title, values, bit))  # type: ignore[misc]
            if values is None:
                return None
        found.decode()
    # What the network, or somebody's hook, remembers of its last pass is then of a pass that nobody changed.
    with torch.no_grad():
        model.net(pixels)
    return Followed({} if found.why else found.numbers, found.why)


def _before(layouts: Mapping[str, AxisLayout], calls: Sequence[str]) -> dict[str, str] | None:
    """Give the call that each was made from, "" for the first, "=" and a call that has the same tokens; None if nothing tells."""
    found, last = dict[str, str](), ""
    for title in calls:
        one, above = layouts[title], layouts.get(last)
        if one.kind == "tokens" and (one.layout.prefix != one.key_layout.prefix or not one.is_whole):
            return None
        if above is not None and (one.built_on is None or not one.built_on >> above.number & 1):
            # Heads that are computed one after the other, and branches, start from the same tokens.
            if len(one.key_layout.prefix) != len(above.key_layout.prefix):
                return None
            found[title] = "=" + last
        else:
            found[title] = last
        last = title if one.kind == "tokens" else last
    return found


class _Passes:
    """Passes in which the outputs of attention are those of the first, and changed for some tokens."""

    def __init__(
        self, model: VisionModel, pixels: Tensor, layouts: Mapping[str, AxisLayout], calls: Sequence[str]
    ) -> None:
        self._model, self._pixels, self._layouts, self._calls = model, pixels, layouts, set(calls)
        self._outputs: dict[str, Tensor] = {}

    def run(self, slots: Slots) -> dict[str, Tensor] | None:
        """Give the values (token, feature) of each of the calls; None if the network took another way than before.

        slots  (title, values) -> the tokens whose output is changed
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
            return self._changed(kept, self._layouts[title], slots(title, found[title])) if is_layer else kept

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
    def _changed(output: Tensor, axes: AxisLayout, slots: Sequence[int]) -> Tensor:
        if not len(slots):
            return output
        folded = axes.fold(output).clone()
        at = axes.queries[0].argsort().to(folded.device)[torch.tensor(list(slots), device=folded.device)]
        # As large as the output, so that rounding hides it nowhere; another number for each feature, so that no norm removes it.
        size = float(output.abs().max()) or 1.0
        folded[:, :, at] += size * torch.linspace(0.5, 1.5, output.shape[-1]).to(output)
        return axes.unfold(folded, output.shape[:-2])


class _Found:
    """The findings of the passes: which token of each call goes on from the call before, and as which."""

    def __init__(
        self,
        layouts: Mapping[str, AxisLayout],
        before: Mapping[str, str],
        plain: Mapping[str, Tensor],
        learned: Mapping[str, Tensor],
        patches: Mapping[str, Tensor],
    ) -> None:
        self._layouts, self._before, self._plain, self._learned = layouts, before, plain, learned
        self.numbers: dict[str, list[int]] = {}
        self.n = 0
        self.why = ""
        # Of each token: "on" if it goes on, "new", or "kept" where nothing goes on in any token.
        self._states: dict[str, list[str]] = {}
        self._bits: dict[str, list[int]] = {}
        for title, above in before.items():
            if above and not above.startswith("="):
                self._states[title] = self._told(title, above, patches[title])

    def _told(self, title: str, above: str, patches: Tensor) -> list[str]:
        axes, plain = self._layouts[title], self._plain[title]
        n, size = axes.key_layout.n_prefix, float(plain.abs().max())
        moved = _largest(self._learned[title] - plain)
        # What learned tokens change in patches is rounding, or the network mixes tokens otherwise than by attention.
        stray = float(moved[n:].max()) if len(moved) > n else 0.0
        mixes = stray > SAME * size
        # Well above what rounding does to tokens that were not touched.
        limit = stray if mixes else 8 * stray
        reached = _largest(patches - plain)[n:] > limit
        on = (moved[:n] > limit).tolist()
        if not any(on) and not bool(reached.any()) and n == self._layouts[above].key_layout.n_prefix:
            return ["kept"] * n  # a gate that is shut: attention changes nothing at all
        if mixes and any(not one and float(moved[slot]) > 0 for slot, one in enumerate(on)):
            self._doubt(title, above)
        if not mixes and not bool(reached.all()) and axes.kind == "tokens":
            why = "some patches of {layer} are not those that {above} gave, but new ones"
            self.why = self.why or Text(why, layer=title, above=above)
        return ["on" if one else "new" for one in on]

    def number(self) -> None:
        """Give numbers to the tokens that are new; those that go on have -1 for now."""
        self.n = 0
        for title, above in self._before.items():
            states = self._states.get(title, [])
            count = self._layouts[title].key_layout.n_prefix
            own = [-1] * count
            for slot in range(count) if not above.startswith("=") else ():
                if not above or states[slot] == "new":
                    own[slot], self.n = self.n, self.n + 1
            self.numbers[title] = own

    def chosen(self, title: str, values: Tensor, bit: int) -> list[int]:
        """Choose the tokens of a call whose numbers have this bit, and note which of those that go on have it."""
        above = self._before[title]
        if above.startswith("="):
            return self._with_bit(above[1:], bit)
        bits = self._bits.setdefault(title, [0] * len(self.numbers[title]))
        plain, learned = (_largest(values - one[title]).tolist() for one in (self._plain, self._learned))
        for slot, state in enumerate(self._states.get(title, ())):
            if state == "on":
                near, far = sorted((plain[slot], learned[slot]))
                if near > SURE * far:
                    self._doubt(title, above)
                bits[slot] |= (learned[slot] < plain[slot]) << bit
            elif state == "kept" and slot in self._with_bit(above, bit):
                bits[slot] |= 1 << bit
        return self._with_bit(title, bit)

    def _with_bit(self, title: str, bit: int) -> list[int]:
        if self._before[title].startswith("="):
            return self._with_bit(self._before[title][1:], bit)
        known = [self._bits[title][slot] if one < 0 else one for slot, one in enumerate(self.numbers[title])]
        return [slot for slot, one in enumerate(known) if one >> bit & 1]

    def decode(self) -> None:
        """Put together the numbers of the tokens that go on."""
        for title, above in self._before.items():
            if above.startswith("="):
                self.numbers[title] = list(self.numbers[above[1:]])
                continue
            bits = self._bits.get(title, [0] * len(self.numbers[title]))
            own = [bits[slot] if one < 0 else one for slot, one in enumerate(self.numbers[title])]
            # Two with one number, or one that nobody had: bits were mixed on the way, so none of them can be believed.
            if above and (len(set(own)) < len(own) or self._strangers(title, own)):
                self._doubt(title, above)
            self.numbers[title] = own

    def _strangers(self, title: str, own: list[int]) -> bool:
        """Tell whether a token is to go on that was not there in the call before."""
        above = set(self.numbers[self._before[title]])
        return any(one not in above for one, state in zip(own, self._states[title], strict=True) if state != "new")

    def _doubt(self, title: str, above: str) -> None:
        why = "{layer} mixes its tokens before attention, and it is not known which of them go on from {above}"
        self.why = self.why or Text(why, layer=title, above=above)


def _largest(values: Tensor) -> Tensor:
    return values.abs().amax(-1)
