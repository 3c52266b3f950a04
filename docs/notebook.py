"""Make docs/notebook.ipynb, from the cells below: `python docs/notebook.py`. Without outputs; tests/whole/process runs it.

With `--run` its outputs are written, too, beside it (docs/notebook.run.ipynb, not kept in the tree): 3 MB.
"""

import argparse
import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
FILE = HERE / "notebook.ipynb"

CELLS = (
    (
        "words",
        """\
# vizapp in a notebook

Where does a Vision Transformer look? Everything here runs without a network: a small transformer comes with vizapp.""",
    ),
    (
        "code",
        """\
import vizapp
from vizapp.model.toy.lessons import LESSONS

scene = LESSONS["clutter"].example(16, 448)  # a drawn scene; scene.objects says where things are
seen = vizapp.analyse(vizapp.load("toy"), scene.picture)
seen""",
    ),
    (
        "words",
        """\
The cell above is live: point at a patch, choose a layer, a head, rollout. To stay small it has each head of what the
classifier reads, and of any other patch the mean of the heads. With `vizapp.show(seen, size="full")` it has everything.

## A network of your own

Any timm or torchvision network, or a module of your own, is looked at as it is. vizapp finds its attention
and tests that it is whole.""",
    ),
    (
        "code",
        """\
import timm

net = timm.create_model("vit_tiny_patch16_224", pretrained=False, num_classes=10, depth=4).eval()
vizapp.check(net)""",
    ),
    (
        "code",
        """\
own = vizapp.analyse(net, scene.picture)
own.trace.layers[2].map(head=1).shape  # attention of one head, (query, key)""",
    ),
    (
        "words",
        """\
## A figure""",
    ),
    (
        "code",
        """\
%matplotlib inline
vizapp.grid([seen], ["attention", "rollout", "chefer"])""",
    ),
    (
        "words",
        """\
## A comparison

Which patches would the answer miss? Patches are taken away in the order of each map (deletion) or given back (insertion).""",
    ),
    (
        "code",
        """\
vizapp.compare(seen, ["attention", "rollout", "chefer"], steps=7)""",
    ),
    (
        "words",
        """\
## Statistics

What each head does, in numbers: how wide it looks, how far, and how much of it lies on the object.""",
    ),
    (
        "code",
        """\
rows = vizapp.head_statistics(seen, mask=scene.objects[0].mask)
print(*rows[0], sep=", ")
best = max(rows, key=lambda row: row["on_mask"])
best""",
    ),
)


def cells() -> list[dict[str, Any]]:
    """As a notebook's file has them."""
    made: list[dict[str, Any]] = []
    for number, (kind, text) in enumerate(CELLS):
        is_code = kind == "code"
        cell: dict[str, Any] = {"cell_type": "code" if is_code else "markdown", "id": f"cell-{number}", "metadata": {}}
        made.append(cell | {"source": text} | ({"execution_count": None, "outputs": []} if is_code else {}))
    return made


def notebook() -> str:
    """The file's text."""
    about = {
        "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
        "language_info": {"name": "python"},
    }
    return json.dumps({"cells": cells(), "metadata": about, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--run", action="store_true", help="write one with its outputs, too")
    FILE.write_text(notebook(), "utf-8")
    if given.parse_args().run:
        import nbformat
        from nbclient import NotebookClient

        made = nbformat.read(FILE, 4)
        NotebookClient(made, timeout=300).execute()
        nbformat.write(made, FILE.with_suffix(".run.ipynb"))


if __name__ == "__main__":
    main()
