"""Each cell lies where its patch looks: shown by pixels that are changed one by one, in painting, scores, hiding and files."""

import json
from pathlib import Path

import numpy as np
import pytest
import timm
import torch
from torch import nn

import vizapp
from support import odd
from support.networks import MIDDLE, sharpen, small_vit
from support.padded import CUTS, SIDE, net_of, noise, seen_by, seen_of, told
from vizapp.analysis import Analysis, Truth
from vizapp.analysis.record import made_from
from vizapp.core.attention.cells import Cells
from vizapp.core.methods.rise import random_masks
from vizapp.core.metrics import cover
from vizapp.errors import VizError
from vizapp.model.preprocess import Preprocess
from vizapp.pipeline.as_json import explained
from vizapp.pipeline.step_by_step import embedding
from vizapp.render.overlay import Style, overlay

UNEVEN = ["vitpose", "overlapping", "dilated", "a rest", "stem"]
NO_RIM = "nothing is painted there"


def cells_of(seen: Analysis) -> Cells:
    return seen.trace.cells or Cells.even(seen.trace.layout.grid, (SIDE, SIDE))


@pytest.mark.parametrize("which", [*CUTS, "stem"])
def test_a_cell_lies_around_the_middle_of_what_its_patch_sees(which: str) -> None:
    """One bright line goes down, another to the right: which rows and columns of patches change before the first block?"""
    seen, lines = seen_by(which), told(net_of(which))
    cells = cells_of(seen)
    assert tuple(map(len, lines)) == cells.grid
    for axis, changed in enumerate(lines):
        for number, line in enumerate(changed):
            if line.sum() < changed.sum(1).max():
                continue  # what it sees is cut off by the picture
            first, last = np.flatnonzero(line)[[0, -1]]
            at = (0, number) if axis else (number, 0)
            box = cells.box(*at)
            assert sum(box[1 - axis :: 2]) == first + last + 1
            assert cells.sees is None or cells.sees[axis] == last + 1 - first
            assert seen.frame.box_of(*at, cells.grid) == box
        if cells.sees is None:
            assert changed.sum(1).max() == cells.step[axis], "nothing is said of plain patches"
    # What nobody sees is said, and only that.
    said = " ".join(map(str, seen.notes))
    assert (NO_RIM in said) == (which in UNEVEN)
    if which in ("vitpose", "a rest"):
        bottom, right = (int((~changed.any(0)).sum()) for changed in lines)
        assert all(changed[:, : SIDE - bottom].any(0).all() for changed in lines)
        assert f"Pixels: bottom {bottom}, right {right}." in said
        assert "No patch sees the rim" in said
    assert ("Patches overlap" in said) == (which in ("overlapping", "overlapping evenly", "stem"))


def test_of_plain_patches_nothing_changes() -> None:
    seen = seen_by("plain")
    assert (seen.trace.places, seen.trace.cells, seen.notes) == ((), None, ())
    assert (seen.frame.input, seen.frame.origin) == ((SIDE, SIDE), (0, 0))


@pytest.mark.parametrize("which", UNEVEN)
def test_each_pixel_is_painted_with_its_patch_and_the_rim_with_none(which: str) -> None:
    seen = seen_by(which)
    cells = cells_of(seen)
    values = np.arange(1, cells.grid[0] * cells.grid[1] + 1).reshape(cells.grid)
    painted = overlay(seen.picture, seen.frame, values, Style(opacity=1, alpha="constant"))
    colour = {}
    for y in range(SIDE):
        for x in range(SIDE):
            at = cells.at(y + 0.5, x + 0.5)
            assert seen.frame.patch_at(x + 0.5, y + 0.5, cells.grid) == at
            if at is None:
                assert len(set(painted[y, x])) == 1, "it is grey"
            else:
                assert colour.setdefault(at, tuple(painted[y, x])) == tuple(painted[y, x])
    assert len(colour) == cells.grid[0] * cells.grid[1]


def test_the_score_of_a_map_is_measured_on_what_patches_see() -> None:
    """A thing that fills what one patch of ViTPose sees is that patch, and no other."""
    seen = seen_by("vitpose")
    mask = np.zeros((SIDE, SIDE), bool)
    mask[8 * 3 - 2 : 8 * 4 - 2, 8 * 5 - 2 : 8 * 6 - 2] = True
    expected = np.zeros((8, 8))
    expected[3, 5] = 1
    np.testing.assert_array_equal(cover(seen.frame.mask_of(mask), (8, 8)), expected)
    mask[-2:] = True  # which no patch sees
    np.testing.assert_array_equal(cover(seen.frame.mask_of(mask), (8, 8)), expected)


