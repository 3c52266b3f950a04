"""Wrong arguments of public functions are said in words. Found by tests/support/fuzz/calls.py."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
import torch

import vizapp
from support.networks import small_vit
from support.together import together
from vizapp.arguments import _fits, in_words
from vizapp.errors import VizError


@together(
    ("call", "said"),
    [
        (lambda seen: vizapp.explain(3, "rollout"), "explain takes seen as Analysis, but got int: 3."),
        (lambda seen: vizapp.explain(3, 4), "4 is no method"),  # said by the function itself
        (
            lambda seen: vizapp.compare(seen.context.model.net),
            "got ViT: ViT( .... vizapp.analyse(model, picture) makes one.",
        ),
        (lambda seen: vizapp.analyse("toy", 5), "A picture was expected, but got int."),
        (
            lambda seen: vizapp.analyse(seen.context.model, seen.picture, truth=3),
            "analyse takes truth as Sequence of Truth",
        ),
        (lambda seen: vizapp.open(5), "open takes path as str or path, but got int: 5."),
        (lambda seen: vizapp.open("a" * 300), "There is no file 'aaa"),
        (lambda seen: vizapp.open("~nosuch/a"), "There is no file '~nosuch/a'"),
        (lambda seen: vizapp.measure("toy", "a" * 300), "There is no set 'aaa"),
        (lambda seen: vizapp.measure("toy", "one", masks="a" * 300), "There is no folder of masks 'aaa"),
        (lambda seen: seen.on_picture((2**63, 1)), "There is no grid of 9223372036854775808 x 1 patches"),  # hung
        (lambda seen: vizapp.load(["toy"]), "load takes name as str, but got list"),
        (lambda seen: vizapp.find_sinks("x"), "find_sinks takes seen as Analysis"),
        (
            lambda seen: vizapp.leave_out(seen, np.array(3)),
            "leave_out takes patches as Iterable of Sink or tuple of int, int",
        ),
        (
            lambda seen: vizapp.compare(seen, settings=[1]),
            "compare takes settings as Mapping of str, Mapping of str, Any",
        ),
        (
            lambda seen: vizapp.sanity(seen, ["rollout"], on_progress=3),
            "sanity takes on_progress as a function, but got int",
        ),
        (
            lambda seen: list(vizapp.analyse_many("toy", [], batch="x")),
            "analyse_many takes batch as int, but got str: 'x'.",
        ),
        (lambda seen: list(vizapp.explain_many("abc")), "explain_many takes analyses as Iterable of Analysis"),
        (lambda seen: vizapp.Style(colour_map=[3]), "Style takes colour_map as str or None, but got list: [3]."),
        (lambda seen: vizapp.Preprocess((32, 32), crop="all"), "Preprocess takes crop as float, but got str: 'all'."),
        (lambda seen: seen.top("many"), "Analysis.best takes k as int, but got str: 'many'."),
        (lambda seen: seen.save(3), "Analysis.save takes path as str or path, but got int: 3."),
        (lambda seen: vizapp.plot(seen, vizapp.explain(seen), ax=3), "3 are no axes of matplotlib."),
        (lambda seen: vizapp.explain(seen, fusion=np.zeros(3)), "is not possible. Choose one of: mean, max, min"),
        (lambda seen: vizapp.explain(seen, query=np.array([None])), "is no query"),
    ],
)
def test_a_wrong_argument_is_named(call: Callable[..., Any], said: str, picture: np.ndarray) -> None:
    seen = vizapp.analyse(small_vit(), picture)
    with pytest.raises(VizError) as caught:
        call(seen)
    assert said in str(caught.value)
    assert caught.value.hint


def test_numbers_as_large_as_any_are_seeds(picture: np.ndarray) -> None:
    seen = vizapp.analyse(small_vit(), picture)
    for seed in (-1, 10**400):
        assert vizapp.sanity(seen, ["rollout"], seed=seed).stages


def test_a_batch_may_be_larger_than_any(picture: np.ndarray) -> None:
    seen = list(vizapp.analyse_many(small_vit(), [picture], batch=10**400))
    assert len(list(vizapp.explain_many(seen, "chefer", batch=10**400))) == 1


def test_errors_that_are_not_of_an_argument_stay_what_they_are(picture: np.ndarray) -> None:
    """Of a function that was given, of a call that gives too little, and ours."""
    seen = vizapp.analyse(small_vit(), picture)

    def broken(context: Any, query: Any) -> Any:
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        vizapp.explain(seen, broken)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'seen'"):
        vizapp.explain()
    with pytest.raises(ZeroDivisionError):
        in_words(lambda divisor: 1 // divisor)(0)


def test_a_public_function_is_one_object_with_its_own_words() -> None:
    """So that it can be pickled, compared, and read about."""
    assert pickle.loads(pickle.dumps(vizapp.explain)) is vizapp.explain
    assert vizapp.explain.__doc__ == vizapp.pipeline.explain.__doc__
    assert inspect.signature(vizapp.explain) == inspect.signature(vizapp.pipeline.explain)


@together(
    ("value", "hint", "fits"),
    [
        (3, int, True),
        (np.int64(3), int, True),
        (True, int, False),
        (3, float, True),
        ("3", float, False),
        (3, Any, True),
        (None, str | None, True),
        ("a", Literal["a", "b"], True),
        ("c", Literal["a", "b"], False),
        ([], Literal["a"], False),
        ("abc", Sequence[str], True),
        (["a", 3], Sequence[str], False),
        (("a", "b"), Iterable[str], True),
        (torch.zeros(3), Iterable[str], False),
        (np.array(3), Iterable[int], False),
        (iter("ab"), Iterable[int], True),  # to look would be to use it up
        ({"a": 1}, Mapping[str, int], True),
        ({"a": "b"}, Mapping[str, int], False),
        ((1, 2), tuple[int, int], True),
        ((1, 2, 3), tuple[int, int], False),
        ((1, 2, 3), tuple[int, ...], True),
        (Path("a"), Path | str, True),
        (print, Callable[..., None], True),
        (3, Callable[..., None], False),
        (iter("ab"), Iterator[str], True),
    ],
)
def test_what_fits_a_type(value: Any, hint: Any, fits: bool) -> None:
    assert _fits(value, hint) is fits
