"""A fusion is four files, edited by hand: a throw-away one, put into a copy of the tree, works wherever fusions are offered."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from support.bundles import needs_tools
from support.copies import page_of
from support.paths import ROOT

SENTENCES = {
    "median": "Median",
    "median_help": "For each patch the median over the heads",
    "where_median": "Layer {layer}, median of heads",
    "cross_where_median": "Cross attention {block}, median of heads",
    "atlas_median": "median",
    "short_median": "med",
    **{f"legend_{kind}_median": "{share} in half of the heads" for kind in ("from", "to", "window")},
    **{
        f"{what}_{way}_median": "{where}: {name}, {other}: {share} in half of the heads."
        for what in ("status", "read")
        for way in ("from", "to")
    },
}
# File -> where something goes, and what goes there.
EDITS = {
    "vizapp/vocabulary.py": ('Fusion = Literal["mean", "max", "min"', ', "median"'),
    "vizapp/core/attention/fusion.py": (
        "    match fusion:\n",
        '        case "median":\n            return rows.quantile(0.5, 0)\n',
    ),
    "vizapp/ui/viewer/numbers/fuse.js": (
        "const FUSE = {\n",
        """  median(rows, out) {
    const half = rows.length / 2;
    for (let j = 0; j < out.length; j++) {
      const sorted = rows.map((row) => row[j]).sort((a, b) => a - b);
      out[j] = (sorted[Math.ceil(half) - 1] + sorted[Math.floor(half)]) / 2;
    }
  },
""",
    ),
    "vizapp/ui/words/en.py": ("VIEWER = {\n", "".join(f"    {key!r}: {said!r},\n" for key, said in SENTENCES.items())),
}
EXPECTED = """
import torch, vizapp
seen = vizapp.analyse("toy", "example")
made = vizapp.explain(seen, "attention", layer=1, fusion="median")
each = [vizapp.explain(seen, "attention", layer=1, head=head).scores for head in range(seen.trace.layers[1].n_heads)]
heads = torch.stack([torch.as_tensor(one) for one in each])
assert torch.allclose(torch.as_tensor(made.scores), heads.quantile(0.5, 0), atol=1e-6)
assert "median" in str(made.unit)
print(f"{100 * float(torch.as_tensor(made.scores).max()):.1f}")
"""


def run(tree: Path, *command: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(tree), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def choose(page: Any) -> str:
    """Press the button; what the scale then says of its top colour."""
    page.locator('.viz[data-state="ready"]').wait_for()
    page.keyboard.press("Escape")
    page.locator(".viz-layer").evaluate(
        "(one) => { one.value = 2; one.dispatchEvent(new Event('input', { bubbles: true })); }"
    )
    page.locator(".viz-look-more summary").click()
    page.locator('[data-set="fusion"][data-value="median"]').click()
    page.get_by_text("median of heads").first.wait_for(state="attached")
    return str(page.locator(".viz-high").inner_text())


@needs_tools
def test_a_fusion_is_four_files(copy: Path, browser: Any) -> None:
    (copy / "node_modules").symlink_to(ROOT / "node_modules")
    for name, (at, more) in EDITS.items():
        path = copy / name
        source = path.read_text("utf-8")
        assert source.count(at) == 1, name
        path.write_text(source.replace(at, at + more), "utf-8")
    assert len(EDITS) <= 4
    run(copy, sys.executable, "-m", "vizapp.vocabulary")
    run(copy, "npm", "run", "--silent", "types")
    run(copy, "npm", "run", "--silent", "build")
    share = run(copy, sys.executable, "-c", EXPECTED).strip()
    errors: list[str] = []
    with page_of(copy, browser) as page:
        page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
        assert f"{share} %" in choose(page).replace("\u00a0", " ")
    run(copy, sys.executable, "-m", "vizapp", "export", "--lessons", "--model", "toy", "-o", "page.html")
    page = browser.new_page()
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    page.goto((copy / "page.html").as_uri())
    assert f"{share} %" in choose(page).replace("\u00a0", " ")
    page.close()
    assert errors == []