@pytest.mark.parametrize("which", ["vitpose", "a rest", "overlapping"])
def test_a_hidden_patch_is_what_it_sees(which: str) -> None:
    pytest.importorskip("captum", reason="captum is an extra: pip install vizapp[methods]")
    net, seen = net_of(which), seen_by(which)
    context = seen.of_class("b")
    pixels, cells = context.pixels, cells_of(seen)
    rows, cols = cells.grid
    gradient, occluded = np.zeros(cells.grid), np.zeros(cells.grid)
    given = pixels.clone().requires_grad_(True)
    with torch.enable_grad():
        (slope,) = torch.autograd.grad(net(given)[0, 1], given)
    product = (slope * pixels)[0].sum(0).double()
    some = [(0, 0), (rows - 1, cols - 1), (2, 4)]
    for row, col in some:
        left, top, right, bottom = cells.box(row, col)
        for y in range(SIDE):
            for x in range(SIDE):
                part = max(0, min(bottom, y + 1) - max(top, y)) * max(0, min(right, x + 1) - max(left, x))
                gradient[row, col] += part * float(product[y, x])
        middles = torch.arange(SIDE) + 0.5
        inside = ((middles >= top) & (middles < bottom))[:, None] & (middles >= left) & (middles < right)
        without = torch.where(inside, pixels.mean((2, 3), keepdim=True), pixels)
        with torch.no_grad():
            occluded[row, col] = float((net(pixels) - net(without))[0, 1])
    at = tuple(np.array(some).T)
    for method, wanted in (("input_gradient", gradient), ("occlusion", occluded)):
        found = vizapp.explain(seen, method, target="b").scores
        np.testing.assert_allclose(found[at], wanted[at], rtol=0, atol=1e-5, err_msg=method)


@pytest.mark.parametrize("which", UNEVEN)
def test_curves_begin_with_the_picture_and_end_without_it(which: str) -> None:
    """Patch by patch: each pixel goes with the patch in whose cell it lies, and at the end all are gone."""
    seen = seen_by(which)
    context, cells = seen.of_class("b"), cells_of(seen)
    found = vizapp.compare(seen, ["centre"], target="b", steps=2).curves["centre"]
    pixels = context.pixels
    owners = cells.owners()
    assert owners.unique().tolist() == list(range(cells.grid[0] * cells.grid[1]))
    empty = pixels.mean((2, 3), keepdim=True).expand_as(pixels)
    scores = vizapp.explain(seen, "centre").scores
    half = np.argsort(-scores.ravel(), kind="stable")[: round(scores.size / 2)]
    gone = torch.isin(owners, torch.from_numpy(half))
    net = context.model.net
    with torch.no_grad():
        ends = [net(one).softmax(-1)[0, 1] for one in (pixels, torch.where(gone, empty, pixels), empty)]
    np.testing.assert_allclose(found.deletion, np.array(ends), atol=1e-6)


def test_masks_of_rise_are_weighed_where_patches_look() -> None:
    seen = seen_by("vitpose")
    context = seen.of_class("b")
    masks = random_masks(4, (SIDE, SIDE), 5, 0.5, torch.Generator().manual_seed(0))
    expected = np.zeros((8, 8))
    for mask in masks:
        with torch.no_grad():
            share = float(context.model.net(context.pixels * mask).softmax(-1)[0, 1])
        for row in range(8):
            for col in range(8):
                top, left = max(0, 8 * row - 2), max(0, 8 * col - 2)
                shown = float(mask[0, top : 8 * row + 6, left : 8 * col + 6].mean())
                expected[row, col] += share * shown / (4 * 0.5)
    found = vizapp.explain(seen, "rise", target="b", masks=4, cells=5).scores
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_files_have_the_same_cells(tmp_path: Path) -> None:
    seen = seen_by("vitpose")
    seen.save(tmp_path / "it.vizapp")
    again = vizapp.open(tmp_path / "it.vizapp")
    assert (again.frame, again.notes, again.trace.places) == (seen.frame, seen.notes, seen.trace.places)
    assert again.trace.cells == seen.trace.cells
    vizapp.save(seen, vizapp.explain(seen, "attention"), tmp_path / "map.npz")
    with np.load(tmp_path / "map.npz") as saved:
        about = json.loads(str(saved["about"]))
    assert about["frame"] == {"picture": [64, 64], "input": [64, 64], "scale": [1, 1], "origin": [-2, -2]}
    assert NO_RIM in " ".join(about["notes"])
    cells = {"grid": [8, 8], "start": [-2, -2], "step": [8, 8], "picture": [64, 64], "sees": [8, 8]}
    assert about["provenance"]["cells"] == explained(seen, vizapp.explain(seen, "attention"))["cells"] == cells
    plain = seen_by("plain")
    assert "cells" not in made_from(plain)
    assert "cells" not in explained(plain, vizapp.explain(plain, "attention"))


