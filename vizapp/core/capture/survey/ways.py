"""Find what goes round a layer: a way from the picture to a later layer on which the layer's output does not lie.

Rollout, and all that walks from layer to layer, takes a network for a chain: what a layer hears comes from the tokens of the
layer below, and from nowhere else. Keys and values of the first layer that are used again, values that are mixed with those of
the first layer, a long skip, a weighted mean of several states break the chain, while every single map stays exact.

So it is measured, by one pass that records autograd's graph. A layer hands its tokens on through one tensor if a node of the
graph lies on all ways from the picture to the values of later layers, at or behind the layer's output. Only values count:
rollout follows values, and asks not of what their weights were made. Saved tensors are dropped, so the pass takes no more memory
than a plain one. Before a layer is named, one pass backward takes away the ways over which nothing but zeros comes, as through a
gate of zero.

Autograd does not see ways that are detached, nor what an `argmax` picks.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from contextlib import ExitStack, nullcontext
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.autograd.graph import Node, saved_tensors_hooks

from vizapp.core.capture.call import Call
from vizapp.core.capture.plain_checkpoints import run_plainly
from vizapp.core.capture.watch import Watch
from vizapp.core.network import tensors_in
from vizapp.model.spec import VisionModel


class Ways(NamedTuple):
    """The way of tokens through a network.

    round  titles of layers that something goes round, each by its first call
    early  titles of layers whose tokens the output reads besides those of the last one
    known  False where autograd tells of no way from the picture to the layers: parts run without gradients
    """

    round: tuple[str, ...] = ()
    early: tuple[str, ...] = ()
    known: bool = True


@run_plainly()
def ways_through(model: VisionModel, pixels: Tensor, layers: Sequence[Sequence[str]]) -> Ways:
    """Record one pass on `pixels` (1, C, h, w), and see what goes round `layers`, each given by the titles of its calls."""
    followed = pixels.detach().clone().requires_grad_()
    found = _found(_Pass(model.net, followed, dropped=True), followed, layers)
    if found.round or found.early:
        found = _found(_Pass(model.net, followed, dropped=False), followed, layers)
    # What a network, or somebody's hook, remembers of its last pass has no part in a graph.
    with torch.no_grad():
        model.net(pixels)
    return found


def _found(seen: "_Pass", pixels: Tensor, layers: Sequence[Sequence[str]]) -> Ways:
    calls = {one.title: one for one in seen.calls}
    every = [calls[title] for titles in layers for title in titles if title in calls]
    nodes = [one for call in seen.calls for one in (*call.values, *call.weights, call.output)]
    graph = _Graph([*nodes, *seen.outputs, *(one.node for some in seen.made.values() for one in some)], pixels)
    if graph.picture < 0 or len(every) < sum(map(len, layers)) or not all(one.values for one in every):
        return Ways(known=False)
    if seen.kept:
        graph.prune(seen.kept)
    values = {graph.numbers[one] for call in seen.calls for one in call.values}
    weights = {graph.numbers[one] for call in seen.calls for one in call.weights if one in graph.numbers}
    # `unbind` gives q, k and v one node, which stays.
    graph.cut(weights - values)
    return _Judge(graph, seen, layers).judged()


class _Ran(NamedTuple):
    """An attention call: the nodes of its output, its values, and what weighs these. `few`: fewer tokens ask than are heard."""

    name: str
    title: str
    output: Node
    values: list[Node]
    weights: list[Node]
    few: bool


class _Made(NamedTuple):
    """The node of what a module made, and which calls ran in it, by their numbers."""

    node: Node
    first: int
    end: int


class _Pass:
    """One pass with gradients: its calls, what its modules made, and its outputs, by their nodes.

    kept  what it computed and the layers were given; empty where values are `dropped`
    """

    def __init__(self, net: nn.Module, pixels: Tensor, *, dropped: bool) -> None:
        self.calls: list[_Ran] = []
        self.made: defaultdict[str, list[_Made]] = defaultdict(list)
        self.kept: list[Tensor] = []
        begun = list[int]()  # how many calls had run when each running module began

        def saw(call: Call) -> None:
            # Nodes are taken now: a sum that is written into a tensor gives it another node.
            values, weights = _nodes([call.v]), _nodes([call.applied]) or _nodes([call.q, call.k, call.bias])
            few = call.output.shape[-2] < call.v.shape[-2]
            self.calls += [_Ran(call.name, call.title, one, values, weights, few) for one in _nodes([call.result])]
            self.kept += [one for one in (call.v, call.q, call.k) if one is not None and one.requires_grad]

        def leave(name: str, module: nn.Module, given: object, output: object) -> None:
            first = begun.pop()
            if first < len(self.calls):
                self.made[name] += [_Made(one, first, len(self.calls)) for one in _nodes(tensors_in(output))]

        with ExitStack() as stack:
            for name, module in net.named_modules():
                stack.callback(module.register_forward_pre_hook(lambda *_: begun.append(len(self.calls))).remove)
                stack.callback(module.register_forward_hook(partial(leave, name)).remove)
            stack.enter_context(saved_tensors_hooks(_nothing, _nothing) if dropped else nullcontext())
            with torch.enable_grad(), Watch(net, saw):
                outputs = [one for one in tensors_in(net(pixels)) if one.requires_grad]
        self.outputs, self.kept = _nodes(outputs), [] if dropped else [*self.kept, *outputs]


def _nodes(tensors: Iterable[Tensor | None]) -> list[Node]:
    return [one.grad_fn for one in tensors if one is not None and one.grad_fn is not None]


def _nothing(_: Any) -> Any:
    """Keep nothing of a tensor that autograd would save."""


class _Graph:
    """The nodes of one pass, inputs before what is made of them. `inputs[n]`: numbers of the nodes that n was made from."""

    def __init__(self, ends: Iterable[Node], picture: Tensor) -> None:
        self.nodes: list[Node] = []
        self.inputs: list[list[int]] = []
        self.numbers: dict[Node, int] = {}
        todo, met = [(end, False) for end in ends], set[Node]()
        while todo:
            node, inputs_done = todo.pop()
            above = [one for one, _ in node.next_functions]
            if inputs_done and node not in self.numbers:
                self.numbers[node] = len(self.nodes)
                self.nodes.append(node)
                self.inputs.append([-1 if one is None else self.numbers[one] for one in above])
            elif node not in met:
                met.add(node)
                todo.append((node, True))
                todo += [(one, False) for one in above if one is not None]
        self.picture = next((n for n, one in enumerate(self.nodes) if getattr(one, "variable", None) is picture), -1)
        self.alive = list[bool]()
        self._revive()

    def _revive(self) -> None:
        """Tell of each node whether it depends on the picture."""
        self.alive = []
        for number, inputs in enumerate(self.inputs):
            self.alive.append(number == self.picture or any(one >= 0 and self.alive[one] for one in inputs))

    def cut(self, numbers: Iterable[int]) -> None:
        """Forget what these nodes were made from."""
        for number in numbers:
            self.inputs[number] = []
        self._revive()

    def above(self, ends: Iterable[int], without: Collection[int] = ()) -> set[int]:
        """List all nodes on ways from the picture to `ends` that avoid the nodes `without`."""
        found, todo = set[int](), [one for one in ends if one not in without]
        while todo:
            number = todo.pop()
            if number not in found and self.alive[number]:
                found.add(number)
                todo += [one for one in self.inputs[number] if one >= 0 and one not in without]
        return found

    def on_all_ways(self, ends: Sequence[int]) -> list[int]:
        """List the nodes that lie on every way from the picture to any of `ends`: those over which no edge jumps."""
        some = sorted(self.above(ends))
        reach: dict[int, float] = {one: number for number in some for one in self.inputs[number] if one >= 0}
        reach |= dict.fromkeys(ends, math.inf)
        found, furthest = [], -1.0
        for number in some:
            if furthest <= number:
                found.append(number)
            furthest = max(furthest, reach.get(number, -1))
        return found

    def prune(self, made: Sequence[Tensor]) -> None:
        """Take away the edges over which nothing but zeros comes back from `made`."""
        zeros = dict[int, list[bool]]()

        def note(number: int, gradients: Sequence[Tensor | None], _: object) -> None:
            zeros[number] = [one is None or not bool(one.any()) for one in gradients]

        with ExitStack() as stack:
            for number, node in enumerate(self.nodes):
                if self.alive[number] and number != self.picture:
                    stack.callback(node.register_hook(partial(note, number)).remove)
            generator = torch.Generator().manual_seed(0)
            slopes = [torch.randn(one.shape, generator=generator).to(one) for one in made]
            source: Any = self.nodes[self.picture]
            torch.autograd.backward(list(made), slopes, inputs=[source.variable])
        for number, nothing in zeros.items():
            self.inputs[number] = [
                -1 if index < len(nothing) and nothing[index] else one for index, one in enumerate(self.inputs[number])
            ]
        self._revive()


class _Judge:
    """Find through which tensor each layer hands its tokens on."""

    def __init__(self, graph: _Graph, seen: _Pass, layers: Sequence[Sequence[str]]) -> None:
        self.graph, self.seen = graph, seen
        number_of = {one.title: number for number, one in enumerate(seen.calls)}
        self.layers = [[number_of[title] for title in titles] for titles in layers]
        self.outputs = [graph.numbers[one] for one in seen.outputs]

    def judged(self) -> Ways:
        """Go through the layers from below."""
        around, ends, before = list[str](), dict[str, int](), -1
        for index, layer in enumerate(self.layers):
            later = [one for other in self.layers[index + 1 :] for one in self._values(other)]
            modules = self._modules_around(layer)
            # What the output reads besides is judged apart: heads for depth read several layers, and these are a chain.
            found = self._handed_on(layer, modules, later + self.outputs, before)
            if found < 0 and later:
                found = self._handed_on(layer, modules, later, before, only_modules=True)
                if found < 0:
                    around.append(self._title(layer))
            before = max(before, found)
            holding = (one for one in modules if self._holds_stream(layer, one))
            ends[self._title(layer)] = found if found >= 0 else next(holding, -1)
        return Ways(tuple(around), () if around else self._early({k: n for k, n in ends.items() if n >= 0}))

    def _title(self, layer: Sequence[int]) -> str:
        return self.seen.calls[layer[0]].title

    def _values(self, layer: Sequence[int]) -> list[int]:
        return [self.graph.numbers[one] for call in layer for one in self.seen.calls[call].values]

    def _own(self, layer: Sequence[int]) -> set[int]:
        return {self.graph.numbers[self.seen.calls[call].output] for call in layer}

    def _modules_around(self, layer: Sequence[int]) -> list[int]:
        """List what modules made that ran this layer and no other call, from the inside."""
        parts, found = self.seen.calls[layer[0]].name.split("."), list[int]()
        for depth in range(len(parts), -1, -1):
            for made in self.seen.made[".".join(parts[:depth])]:
                node = self.graph.numbers[made.node]
                if (made.first, made.end) == (min(layer), max(layer) + 1) and self._own(layer) <= self.graph.above(
                    [node]
                ):
                    found.append(node)
        return found

    def _holds_stream(self, layer: Sequence[int], module: int) -> bool:
        """Tell whether the picture reaches what a module made by a way beside the attention: the stream is added inside of it."""
        inside = self._own(layer) | set(self._values(layer))
        return self.graph.picture in self.graph.above([module], inside)

    def _handed_on(
        self, layer: Sequence[int], modules: Sequence[int], ends: Sequence[int], before: int, only_modules: bool = False
    ) -> int:
        """Find the node through which a layer hands on all that reaches `ends`; -1 if there is none."""
        own, graph = self._own(layer), self.graph
        all_ways = [one for one in graph.on_all_ways(ends) if one >= max(own)]
        if (found := next((one for one in modules if one in all_ways), -1)) >= 0:
            return found
        # Where modules around the layer return what attention gave, the stream is added outside of them. A module may also have
        # a branch of its own beside the attention (a convolution over patches). All other sums are further up: behind a long
        # skip, say.
        inside = any(self._holds_stream(layer, one) for one in modules)
        if all_ways and not inside:
            return all_ways[0]
        if all_ways and not only_modules:
            entering = set(graph.on_all_ways(self._values(layer)))
            sums = [set(graph.inputs[one]) for one in all_ways if "Add" in graph.nodes[one].name()]
            if any(one & set(modules) and one & entering for one in sums):
                return all_ways[0]
        # Class attention: the tokens that ask nothing go on beside it, as the layer below left them.
        if before >= 0 and all(self.seen.calls[call].few for call in layer):
            through = {*modules, *all_ways[:1], before}
            rest = graph.above(ends, through)
            if len(through) > 1 and graph.picture not in rest and not own & rest:
                return before
        return -1

    def _early(self, ends: dict[str, int]) -> tuple[str, ...]:
        """List the layers that the output reads by a way round all later ones."""
        every, last = set(ends.values()), [*ends.values(), -1][len(ends) - 1]
        alone = {title: self.graph.above(self.outputs, every - {node}) for title, node in ends.items() if node != last}
        return tuple(title for title, found in alone.items() if ends[title] in found)
