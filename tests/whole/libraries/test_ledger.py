""" "Exact" stands beside nothing that is partial: networks, known by how each was made."""

from collections.abc import Callable

import timm
from torch import nn

import vizapp
from support.gaps import (
    OTHERS,
    UNDERSTOOD,
    BesideWords,
    Gate,
    Hop,
    Hybrid,
    KeepAttended,
    Mixer,
    Sample,
    in_pieces,
    of,
    threaded,
)
from support.networks import pixels_for, sharpen
from vizapp.core.capture.check import check


def cait() -> nn.Module:
    return sharpen(timm.create_model("cait_xxs24_224", img_size=32, depth=2, num_classes=3))


# Networks, and how many of their attentions nothing shows: known by how each was made.
NETWORKS: dict[str, tuple[Callable[[], nn.Module], int]] = {
    **{f"understood: {how}": (lambda how=how: Hybrid(UNDERSTOOD[how]), 0) for how in UNDERSTOOD},
    # In "features first" learned queries gather what patches hold, which is shown as what it is.
    **{f"other: {how}": (lambda how=how: Hybrid(OTHERS[how]), 1) for how in OTHERS if how != "features first"},
    "in pieces": (lambda: Hybrid(in_pieces(False, True)), 2),
    "lost on the way": (Hop, 1),
    "in a thread": (lambda: threaded(1), 1),
    "beside the picture": (BesideWords, 0),
    "gate": (lambda: Hybrid(between=Gate()), 0),
    "mixer": (lambda: Hybrid(between=Mixer()), 0),
    "drops tokens": (lambda: Hybrid(between=KeepAttended()), 2),
    "samples tokens": (lambda: Hybrid(between=Sample()), 2),
    "class attention (CaiT)": (cait, 0),
}


def test_exact_stands_beside_nothing_that_is_partial() -> None:
    slips = []
    for name, (make, hidden) in NETWORKS.items():
        model = of(make())
        found = check(model, pixels_for(model).double())
        seen = vizapp.analyse(model, pixels_for(model)[0].double())
        lacks = len(seen.ledger.left_out)
        if not found.holds:
            slips.append(f"{name}: {found.verdict}")
        for where, said in (("check", found.verdict == "exact"), ("print", str(seen.ledger.line).startswith("All"))):
            if said != (hidden == 0):
                slips.append(f"{name}: {where} says {found.verdict if where == 'check' else seen.ledger.line}")
        if lacks < hidden or (hidden == 0 and lacks):
            slips.append(
                f"{name}: {hidden} are not shown, the ledger names {[one.name for one in seen.ledger.left_out]}"
            )
        if bool(vizapp.explain(seen, "attention").notes) != bool(hidden):
            slips.append(f"{name}: the sentence beside its map")
    assert slips == []
