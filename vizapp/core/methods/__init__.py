"""Explanation methods, one per file of this folder and by entry points of other packages: context, query -> Relevance.

A method is a function `(trace or context, query, *, ...) -> (Tensor (token,), TokenLayout)`: one value per token, and what
the tokens stand for; a third part may be sentences (`Text`) to be said with this map. Its keyword-only parameters are its
controls, so they have a type (`Literal[...]`, int, float, bool) and a default; `Annotated[type, Setting(...)]` puts them into
words. If its first parameter is an `ExplainContext`, it needs the network; if an `AttentionTrace`, it does not. `@method` says
everything else about it, and nothing else names a method: the command line, the page and the docs read the declaration.
"""

import importlib
import importlib.util
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from numbers import Integral
from typing import Any, Literal, get_args, get_type_hints

import torch

from vizapp.core.attention.layers import LayerAttention
from vizapp.core.attention.ledger import Ledger
from vizapp.core.attention.relevance import Relevance
from vizapp.core.attention.sides import mixed_notes
from vizapp.core.attention.trace import AttentionTrace, Query
from vizapp.core.context import ExplainContext
from vizapp.core.modes import normal_tensors, own_precision
from vizapp.core.setting import Setting, check_choice, is_control, no_setting
from vizapp.core.target import name_of, nothing_said, unit_of
from vizapp.errors import VizError
from vizapp.model.spec import TokenLayout
from vizapp.plugins import choices, with_plugins
from vizapp.registry import made_in, things_in
from vizapp.wording import Text

GROUP = "vizapp.methods"  # of entry points

# What a function gives: values, what they stand for, and sentences to be said with this map, if there are any.
Found = tuple[torch.Tensor, TokenLayout] | tuple[torch.Tensor, TokenLayout, Sequence[Text]]
MethodFunction = Callable[..., Found]
Cost = Literal["quick", "slow"]
Need = Literal["gradient", "relevances", "written"]
Together = Callable[[Sequence[ExplainContext], Mapping[str, Any]], None]
Shown = Callable[[AttentionTrace, Mapping[str, Any]], LayerAttention]
Hides = Callable[[AttentionTrace, torch.Tensor, dict[str, Any]], torch.Tensor | None]


