"""Nothing moves under the mouse: whichever patch is pointed at, all that stands beside the picture stays where it is."""

from typing import Any

import pytest

from support.viz import Viz

LONG = "a class with a name as long as people give to their own, and to those of large data sets"
NAMES = ("direction", "chips", "layer-strip", "head-strip", "model", "prediction", "doors", "foot", "canvas-box")

# The places of parts, by name: one box each if it stays while all patches are pointed at. A patch is held first, if asked for.
PLACES = """(() => {
  const [names, label, isHeld] = argument, [rows, cols] = view.here.queries.grid, found = {};
  payload.top[0][0] = label || payload.top[0][0];
  const cells = Array.from({ length: rows * cols }, (_, i) => view.placeOf([Math.floor(i / cols), i % cols]));
  state.set({ hover: null, place: isHeld ? cells.at(-1) : null, pinned: isHeld });
  for (const hover of [null, ...cells]) {
    state.set({ hover });
    viewer.paint(hover !== null);
    for (const name of names) {
      const { left, top, width, height } = find(name).getBoundingClientRect();
      (found[name] ??= new Set()).add([left, top, width, height].map(Math.round).join(" "));
    }
  }
  return Object.fromEntries(Object.entries(found).map(([name, boxes]) => [name, [...boxes]]));
})()"""


@pytest.mark.parametrize(
    ("link", "size"),
    [("", (1280, 800)), ("", (390, 844)), ("#v=1&picture=lesson/clutter/16&model=toy", (1100, 800))],  # lines are short
)
def test_nothing_moves_while_patches_are_pointed_at(visit: Any, link: str, size: tuple[int, int]) -> None:
    """Nor where shares have few digits and many, as those of the toy have."""
    touch = {"is_mobile": True, "has_touch": True} if size[0] < 500 else {}
    viz: Viz = visit(link, viewport={"width": size[0], "height": size[1]}, **touch)
    viz.idle()
    for label, is_held in (("", False), (LONG, False), ("", True)):
        found = viz.js(PLACES, [NAMES, label, is_held])
        assert set(found) == set(NAMES)
        assert not {name: boxes for name, boxes in found.items() if len(boxes) > 1}, (label, is_held)
