"""Finds the files of a folder by themselves: a method, a metric, a tab, a verb ... is one file, and no table names it."""

import pkgutil
import sys
from importlib import import_module
from types import ModuleType
from typing import Protocol, TypeVar


class Named(Protocol):
    """A thing with a name of its own."""

    @property
    def name(self) -> str:
        """How it is typed."""


Thing = TypeVar("Thing", bound=Named)


def names_in(package: str) -> tuple[str, ...]:
    """The files of a package in the order of their names, but those whose name begins with `_`."""
    path = sys.modules[package].__path__
    return tuple(one.name for one in pkgutil.iter_modules(path) if not one.name.startswith("_"))


def modules_in(package: str) -> dict[str, ModuleType]:
    """Import the files of a package, in the order of their names."""
    return {name: import_module(f"{package}.{name}") for name in names_in(package)}


def made_in(given: object, kind: type[Thing]) -> dict[str, Thing]:
    """The things of one kind in a module, by their names; or `given` itself, if it is one."""
    found = list(vars(given).values()) if isinstance(given, ModuleType) else [given]
    return {one.name: one for one in found if isinstance(one, kind)}


def things_in(package: str, kind: type[Thing]) -> dict[str, Thing]:
    """The things of one kind in all files of a package, by their names."""
    return {name: one for module in modules_in(package).values() for name, one in made_in(module, kind).items()}
