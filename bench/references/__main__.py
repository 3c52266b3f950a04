"""Hold methods against their references, write docs/references.json, and docs/methods.md with it:

python -m bench.references            every method
python -m bench.references NAME ...   these; the rows of the others stay
"""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

import vizapp
from bench.precision import DEIT
from bench.references.seen import references
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
    parser.add_argument("methods", nargs="*", metavar="NAME")
    parser.add_argument("--deit", type=Path, default=DEIT, help="the weights of timm's deit_tiny_patch16_224")
    parser.add_argument("--pictures", type=int, default=3)
    asked = parser.parse_args()
    found = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    for name in ("toy", "DeiT-Ti"):
        if name == "DeiT-Ti" and not asked.deit.exists():
            print(f"{name} stays as it was: its weights are not here, name them with --deit", file=sys.stderr)
            continue
        print(f"{name} ...", file=sys.stderr, flush=True)
        model = (
            vizapp.load("toy")
            if name == "toy"
            else as_ours(vizapp.load(f"file:{asked.deit}?arch=deit_tiny_patch16_224"))
        )
        rows = table(model, asked.pictures, tuple(asked.methods))
        kept = [one for one in found[name]["rows"] if one["method"] not in asked.methods] if asked.methods else []
        # In the order of the references, as the test has them.
        order = [(one.method, dict(one.settings), one.title) for one in references()]
        rows = sorted([*kept, *rows], key=lambda one: order.index((one["method"], one["settings"], one["title"])))
        found[name] = {"pictures": asked.pictures, "rows": rows}
        FILE.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    PAGE.write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
