"""The one door from the browser to the server: ask(kind, run, what), answered by the files of answers/."""

from __future__ import annotations

import importlib
import pkgutil
import sys
import traceback
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

from vizapp.ui.jobs import PROCESSOR, Job, Stopped
from vizapp.ui.limits import Full
from vizapp.ui.server.visitor import asker
from vizapp.ui.viewer import answers
from vizapp.ui.viewer.run import Run
from vizapp.ui.words import Words

Door = Callable[[Any], dict[str, Any]]
LONGEST_NAME = 100


@cache
def kinds() -> dict[str, ModuleType]:
    """Every file of answers/, by its name: "maps", "proof", "sinks" ..."""
    names = [module.name for module in pkgutil.iter_modules(answers.__path__)]
    return {name: importlib.import_module(f"{answers.__name__}.{name}") for name in names}


def remember(run: Run) -> None:
    """Keep what answers about these maps will need."""
    for kind in kinds().values():
        kind.remember(run)


def door(words: Words) -> Door:
    """The function that a page hands to its browser: [kind, run, what] -> an answer in these words; {} for nonsense.

    {"full": True}: so many others ask that there was no place; the browser asks again.
    [kind, run, what, "unasked"]: no visitor asked, the page would merely like to know. Computed when nothing else is to be
    done, and dropped, {"dropped": True}, before anything else would have to wait for it.
    """

    def ask(asked: Any) -> dict[str, Any]:
        if not isinstance(asked, list | tuple) or len(asked) not in (3, 4):
            return {}
        kind, run, what, *how = asked
        is_spare = how == ["unasked"]
        if not isinstance(kind, str) or kind not in kinds():
            return {}
        if not isinstance(run, str) or len(run) > LONGEST_NAME:
            return {}
        who = asker()
        if is_spare and who.session:  # of one page only the newest
            PROCESSOR.end("replaced", lambda job: job.priority == "spare" and job.asker.session == who.session)
        try:
            # In its turn, after maps: what browsers ask computes, too.
            job = Job(priority="spare" if is_spare else "ask", asker=who)
            return PROCESSOR.run(job, lambda: kinds()[kind].answer(run, what, words))
        except Full:
            return {"dropped": True} if is_spare else {"full": True}
        except Stopped:  # nobody waits for it any more
            return {}
        except Exception:  # the browser hears of exceptions only that there were some; here is where they can be read
            traceback.print_exc(file=sys.stderr)
            return {}

    return ask
