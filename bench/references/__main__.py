"""Hold every method against its references, write docs/references.json, and docs/methods.md with it."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace

from bench.precision import DEIT, networks
from bench.references.table import FILE, table
from docs.methods import PAGE, page
from vizapp.model.spec import VisionModel
from vizapp.model.vit import ViT


def as_ours(model: VisionModel) -> VisionModel:
    """DeiT-Ti in our own ViT, which computes the same, in matrices."""
    net = ViT(img_size=224, patch_size=16, num_classes=1000, embed_dim=192, depth=12, num_heads=3)
    net.load_state_dict(model.net.state_dict())
    return replace(model, net=net.eval().requires_grad_(False))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.references", description=__doc__)
    parser.add_argument("--pictures", type=int, default=3)
    asked = parser.parse_args()
    found = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    for name in ("toy", "DeiT-Ti"):
        if name == "DeiT-Ti" and not DEIT.exists():
            print(f"{name} stays as it was: its weights are not here", file=sys.stderr)
            continue
        print(f"{name} ...", file=sys.stderr, flush=True)
        model = networks()[name]()
        found[name] = {
            "pictures": asked.pictures,
            "rows": table(model if name == "toy" else as_ours(model), asked.pictures),
        }
        FILE.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    PAGE.write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