@pytest.mark.parametrize(("row", "col"), [(0, 0), (2, 3), (7, 7)])
def test_the_pixels_of_a_patch_are_those_that_it_sees(row: int, col: int) -> None:
    """Its token is the linear map of them; of the first patch, those that lie on the picture."""
    seen = seen_by("vitpose")
    found = embedding(seen, (row, col))
    top, left = 8 * row - 2, 8 * col - 2
    there = seen.context.pixels[0, :, max(0, top) : top + 8, max(0, left) : left + 8]
    torch.testing.assert_close(found.pixels, there)


def test_a_picture_of_another_shape() -> None:
    """As people are looked for by ViTPose: taller than wide, and enlarged from the user's own picture."""
    net = net_of("vitpose")
    net.pos = nn.Parameter(torch.randn(1, 8 * 6, net.pos.shape[-1]))
    described = vizapp.describe(
        net, preprocess=Preprocess((64, 48), MIDDLE, MIDDLE, fit="squash"), labels=tuple("abcde")
    )
    seen = vizapp.analyse(described, np.zeros((32, 24, 3), np.uint8))
    assert seen.trace.cells == Cells((8, 6), (-2, -2), (8, 8), (64, 48), (8, 8))
    assert seen.frame.box_of(1, 2, (8, 6)) == (7, 3, 11, 7), "half as large as the network's pixels"
    assert seen.frame.patch_at(23.5, 10, (8, 6)) is None


def test_a_plain_network_whose_convolution_was_changed_is_measured() -> None:
    """What a model says of its patches holds for those that are cut side by side."""
    model = small_vit(img_size=64)
    before = vizapp.analyse(model, noise())
    proj = model.net.patch_embed.proj
    model.net.patch_embed.proj = nn.Conv2d(3, proj.out_channels, 8, 8, padding=2)
    sharpen(model.net)
    after = vizapp.analyse(model, noise())
    assert before.trace.places == ()
    assert after.trace.cells == Cells((8, 8), (-2, -2), (8, 8), (64, 64), (8, 8))


def test_layers_that_look_from_different_parts_have_assumed_cells_and_say_so() -> None:
    """Each merging of PVT looks around every second patch, so each grid begins elsewhere."""
    net = timm.create_model("pvt_v2_b0", num_classes=5, depths=(1, 1, 1, 1), embed_dims=(16,) * 4, num_heads=(2,) * 4)
    seen = seen_of(sharpen(net), noise())
    starts = {one.grid: one.start for one in seen.trace.places}
    assert starts == {(16, 16): (-1.5, -1.5), (8, 8): (-3.5, -3.5), (4, 4): (-7.5, -7.5), (2, 2): (-15.5, -15.5)}
    assert seen.trace.cells is None
    assert seen.frame.window == (0, 0, SIDE, SIDE)
    assert "Cells are assumed" in seen.notes[-1]
    assert "15.5 pixels" in seen.notes[-1]
    assert seen.trace[:1].cells == Cells((16, 16), (-1.5, -1.5), (4, 4), (64, 64)), "one grid alone is known"


def test_a_class_token_alone_looks_at_patches_where_they_are() -> None:
    """XCiT's patches weigh channels; they come from four convolutions in a row."""
    net = timm.create_model("xcit_nano_12_p16_224", img_size=SIDE, depth=1, num_classes=5)
    seen = seen_of(sharpen(net), noise())
    assert seen.trace.layers == ()
    assert seen.trace.cells == Cells((4, 4), (-7.5, -7.5), (16, 16), (SIDE, SIDE))
    assert seen.frame.box_of(1, 1, (4, 4)) == (8.5, 8.5, 24.5, 24.5)


class Enlarging(nn.Module):
    """Looks at its pictures enlarged: its patches are cells of no whole number of the pixels that it was given."""

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.net = net

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        return self.net(nn.functional.interpolate(pixels, (56, 56), mode="bilinear"))