@dataclass(frozen=True)
class Method:
    """An explanation method and all that it says about itself; words are English, for a language to translate.

    title, sentence  what the page calls it, and what its map shows
    paper            authors, year, title, and which equations
    unit             settings -> what one value is, in words; a `Share` where values are shares of a whole
    cost             "slow": many passes, or many paths; not offered where others wait for the same machine
    chosen           is it ticked when the page opens? One of each kind, in seconds
    baseline         has it seen nothing of the picture? Such ones are part of every comparison
    class_specific   does its map depend on the class that is explained?
    signed           can values be below zero, where they speak against the class?
    by_query         does its map depend on the query?
    needs            "gradient": the network must let gradients through; "relevances", "written": that attribute of the
                     `ExplainContext`, which some networks have not
    package          what must be installed beyond vizapp's own dependencies; "" for nothing
    together         prepares contexts of one network and size for this method, given its settings, in one pass; None: it cannot
    shown            trace, settings -> the layer whose attention itself is the map, whose weights may be no shares; None: of none
    hides            trace, query weights, settings -> (token,) bool, which tokens of the map are hidden from the query, or None
    """

    name: str
    function: MethodFunction
    title: str
    sentence: str
    paper: str
    unit: Callable[[dict[str, Any]], str]
    cost: Cost
    chosen: bool
    baseline: bool
    class_specific: bool
    signed: bool
    by_query: bool
    needs: tuple[Need, ...]
    package: str
    _why_not: Callable[[AttentionTrace], str]
    together: Together | None = None
    shown: Shown | None = None
    hides: Hides | None = None

    @property
    def lacks(self) -> str:
        """The package that would have to be installed first; "" where nothing is lacking."""
        return self.package if self.package and importlib.util.find_spec(self.package) is None else ""

    @cached_property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """Keyword-only parameters, by name, with their resolved types as annotation."""
        hints = get_type_hints(self.function)
        return {
            name: parameter.replace(annotation=hints.get(name, Any))
            for name, parameter in inspect.signature(self.function).parameters.items()
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY
        }

    @cached_property
    def settings(self) -> dict[str, Setting]:
        """The parameters in words; one that is not declared so goes by its own name."""
        hints = get_type_hints(self.function, include_extras=True)
        said = {name: get_args(hints.get(name)) for name in self.parameters}
        found = {name: [one for one in parts if isinstance(one, Setting)] for name, parts in said.items()}
        return {name: some[0] if some else Setting(name, "") for name, some in found.items()}

    @cached_property
    def needs_network(self) -> bool:
        """Tell whether the method needs more than a trace."""
        first = next(iter(inspect.signature(self.function).parameters))
        return get_type_hints(self.function)[first] is ExplainContext

    def why_not(self, trace: AttentionTrace, target: object = None) -> str:
        """The reason why this method means nothing for the network that made `trace`; "" where there is none.

        target  what is to be explained; None: the most probable class or the largest output, which not every network has
        """
        refusal = self.no_target(trace, target)
        return refusal.message if refusal else self._why_not(trace)

    def no_target(self, trace: AttentionTrace, target: object = None) -> VizError | None:
        """The error where this method explains an output, and nothing says which; None for all else."""
        is_said = target is not None or trace.logits is not None or trace.largest is not None
        return nothing_said(trace.outputs) if self.class_specific and not is_said else None

    def refusal(self, seen: ExplainContext | AttentionTrace) -> VizError | None:
        """The error in place of a map, or None where there is one. May run the network, for what the method needs of it."""
        try:
            self._check_seen(seen)
            for need in self.needs:
                if need != "gradient":
                    getattr(seen, need)  # kept by the context, so that the method finds it made
        except VizError as error:
            return error
        return None

    def _check_seen(self, seen: ExplainContext | AttentionTrace) -> None:
        """Raises `VizError` for what can be known without running the network."""
        trace = seen.trace if isinstance(seen, ExplainContext) else seen
        if self.needs_network and not isinstance(seen, ExplainContext):
            raise VizError(
                "{method} needs the network, and a trace holds none.",
                "Use vizapp.explain(seen, ...).",
                method=self.name,
            )
        if refusal := self.no_target(trace, seen.target if isinstance(seen, ExplainContext) else None):
            raise refusal
        if reason := self._why_not(trace):
            raise VizError(
                "{method} means nothing here: {reason}.", "Choose another method.", method=self.name, reason=reason
            )
        if self.package:
            try:
                importlib.import_module(self.package)
            except ImportError:
                raise VizError(
                    "{method} needs the package {package}, which is not installed.",
                    "pip install {package}",
                    method=Text(self.title),
                    package=self.package,
                ) from None

    def check(self, settings: Mapping[str, Any]) -> None:
        """Raises `VizError` for settings it does not have, and for values of a wrong type."""
        for name, value in settings.items():
            if name not in self.parameters:
                raise no_setting(self.name, name, self.parameters)
            check_choice(name, value, self.parameters[name].annotation)

    @normal_tensors()  # else there are no gradients, whatever is switched on
    def __call__(self, seen: ExplainContext | AttentionTrace, query: Query | None = None, **settings: Any) -> Relevance:
        """Run on `seen` for `query` (see `AttentionTrace.query`). Raises `VizError` for settings it does not have."""
        self.check(settings)
        settings = {name: int(one) if _is_integer(one) else one for name, one in settings.items()}  # of numpy, too
        if query is not None and "query_index" in self.parameters:
            raise VizError(
                "The queries of {method} are no tokens of the picture.", "Say query_index=0, or 1 ...", method=self.name
            )
        if query is not None and not self.by_query:
            raise VizError("The map of {method} is the same for all queries.", "Leave out the query.", method=self.name)
        self._check_seen(seen)
        trace = seen.trace if isinstance(seen, ExplainContext) else seen
        settings = {name: parameter.default for name, parameter in self.parameters.items()} | settings
        if "layer" in settings:
            trace.layer(settings["layer"])
            settings["layer"] %= len(trace.layers)  # -1 becomes the number that a reader of the result wants to know
        if "block" in settings:
            trace.cross_block(settings["block"])
            settings["block"] %= len(trace.cross)
        layer = settings.get("layer", -1)
        with own_precision(trace.device):
            weights = trace.query(query, layer)
            if isinstance(seen, ExplainContext) and callable(seen.target) and self.by_query and query is None:
                seen.check_reads(weights)
            tokens, layout, *said = self.function(seen if self.needs_network else trace, weights, **settings)
        target = seen.explained if self.class_specific and isinstance(seen, ExplainContext) else None
        if not bool(tokens.isfinite().all()):
            raise VizError(
                "The map of {method} holds values that are no numbers (NaN or infinity).",
                "Run the network in float32 or float64, or choose another method.",
                method=self.name,
            )
        unit, signed = self.unit(settings), self.signed
        shown = self.shown(trace, settings) if self.shown else None
        if shown is not None and not shown.are_shares:
            unit = Text("weight in attention, no share: rows do not sum to one, or have values below zero")
            signed = shown.below_zero
        return Relevance.from_tokens(
            tokens,
            layout,
            asked=trace.name_of(query, layer) if self.by_query else "",
            query=weights,
            method=self.name,
            settings=settings,
            target=None if target is None else name_of(target),
            unit=unit if target is None else unit_of(unit, target),
            signed=signed or (callable(target) and bool((tokens < 0).any())),  # a score may be below zero
            notes=(*(said[0] if said else ()), *self._cautions(trace)),
            label=seen.label if target is not None and isinstance(seen, ExplainContext) else "",
            hidden=self.hides(trace, weights, settings) if self.hides else None,
        )

    def _cautions(self, trace: AttentionTrace) -> tuple[str, ...]:
        """Make the notes for such a map of this network: what attention it lacks, and which values are those of no patch."""
        lacks = trace.ledger.lacks if self.by_query else ""
        by_value = self._why_not in {no_chain, one_grid, same_patches} or "written" in self.needs
        return (*([lacks] if lacks else ()), *(mixed_notes(trace.sides) if by_value else ()))


