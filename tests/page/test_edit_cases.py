"""Edits of a pass are one contract: each case of edit_cases.json holds for Python and for the browser's engine, in numbers.

A case is a network, a picture, and edits: as they are `typed` for Python, in links and in files, and by their settings, as the
engine is given them. What must hold: that the `map` of the first edit's head "stays" or is "even", and Python's logits and maps;
or that both sides say why not, in which `refused` occurs.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

import vizapp
from support.engine import SMALL, numbers_of, run_node, switched_off, write_numbers
from support.english import EXPORT
from support.families import FAMILIES, family
from support.networks import small_vit
from support.node import needs_node
from support.paths import ROOT
from support.pictures import NOISE
from vizapp.browser.network import pack_network
from vizapp.core.interventions import edits, parse
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel
from vizapp.pipeline import Analysis
from vizapp.vocabulary import EDITS_LACKING, HEAD_OFF_WAYS

CASES: list[dict[str, Any]] = json.loads((ROOT / "tests" / "support" / "edit_cases.json").read_text("utf-8"))
BOUND = 1e-4  # of the largest number; the network travels whole
TOKENS = (0, -1)  # whose maps are compared


@cache
def model_of(network: str) -> VisionModel:
    if network in FAMILIES:
        return family(network, img_size=64, num_classes=5)
    return small_vit(**SMALL[network]) if network in SMALL else vizapp.load(network, "cpu")


def picture_of(name: str) -> np.ndarray | Path:
    return NOISE if name == "noise" else ROOT / "assets" / "examples" / name


@cache
def plainly(network: str, picture: str) -> Analysis:
    return vizapp.analyse(model_of(network), picture_of(picture))


@cache
def means_of(network: str) -> list[Tensor]:
    """What heads write on average, if that were noise."""
    seen, generator = plainly(network, "noise"), torch.Generator().manual_seed(3)
    found = numbers_of(model_of(network), seen.context.pixels)
    return [torch.randn(found[f"v.{at}"].shape, generator=generator) for at in range(len(seen.trace.layers))]


def rows_of(seen: Analysis, layer: int) -> Tensor:
    """(head, token, key) of the tokens that are compared."""
    one = seen.trace.layers[layer]
    return one.rows(torch.tensor(TOKENS) % one.n_queries)


def slips_of(case: dict[str, Any], seen: Analysis) -> list[str]:
    """What does not hold of an edited pass in Python."""
    first, plain = case["edits"][0], plainly(case["network"], case["picture"])
    found, before = (rows_of(one, first["layer"])[first["head"]] for one in (seen, plain))
    wanted = before if case["map"] == "stays" else torch.full_like(found, 1 / found.shape[-1])
    settings = [{name: value for name, value in one.items() if name != "kind"} for one in case["edits"]]
    values = [edits()[one["kind"]](**by) for one, by in zip(case["edits"], settings, strict=True)]
    return [
        *([] if torch.allclose(found, wanted, atol=1e-6) else [f"its map is not {case['map']}"]),
        *([] if not torch.allclose(seen.trace.logits, plain.trace.logits, rtol=1e-3) else ["nothing was done"]),
        *([] if [parse(one) for one in case["typed"]] == values else ["what is typed is not what is set"]),
    ]


def by_python(case: dict[str, Any]) -> tuple[Analysis | None, str]:
    """The edited analysis, or why there is none."""
    try:
        return vizapp.analyse(model_of(case["network"]), picture_of(case["picture"]), edits=case["typed"]), ""
    except VizError as error:
        return None, str(error)


def numbers(case: dict[str, Any], seen: Analysis | None) -> dict[str, Tensor]:
    """What the engine must say; by a hook on the plain network where Python has not that edit."""
    if seen:
        rows = {f"rows.{at}": rows_of(seen, at) for at in range(len(seen.trace.layers))}
        return {"pixels": seen.context.pixels, "logits": seen.trace.logits} | rows
    pixels = plainly(case["network"], case["picture"]).context.pixels
    if "refused" in case:
        return {"pixels": pixels}
    (edit,) = case["edits"]
    mean = means_of(case["network"])[edit["layer"]]
    logits = switched_off(model_of(case["network"]), pixels, edit["layer"], edit["head"], edit["by"], mean)
    return {"pixels": pixels, "logits": logits}


def test_every_case_holds_in_python() -> None:
    slips, lacking = [], set()
    for case in CASES:
        seen, why = by_python(case)
        if seen:
            found = [f"not refused: {case['refused']}"] if "refused" in case else slips_of(case, seen)
        elif "refused" in case:
            found = [] if case["refused"] in why else [f"it says: {why}"]
        else:
            found, edit = [], case["edits"][0]
            lacking.add(f"{edit['kind']}={edit['by']}" if edit["kind"] in edits() else edit["kind"])
        slips += [f"{' '.join(case['typed'])} of {case['network']}: {one}" for one in found]
    assert slips == []
    assert lacking == set(EDITS_LACKING["python"]), "exactly what is declared as lacking is refused"
    held = [edit for case in CASES if "refused" not in case for edit in case["edits"]]
    assert {one["kind"] for one in held} >= edits().keys(), "each edit has a case"
    assert {one.get("by", "zero") for one in held if one["kind"] == "head-off"} == {*HEAD_OFF_WAYS}


@needs_node
def test_every_case_holds_in_the_engine(tmp_path: Path) -> None:
    for network in {case["network"] for case in CASES}:
        means = means_of(network) if any("mean" in str(one) for one in CASES if one["network"] == network) else None
        packed = pack_network(model_of(network), half=False, head_means=means)
        (tmp_path / f"{network}.vzn").write_bytes(packed)
    for index, case in enumerate(CASES):
        write_numbers(tmp_path, f"case-{index}", numbers(case, by_python(case)[0]), bound=BOUND, tokens=TOKENS, **case)
    kinds = sorted({*edits(), *(one for one in EDITS_LACKING["python"] if "=" not in one)})
    about = {"cases": len(CASES), "lacking": EDITS_LACKING["engine"], "kinds": kinds, "words": EXPORT}
    (tmp_path / "about.json").write_text(json.dumps(about), "utf-8")
    run_node(tmp_path, "edits.test.js")
