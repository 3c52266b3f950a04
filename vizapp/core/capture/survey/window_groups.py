"""Find calls that are the windows of one layer, which a network computes one after the other (Qwen2.5-VL's tower).

Such a call has some of the patches, and asks only of these; all calls together have each patch of the picture once. Windows may
differ in size: those that the picture's edge cuts have fewer patches.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

import torch
from torch import Tensor

from vizapp.core.capture.patches.axis_layout import AxisLayout
from vizapp.core.capture.patches.planes import STEP
from vizapp.core.capture.patches.token_grid import NO_GRID, covered, grid_of, spots_of
from vizapp.core.capture.survey.followed_pass import FoundCall


def windows_in(found: Mapping[str, FoundCall], extent: tuple[int, int]) -> dict[str, AxisLayout]:
    """Read the calls of a pass that are windows of one layer, by title, on the one grid that their patches form.

    extent  (height, width) of the picture in model pixels
    """
    windows: dict[str, AxisLayout] = {}
    for titles in _runs(found):
        windows |= _on_one_grid({title: found[title] for title in titles}, extent)
    return windows


def _runs(found: Mapping[str, FoundCall]) -> list[list[str]]:
    """List the titles of calls of one module that follow each other, and have no patch in common."""
    runs, places = list[list[str]](), torch.zeros(0, 2)
    # In the order in which they ran, since the windows of one layer follow each other.
    ordered = sorted(found, key=lambda title: found[title].axes.number)
    for before, title in pairwise(["", *ordered]):
        own = _patches(found[title])
        if own is None:
            places = torch.zeros(0, 2)
            continue
        goes_on = (
            len(places) and runs[-1][-1] == before and _stand_side_by_side(found[before], found[title], before, title)
        )
        # A patch that comes again belongs to the next layer, which the same module may compute.
        runs[-1].append(title) if goes_on and not _overlap(places, own) else runs.append([title])
        places = torch.cat([places, own]) if len(runs[-1]) > 1 else own
    return [one for one in runs if len(one) > 1]


def _patches(one: FoundCall) -> Tensor | None:
    """Give (token, 2) the places of a call that asks of its own patches, and of nothing else; None for any other call."""
    axes = one.axes
    if (
        axes.kind not in {"tokens", "scattered"}
        or axes.windows
        or axes.folded != (1, 1)
        or axes.sides.values != "followed"
    ):
        return None
    # Where it asks for other patches than its own (a halo, reduced keys), its windows are no parts of one grid.
    if one.queries is None or one.keys is None or one.shape.n_queries != one.shape.n_keys:
        return None
    queries, keys = (places.reshape(-1, *places.shape[-2:])[0].cpu().float() for places in (one.queries, one.keys))
    same = (
        queries.shape == keys.shape and bool(queries.isfinite().all()) and bool(((queries - keys).abs() < STEP).all())
    )
    return queries if same else None


def _stand_side_by_side(one: FoundCall, other: FoundCall, title: str, next_title: str) -> bool:
    return (
        title.partition("#")[0] == next_title.partition("#")[0]
        and one.axes.number + 1 == other.axes.number
        and one.shape.lead == other.shape.lead
        and one.axes.heads == other.axes.heads
        and one.axes.built_on == other.axes.built_on
    )


def _overlap(places: Tensor, own: Tensor) -> bool:
    return bool((torch.cdist(own, places, p=torch.inf) < STEP).any())


def _on_one_grid(calls: Mapping[str, FoundCall], extent: tuple[int, int]) -> dict[str, AxisLayout]:
    """Read each call on the grid of all of them; {} if they form none, or do not have each of its patches once."""
    own = [places for one in calls.values() if (places := _patches(one)) is not None]
    every = torch.cat(own)[None]
    # Values tell padding from learned tokens; here each token has a place, so zeros will do.
    layout, tokens = grid_of(every, (), extent, every.new_zeros(1, every.shape[1], 1))
    if layout == NO_GRID or layout.n_prefix or not torch.equal(tokens[0].sort().values, torch.arange(layout.n_tokens)):
        return {}
    covers, begins = covered(every, layout)
    spots, nowhere = spots_of(every, tokens, layout), torch.full((1, 1), -1)
    parts = tokens.split([len(places) for places in own], 1)
    return {
        title: replace(
            one.axes,
            kind="tokens",
            queries=part,
            keys=part,
            layout=layout,
            key_layout=layout,
            covers=covers,
            begins=begins,
            spots=spots,
            # Not known yet: windows are joined, and may be put in order, before they are added to the stream (`in_stream`).
            stream=nowhere,
            is_part=True,
        )
        for (title, one), part in zip(calls.items(), parts, strict=True)
    }


def layers_in(
    layouts: Mapping[str, AxisLayout],
) -> tuple[dict[str, AxisLayout], dict[str, tuple[str, ...]]]:
    """Choose the windows of each layer, by the title of the first, where every pass has read all of them alike.

    Gives how each call is read now, too: a window alone is no layer, for its patches do not cover the picture.
    """
    found, groups = dict(layouts), dict[str, tuple[str, ...]]()
    for run in _layers_of_parts(layouts):
        # One window that moves from picture to picture, say, makes the whole layer one that cannot be shown.
        amiss = [layouts[title].kind for title in run if layouts[title].kind != "tokens"]
        tokens = {token for title in run for token in layouts[title].queries.flatten().tolist()}
        if not amiss and len(tokens) == layouts[run[0]].layout.n_tokens:
            groups[run[0]] = tuple(run)
            continue
        why = amiss[0] if amiss else "scattered"
        found |= {title: replace(layouts[title], kind=why) for title in run if layouts[title].kind == "tokens"}
    return found, groups


def _layers_of_parts(layouts: Mapping[str, AxisLayout]) -> list[list[str]]:
    """List the windows that follow each other in one module, up to where a patch comes again."""
    runs, seen = list[list[str]](), set[int]()
    for title in sorted((one for one in layouts if layouts[one].is_part), key=lambda one: layouts[one].number):
        tokens = set(layouts[title].queries.flatten().tolist())
        goes_on = runs and runs[-1][0].partition("#")[0] == title.partition("#")[0] and not tokens & seen
        runs[-1].append(title) if goes_on else runs.append([title])
        seen = seen | tokens if goes_on else tokens
    return runs
