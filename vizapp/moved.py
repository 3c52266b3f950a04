"""Modules by the names that they had before: `import vizapp.taught` goes on working for one version, and warns.

What is handed over is the module itself, so that a class is the same by both names. Nothing of vizapp uses an old name.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

MOVED = {
    "vizapp.browser.written": "vizapp.browser.network_parts",
    "vizapp.captions": "vizapp.pipeline.captions",
    "vizapp.comparison": "vizapp.pipeline.comparison",
    "vizapp.core.capture.arrange": "vizapp.core.capture.patches.arrange",
    "vizapp.core.capture.places": "vizapp.core.capture.patches.coordinates",
    "vizapp.core.checkpoint": "vizapp.core.pauses",
    "vizapp.footage": "vizapp.picture.frames",
    "vizapp.data.run": "vizapp.data.evaluation",
    "vizapp.forgetting": "vizapp.pipeline.sanity",
    "vizapp.many": "vizapp.pipeline.batches",
    "vizapp.model.own": "vizapp.model.own_network",
    "vizapp.notebook": "vizapp.analysis.notebook",
    "vizapp.step_by_step": "vizapp.pipeline.step_by_step",
    "vizapp.taught": "vizapp.pipeline.teaching",
    "vizapp.ui.line": "vizapp.ui.heartbeat",
    "vizapp.ui.shown": "vizapp.ui.errors",
}


class FormerNames(MetaPathFinder, Loader):
    """The last of Python's finders: it is asked for what no other has found."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(fullname, self) if fullname in MOVED else None

    def exec_module(self, module: ModuleType) -> None:
        """Put the module that is meant in the place of the empty one, which Python then hands over."""
        old, now = module.__name__, MOVED[module.__name__]
        warnings.warn(f"{old} is called {now} now; the old name goes with the next version.", DeprecationWarning, 2)
        sys.modules[old] = importlib.import_module(now)


sys.meta_path.append(FormerNames())
