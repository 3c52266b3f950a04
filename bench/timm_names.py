"""The networks of timm that attend, for the model field of the page:  python -m bench.timm_names  writes assets/timm.csv.

Those that bench/coverage.py counts, which it finds without running them. Three minutes; when timm is updated.
"""

import csv
import sys
from pathlib import Path

import timm
import torch

from bench.coverage import attention_modules
from bench.coverage_table import OTHER

TABLE = Path(__file__).parents[1] / "assets" / "timm.csv"


def row(name: str) -> tuple[str, float, str] | None:
    """(name, millions of parameters, repository of its weights or ""); None if it does not attend."""
    with torch.device("meta"):
        net = timm.create_model(name)
    if all(module in OTHER for module in attention_modules(net)):
        return None
    known = timm.models.get_pretrained_cfg(name, allow_unregistered=True)
    repository = getattr(known, "hf_hub_id", None) or ""
    return name, round(sum(one.numel() for one in net.parameters()) / 1e6, 1), repository.partition("@")[0]


def main() -> None:
    names = timm.list_models()
    rows = []
    for number, name in enumerate(names, 1):
        print(f"\r{number}/{len(names)} {name:60}", end="", file=sys.stderr)
        if found := row(name):
            rows.append(found)
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([("name", "millions", "weights"), *rows])
    print(f"\n{TABLE}: {len(rows)} networks", file=sys.stderr)


if __name__ == "__main__":
    main()
