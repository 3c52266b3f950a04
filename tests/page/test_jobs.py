"""The processor's places, as threads find them."""

from collections.abc import Callable
from typing import Any

import pytest

from support.queue_jobs import SMALL, Ear, hold
from support.waiting import patience, until
from vizapp.ui.jobs import Job, Processor, Stopped
from vizapp.ui.limits import Full


def test_a_session_an_address_and_all_have_places(start: Callable[..., Any]) -> None:
    processor = Processor(SMALL, look=0.02)
    held = hold(processor, start, [Ear("a", "near"), Ear("a", "near")])
    with pytest.raises(Full, match="This page waits for too many"):
        processor.run(Job(asker=Ear("a", "near").asker), lambda: None)
    held += hold(processor, start, [Ear("b", "near"), Ear("c", "near")])
    with pytest.raises(Full, match="Too many visitors of your network wait for this computer: 4"):
        processor.run(Job(asker=Ear("d", "near").asker), lambda: None)
    held += hold(processor, start, [Ear("e", "far")])
    assert processor.has_room()
    held += hold(processor, start, [Ear("f", "far")])
    assert not processor.has_room()
    with pytest.raises(Full, match="Too many visitors wait for this computer: 6"):
        processor.run(Job(asker=Ear("g", "elsewhere").asker), lambda: None)
    for one in held:
        one.finish()
    until(processor.has_room)


def test_the_unheard_take_no_places_and_the_oldest_goes_first(start: Callable[..., Any]) -> None:
    """33 runs without a listener locked everybody out for a minute."""
    processor, futures = Processor(SMALL, look=0.02, grace=1e6), []
    for number in range(33):
        futures.append(start(processor, lambda: None, asker=Ear(str(number), listens=False).asker)[0])
        until(lambda number=number: processor._numbers.__reduce__()[1][0] == number + 1)
    for one in futures[:30]:
        with pytest.raises(Stopped, match="unheard"):
            one.result(patience())
    assert not any(one.done() for one in futures[30:])
    assert processor.has_room()
    assert processor.run(Job(asker=Ear("new", "near").asker), lambda: "map") == "map"
    processor.end("left", lambda job: True)
