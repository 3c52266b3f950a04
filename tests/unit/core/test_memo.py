"""What is known of a network: made once, also when many ask at once, and let go with the network."""

import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from torch import nn

from support.waiting import patience
from vizapp.core import memo
from vizapp.core.memo import Memo


def test_it_is_made_once_per_network_and_key_also_if_it_is_none() -> None:
    made_before: Memo[list[int]] = Memo()
    one, other = nn.Identity(), nn.Identity()
    assert made_before.known(one, "a") is None
    first = made_before.get(one, "a", lambda: [1])
    assert made_before.get(one, "a", lambda: [2]) is first
    assert made_before.known(one, "a") is first
    assert made_before.get(one, "b", lambda: [3]) == [3]
    assert made_before.get(other, "a", lambda: [4]) == [4]
    made_before: Memo[int | None] = Memo()
    net, made = nn.Identity(), list[int]()
    assert [made_before.get(net, 1, lambda: made.append(1)) for _ in "ab"] == [None, None]
    assert made == [1]


def test_threads_that_ask_meanwhile_wait_for_it() -> None:
    made_before: Memo[object] = Memo()
    net, begun, go_on, made = nn.Identity(), threading.Event(), threading.Event(), list[int]()

    def slowly() -> object:
        made.append(1)
        begun.set()
        assert go_on.wait(patience())
        return object()

    with ThreadPoolExecutor(8) as threads:
        asked = [threads.submit(made_before.get, net, "key", slowly) for _ in range(8)]
        assert begun.wait(patience())
        assert made_before.known(net, "key") is None, "asking what is known does not wait"
        go_on.set()
        found = {id(one.result(patience())) for one in asked}
    assert len(found) == 1
    assert made == [1]


def test_another_key_does_not_wait() -> None:
    made_before: Memo[str] = Memo()
    net, inside = nn.Identity(), list[str]()

    def outer() -> str:
        with ThreadPoolExecutor(1) as threads:  # while this value is being made, another thread asks for others
            inside.append(threads.submit(made_before.get, net, "other", lambda: "other").result(patience()))
            inside.append(
                threads.submit(made_before.get, nn.Identity(), "key", lambda: "of another").result(patience())
            )
        return "made"

    assert made_before.get(net, "key", outer) == "made"
    assert inside == ["other", "of another"]


def test_an_error_is_passed_on_and_forgotten() -> None:
    made_before: Memo[int] = Memo()
    net = nn.Identity()
    with pytest.raises(ZeroDivisionError):
        made_before.get(net, "key", lambda: 1 // 0)
    assert made_before.known(net, "key") is None
    assert made_before.get(net, "key", lambda: 7) == 7


def test_it_does_not_keep_the_network() -> None:
    class Value(list[int]):
        """A list that can be referred to weakly."""

    values: Memo[Value] = Memo()
    net = nn.Linear(2, 2)
    value = weakref.ref(values.get(net, "key", lambda: Value([1])))
    gone = weakref.ref(net)
    assert value() == [1]
    del net
    gc.collect()
    assert gone() is None
    assert value() is None, "what was known goes with its network"


def test_there_is_no_other() -> None:
    """Four hand-made ones had three ideas of threads and of errors."""
    core = Path(memo.__file__).parent
    assert [path.name for path in core.rglob("*.py") if "WeakKeyDictionary" in path.read_text("utf-8")] == ["memo.py"]