@pytest.mark.parametrize("side", [48, 96])
def test_cells_that_are_no_whole_pixels_leave_no_rim(side: int) -> None:
    """Sums of fractions end a hair beside the picture."""
    net = Enlarging(small_vit(img_size=56).net).eval()
    described = vizapp.describe(net, preprocess=Preprocess((side, side), MIDDLE, MIDDLE))
    seen = vizapp.analyse(described, np.zeros((side, side, 3), np.uint8))
    assert seen.trace.layout.grid == (7, 7)
    assert NO_RIM not in " ".join(map(str, seen.notes))


def test_a_map_of_such_cells_is_scored() -> None:
    """By the part of each cell that is object, as it lies on the picture."""
    net = Enlarging(small_vit(img_size=56).net).eval()
    described = vizapp.describe(net, preprocess=Preprocess((48, 48), MIDDLE, MIDDLE), labels=tuple("abcde"))
    mask = np.zeros((480, 480), bool)
    mask[100:300, 50:240] = True
    seen = vizapp.analyse(described, np.zeros((480, 480, 3), np.uint8), truth=[Truth("thing", mask)])
    row, *_ = vizapp.compare(seen, ["rollout"], target="b", steps=0).rows()
    share = np.zeros((7, 7))
    for at in np.ndindex(7, 7):
        (top, bottom), (left, right) = ((one * 480 / 7, (one + 1) * 480 / 7) for one in at)
        share[at] = max(0, min(bottom, 300) - max(top, 100)) * max(0, min(right, 240) - max(left, 50)) / (480 / 7) ** 2
    scores = vizapp.explain(seen, "rollout").scores
    assert row["energy"] == pytest.approx(float((scores * share).sum() / scores.sum()), rel=0.05)
    assert {"lift", "auc", "iou", "pointing"} <= row.keys()
    assert all(np.isfinite(one["on_mask"]) for one in vizapp.head_statistics(seen))


def test_even_cells_are_even_whatever_their_size() -> None:
    for side in range(24, 1025, 7):
        for count in range(2, 61):
            cells = Cells.even((count, 3), (side, 3 * 32))
            assert cells.is_even, (side, count)
            assert cells.notes() == [], (side, count)
            assert not Cells((count, 3), (1 / 8, 0.0), cells.step, cells.picture).is_even


class Padding(nn.Module):
    """Pads the picture at the right to whole patches of 8 pixels."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.embed, self.cls = nn.Conv2d(3, 16, 8, 8), nn.Parameter(torch.randn(1, 1, 16))
        self.pos = nn.Parameter(torch.randn(1, 4 * -(-width // 8) + 1, 16))
        self.block, self.head = odd.Block(odd.Attention), nn.Linear(16, 5)

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        x = self.embed(nn.functional.pad(pixels, (0, -pixels.shape[-1] % 8))).flatten(2).transpose(1, 2)
        return self.head(self.block(torch.cat([self.cls.expand(len(x), -1, -1), x], 1) + self.pos)[:, 0])


@pytest.mark.parametrize("width", [33, 34, 35, 36])
def test_patches_that_see_little_of_the_picture_are_no_learned_tokens(width: int) -> None:
    """The last column sees 1 to 4 pixels, and its middle lies in the padding: it was taken for four learned tokens."""
    torch.manual_seed(0)
    pixels = torch.randn(1, 3, 32, width)
    with pytest.raises(VizError, match=f"pads a picture of 32x{width} pixels"):
        vizapp.analyse(Padding(width).eval(), pixels, preprocess=Preprocess((32, width)))


@pytest.mark.parametrize(("height", "width", "rest"), [(12, 32, "bottom 4"), (32, 15, "right 7")])
def test_a_single_row_or_column_lies_where_it_looks(height: int, width: int, rest: str) -> None:
    """It was spread over the rest as well, since no neighbour tells how far it goes."""
    net = odd.built(odd.Net)
    net.pos = nn.Parameter(torch.randn(1, 4, 16))
    preprocess = Preprocess((height, width))
    seen = vizapp.analyse(net, torch.randn(1, 3, height, width), preprocess=preprocess)
    assert seen.trace.cells == Cells((height // 8, width // 8), (0, 0), (8, 8), (height, width), (8, 8))
    assert any(NO_RIM in note and f"Pixels: {rest}." in note for note in map(str, seen.notes))