def within(low: float, high: float, **values: float) -> None:
    """Raises `VizError` for a setting that is not from `low` to `high`."""
    for name, value in values.items():
        if not low <= value <= high:
            raise VizError(
                "{name}={value} is not possible.",
                "It goes from {low} to {high}.",
                name=name,
                value=value,
                low=f"{low:g}",
                high=f"{high:g}",
            )


def ruled_out(ledger: Ledger) -> dict[str, str]:
    """The methods that mean nothing for a network with such a ledger, each with the reason: those that follow its layers."""
    followers = [name for name, one in methods().items() if one._why_not in (no_chain, one_grid, same_patches)]
    return dict.fromkeys(followers if ledger.no_chain else (), ledger.no_chain)


def no_chain(trace: AttentionTrace) -> str:
    """The reason why layers cannot be followed one after the other, if there is one."""
    return trace.no_chain


def one_grid(trace: AttentionTrace) -> str:
    """The reason why the classifier could not read each of the layers, if there is one."""
    if _have_own_tokens(trace):
        return trace.no_chain or Text(
            "its layers have learned tokens of their own, so the classifier cannot read each of them"
        )
    if not trace.one_grid:
        return Text("its layers have grids of their own, so the classifier cannot read each of them")
    return trace.no_chain


def _have_own_tokens(trace: AttentionTrace) -> bool:
    """Tell whether layers differ in which learned tokens they have, or in their order, and in nothing else."""
    pairs = [trace.layouts(index) for index in range(len(trace.layers))]
    shapes = {(layout.grid, layout.n_prefix) for pair in pairs for layout in pair}
    return len(shapes) == 1 and all(own == keys for own, keys in pairs) and not trace.one_grid


def same_patches(trace: AttentionTrace) -> str:
    """The reason why layers on the same patches cannot be followed one after the other, if there is one."""
    return trace.no_chain if _have_own_tokens(trace) else one_grid(trace)


def method(
    *,
    title: str,
    sentence: str,
    paper: str,
    unit: Callable[[dict[str, Any]], str],
    cost: Cost = "quick",
    chosen: bool = False,
    baseline: bool = False,
    class_specific: bool = False,
    signed: bool = False,
    by_query: bool = True,
    needs: tuple[Need, ...] = (),
    package: str = "",
    why_not: Callable[[AttentionTrace], str] = lambda trace: "",
    together: Together | None = None,
    shown: Shown | None = None,
    hides: Hides | None = None,
) -> Callable[[MethodFunction], Method]:
    """Declare a function to be the method of its own name; `Method` says what each word means.

    why_not  trace -> why it means nothing for such a network, in words; "" where it does
    """

    def declare(function: MethodFunction) -> Method:
        return Method(
            name=function.__name__,
            function=function,
            title=title,
            sentence=sentence,
            paper=paper,
            unit=unit,
            cost=cost,
            chosen=chosen,
            baseline=baseline,
            class_specific=class_specific,
            signed=signed,
            by_query=by_query,
            needs=needs,
            package=package,
            _why_not=why_not,
            together=together,
            shown=shown,
            hides=hides,
        )

    return declare


@cache
def methods() -> dict[str, Method]:
    """Every method by name: those of this folder in the order of its files, then those of other packages."""
    return with_plugins(_own_methods(), GROUP, _from_plugin)


@cache
def _own_methods() -> dict[str, Method]:
    return things_in(__name__, Method)


def baseline_names() -> tuple[str, ...]:
    """The names of methods that have not seen the picture; a map that is no better than theirs shows nothing."""
    return tuple(name for name, one in methods().items() if one.baseline)


def method_named(name: str) -> Method:
    """The method called `name`. Raises `VizError` with the names there are, and with what is wrong with plug-ins."""
    if name in _own_methods():  # no plug-in is imported, nor complained of, for a method that is ours
        return _own_methods()[name]
    if name not in methods():
        raise VizError("There is no method '{name}'.", choices(name, methods(), GROUP), name=name)
    return methods()[name]


def _from_plugin(given: object) -> dict[str, Method]:
    """The methods that an entry point names. Raises `VizError` where the page could not make controls of them."""
    found = made_in(given, Method)
    if not found:
        raise VizError("Expected a function with @method, or a module that has one; got {got}.", got=repr(given))
    for one in found.values():
        for name, parameter in one.parameters.items():
            if parameter.default is inspect.Parameter.empty or not is_control(parameter.annotation):
                raise VizError(
                    "The setting '{name}' of {method} needs a default and a type: int, float, bool or Literal.",
                    name=name,
                    method=one.name,
                )
        one.unit({name: parameter.default for name, parameter in one.parameters.items()})
    return found


def _is_integer(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)
