"""Plug-ins of other packages, by entry points, taken one by one: a broken one is reported and takes no other down.

# pyproject.toml of another package          # what it names
[project.entry-points."vizapp.methods"]
far = "my_package.far"                        # something that @method made, or a module with such things
[project.entry-points."vizapp.metrics"]
dice = "my_package.dice:dice"                 # the same with @metric
[project.entry-points."vizapp.models"]
mine = "my_package.models"                    # a module as `vizapp.model.zoo` describes one
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeVar

from vizapp.errors import VizError
from vizapp.wording import Text, alike, listed

Thing = TypeVar("Thing")

_log = logging.getLogger("vizapp")  # without a handler of the program's own, Python prints warnings to stderr
_problems: dict[str, list[Text]] = defaultdict(list)


def with_plugins(own: Mapping[str, Thing], group: str, take: Callable[[Any], Mapping[str, Thing]]) -> dict[str, Thing]:
    """`own` by name, then what the entry points of `group` add.

    take  what an entry point names -> things by name; raises `VizError` for what cannot be used
    Whatever goes wrong is logged as a warning and kept for `problems`; names of `own` and of earlier plug-ins stay theirs.
    """
    found = dict(own)
    _problems.pop(group, None)
    for point in sorted(entry_points(group=group), key=lambda point: (point.name, point.value)):
        try:
            given = take(point.load())
        except (Exception, SystemExit) as error:  # foreign code: anything can happen while it is imported
            why = error.message if isinstance(error, VizError) else _said(error)
            _report(group, Text("The plug-in {plugin} is left out. {why}", plugin=_name(point), why=why))
            continue
        for name, one in given.items():
            if name not in found:
                found[name] = one
            elif found[name] is not one:  # one thing may be named by two entry points
                text = "The plug-in {plugin} has a name that is taken: '{name}'. The first of that name is used."
                _report(group, Text(text, plugin=_name(point), name=name))
    return found


def problems(group: str) -> tuple[Text, ...]:
    """Say what was left out of a group and why, one sentence each; known after the group was read."""
    return tuple(_problems[group])


def choices(typed: str, names: Iterable[str], group: str) -> Text:
    """The hint for a name that nothing of a group has: the names there are, and what is wrong with plug-ins, or what is alike."""
    names, left_out = list(names), problems(group)
    close, every = alike(typed, names), ", ".join(names)
    if left_out:
        return Text("Choose one of: {names}. {problem}", names=every, problem=listed(left_out, " "))
    if close:
        return Text("Did you mean {close}? There are: {names}.", close=", ".join(close), names=every)
    return Text("Choose one of: {names}.", names=every)


def _name(point: EntryPoint) -> Text:
    if not point.dist:
        return Text("'{name}'", name=point.name)
    return Text("'{name}' of {package} {version}", name=point.name, package=point.dist.name, version=point.dist.version)


def _said(error: BaseException) -> Text:
    said = str(error).strip().partition("\n")[0] or Text("no message")
    return Text("{kind}: {error}", kind=type(error).__name__, error=said)


def _report(group: str, problem: Text) -> None:
    _problems[group].append(problem)
    _log.warning("%s", problem)
