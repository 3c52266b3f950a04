"""Answers all questions of the browser, ask(kind, run, what), by the files of answers/."""

from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

from vizapp.registry import modules_in
from vizapp.ui.jobs import PROCESSOR, Job, Stopped
from vizapp.ui.limits import Full
from vizapp.ui.server.visitor import asker
from vizapp.ui.terminal import tell_slip
from vizapp.ui.viewer import answers
from vizapp.ui.viewer.run import Run, keep
from vizapp.ui.words import Words

Door = Callable[[Any], dict[str, Any]]
LONGEST_NAME = 100


@cache
def kinds() -> dict[str, ModuleType]:
    """The file of answers/ for each kind of question."""
    return modules_in(answers.__name__)


def remember(run: Run) -> None:
    """Keep how these maps can be made again, and what single answers need beside it."""
    keep(run)
    for kind in kinds().values():
        if hasattr(kind, "remember"):
            kind.remember(run)


def door(words: Words) -> Door:
    """The function that a page offers to its browser: [kind, run, what] -> an answer in these words; {} for malformed questions.

    {"full": True} means that the queue is full; the browser asks again.
    [kind, run, what, "unasked"] is a question of the page that no visitor waits for. It is computed when the processor is idle,
    and dropped, {"dropped": True}, as soon as another job would have to wait for it.
    """

    def ask(asked: Any) -> dict[str, Any]:
        if not isinstance(asked, list | tuple) or len(asked) not in (3, 4):
            return {}
        kind, run, what, *how = asked
        is_spare = how == ["unasked"]
        if not isinstance(kind, str) or kind not in kinds() or (how and not is_spare):
            return {}
        if not isinstance(run, str) or len(run) > LONGEST_NAME:
            return {}
        who = asker()
        if is_spare and who.session:  # a page's new question replaces its earlier one
            PROCESSOR.end("replaced", lambda job: job.priority == "spare" and job.asker.session == who.session)
        try:
            # Questions queue like maps, after them, because they need the processor, too.
            job = Job(priority="spare" if is_spare else "ask", asker=who)
            return PROCESSOR.run(job, lambda: kinds()[kind].answer(run, what, words))
        except Full:
            return {"dropped": True} if is_spare else {"full": True}
        except Stopped:  # nobody waits for it any more
            return {}
        except Exception:  # the browser only learns that there was an error, so it is logged here
            tell_slip()
            return {}

    return ask
