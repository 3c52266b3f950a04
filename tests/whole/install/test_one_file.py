"""What is added is one file: all that one may add is put into one copy of the tree, built, listed, used and looked at, together.

Those of docs/extend.md are among them. A fusion takes four files, and an edit of both sides two. Nothing here touches the working
tree.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import httpx
import numpy as np
from PIL import Image

from bench.server import running
from support.additions import BOTH_SIDES, ONE_SIDE, PANELS, TAKES, Files
from support.node import needs_tools
from support.paths import ROOT
from support.viz import Viz, saved
from vizapp.ui import textbook
from vizapp.vocabulary import FUSIONS

BUNDLE = "vizapp/ui/viewer/bundle.js"

LISTS = {  # name -> code that prints a list, as a person would see it
    "vizapp methods": 'from vizapp.cli import main; main(["methods"])',
    "vizapp models": 'from vizapp.cli import main; main(["models"])',
    "vizapp evaluate": 'from vizapp.cli import main; main("evaluate --set one --methods rollout --count 1".split())',
    "docs/methods.md": "from docs.methods import page; print(page())",
    "the page's table": (
        "import vizapp; from vizapp.analysis import Truth; from vizapp.model.toy.lessons import LESSONS\n"
        "from vizapp.ui import comparison_html; from vizapp.ui.words import words_for\n"
        "one = LESSONS['one'].example(0, 112); seen = vizapp.analyse('toy', one.picture, truth=[Truth('it', one.truth)])\n"
        "print(comparison_html.table(words_for('en'), vizapp.compare(seen, ['rollout'], steps=0)))"
    ),
}
LISTED = {  # name of a list -> what it says of what was added
    "vizapp methods": ["throw_away: Rows of patches by number."],
    "vizapp models": ["thrown:toy"],
    "vizapp evaluate": [" thrown"],
    "docs/methods.md": ["## throw_away", "| throw_away | higher | Thrown away: always zero."],
    "the page's table": ["Thrown away (higher)"],
}
LISTED_BY_THE_PAGE = ['["Throw away", "throw_away"]', '"thrown:toy"']
EXPLAIN = "from vizapp.cli import main\nassert main({}) == 0"
IN_EO = """
from vizapp.ui.words import words_for
from vizapp.errors import VizError
print(words_for("vo").explain(VizError("There is no method '{name}'.", name="a")))
print(words_for("vo").explain(VizError("There is no method '{name}'.", "Choose another.", name="a")))
"""
USES = {  # name -> code that uses what was added, and fails where it does not work
    "a method": """
import vizapp, numpy as np
seen = vizapp.analyse("toy", np.zeros((112, 112, 3), np.uint8))
assert vizapp.explain(seen, "throw_away", step=2.0).scores[:, 3].tolist() == [2.0 * row for row in range(14)]
assert "throw_away" in vizapp.compare(seen, steps=0, names=["throw_away"]).maps
""",
    "a metric": """
import numpy as np
from vizapp.core.metrics import metric_named, metrics
assert metric_named("throw_away")(np.ones((2, 4, 4)), np.eye(8, dtype=bool)).tolist() == [0, 0]
assert [one.title for one in metrics().values()][-1] == "Thrown away"
""",
    "a source of models": """
import vizapp, numpy as np
seen = vizapp.analyse("thrown:toy", np.zeros((112, 112, 3), np.uint8))
assert seen.model_name == "thrown:toy" and vizapp.explain(seen, "rollout").scores.any()
""",
    "a fusion": """
import torch, vizapp
seen = vizapp.analyse("toy", "example")
made = vizapp.explain(seen, "attention", layer=1, fusion="median")
each = [vizapp.explain(seen, "attention", layer=1, head=head).scores for head in range(seen.trace.layers[1].n_heads)]
heads = torch.stack([torch.as_tensor(one) for one in each])
assert torch.allclose(torch.as_tensor(made.scores), heads.quantile(0.5, 0), atol=1e-6)
assert "median" in str(made.unit)
vizapp.save(seen, made, "median.npz")
vizapp.save(seen, made, "median.png")
import json, numpy
about = json.loads(str(numpy.load("median.npz")["about"]))["provenance"]
assert about["settings"]["fusion"] == "median", about
print(f"{100 * float(torch.as_tensor(made.scores).max()):.1f}")
made = vizapp.explain(vizapp.analyse("toy", "in.png"), "attention", layer=1, fusion="median")
print(f"{100 * float(torch.as_tensor(made.scores).max()):.1f}")
""",
    "no edit": EXPLAIN.format("['explain', 'in.png', '--device', 'cpu', '-o', 'plain.npz']"),
    "an edit": EXPLAIN.format("['explain', 'in.png', '--device', 'cpu', '-o', 'one.npz', '--edit', 'louder:1=3']"),
    "an edit of both sides": EXPLAIN.format(
        "['explain', 'in.png', '--device', 'cpu', '-o', 'two.npz', '--edit', 'head-double:1.2']"
    ),
    "a language": IN_EO,
    "what languages lack": "import runpy; runpy.run_module('vizapp.ui.words', run_name='__main__')",
    "a page of its own": EXPLAIN.format(
        "['export', '--pictures', 'in.png', '--lang', 'en', '--model', 'toy', '-o', 'page.html']"
    ),
}


def run(tree: Path, *command: str) -> str:
    """What a program says that finds vizapp in the copy."""
    variables = {"PYTHONDONTWRITEBYTECODE": "1", "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    environment = os.environ | variables | {"PYTHONPATH": str(tree)}
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def said(tree: Path, parts: dict[str, str]) -> dict[str, str]:
    """Name -> what its code says; all in one process, as importing torch takes longer than most of them."""
    code = f"""
import contextlib, io, json, vizapp
assert vizapp.__file__.startswith({str(tree)!r}), vizapp.__file__
said = {{}}
for name, code in json.loads({json.dumps(parts)!r}).items():
    with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.redirect_stderr(printed):
        try:
            exec(code, {{}})
        except SystemExit:
            pass
        except Exception as error:
            raise AssertionError(name, printed.getvalue()) from error
    said[name] = printed.getvalue()
print(json.dumps(said))
"""
    found: dict[str, str] = json.loads(run(tree, sys.executable, "-c", code).splitlines()[-1])
    return found


def files_in(tree: Path) -> dict[str, bytes]:
    """What the program is made of, and what it has been made to."""
    rooms = [path for room in ("vizapp", "model", "docs") for path in (tree / room).rglob("*")]
    kept = (path for path in rooms if path.is_file() and "__pycache__" not in path.parts)
    return {str(path.relative_to(tree)): path.read_bytes() for path in kept}


def add(tree: Path, files: Files) -> None:
    for name, what in files.items():
        if isinstance(what, str):
            assert not (tree / name).exists(), name
            (tree / name).write_text(what, "utf-8")
        else:
            at, more = what
            source = (tree / name).read_text("utf-8")
            assert source.count(at) == 1, name
            (tree / name).write_text(source.replace(at, at + more), "utf-8")


def statements(bundle: str) -> set[str]:
    """What a bundle is made of, whatever the lines are into which it is broken."""
    return set(re.split(r"[;{}]", bundle.replace("\n", "")))


def build(tree: Path) -> None:
    """Each bundle, as `npm run build` does it; not the kernels, which nothing here changes and which take most of its time."""
    run(tree, "node", "vizapp/bundles.mjs")


# What the gate asks of every fusion.
OF_FUSIONS = (
    "unit/core/attention/test_fusion.py",
    "unit/core/methods/test_methods.py",
    "unit/ui/test_viewer_rooms.py::test_every_word_exists_and_is_used",
    "unit/ui/test_viewer_rooms.py::test_the_browser_has_the_same_vocabulary",
)


def hold(tree: Path) -> None:
    """Both sides to one case of each kind of edit, and to those of the new one; the new fusion to what is asked of all."""
    file, edit = tree / "tests" / "support" / "edit_cases.json", {"kind": "head-double", "layer": 1, "head": 2}
    known = [one for one in json.loads(file.read_text("utf-8")) if "refused" not in one]
    first = {(one["edits"][0]["kind"], one["edits"][0].get("by")): one for one in reversed(known)}
    case = {"network": "plain", "picture": "scene-1.jpg", "typed": ["head-double:1.2"], "edits": [edit], "map": "stays"}
    file.write_text(json.dumps([*first.values(), case, case | {"network": "crate"}]), "utf-8")
    options = ("-m", "pytest", "-n", "0", "-p", "no:cacheprovider")
    run(tree, sys.executable, *options, "tests/page/test_edit_cases.py", *(f"tests/{one}" for one in OF_FUSIONS))


@needs_tools
def test_all_together(copy: Path, browser: Any) -> None:
    """What each takes is counted: nothing but its files, and what programs make of them, is another than before."""
    assert "median" not in FUSIONS, "the throw-away fusion is a real one: call that of support/additions.py otherwise"
    for name, files in (PANELS | BOTH_SIDES | ONE_SIDE).items():
        assert len([one for one in files if not one.endswith(".css")]) == TAKES.get(name, 1), name
    shutil.copytree(ROOT / "tests", copy / "tests", ignore=shutil.ignore_patterns("__pycache__", "goldens"))
    (copy / "node_modules").symlink_to(ROOT / "node_modules")
    noise = np.random.default_rng(0).integers(0, 256, (112, 112, 3), dtype=np.uint8)
    Image.fromarray(noise).save(copy / "in.png")
    before = files_in(copy)
    for files in PANELS.values():
        add(copy, files)
    run(copy, "node", "vizapp/bundles.mjs", "viewer")
    gone = statements(before[BUNDLE].decode()) - statements((copy / BUNDLE).read_text("utf-8"))
    assert [one for one in gone if not one.startswith("var panels=[")] == [], "no statement of other panels changes"
    for files in BOTH_SIDES.values():
        add(copy, files)
    run(copy, sys.executable, "-m", "vizapp.vocabulary")
    build(copy)
    assert "head-double" in (copy / "vizapp" / "browser" / "engine" / "bundle.js").read_text("utf-8")
    hold(copy)
    for files in ONE_SIDE.values():
        add(copy, files)
    share, share_alone = by_python(copy)
    with running("toy", copy) as (url, _):
        config = json.dumps(httpx.get(f"{url}config", timeout=60).json())
        assert [one for one in LISTED_BY_THE_PAGE if one not in config] == []
        of_the_language(url)
        viz = Viz(browser.new_page(viewport={"width": 1280, "height": 800}), url)
        viz.page.goto(url)
        viz.wait_for_maps()
        of_panels(viz)
        viz.slide("layer", 2)
        assert f"{share} %" in choose_median(viz)
        of_what_is_saved(viz)
        with viz.leaving():
            viz.page.goto(f"{url}?again=1#v=1&picture=lesson/one/5&model=toy&chapter=corner&layer=2")
            viz.wait_for_maps()
        of_the_chapter(viz)
        assert viz.errors == []
        viz.page.close()
    alone = Viz(browser.new_page(bypass_csp=True), "")
    alone.page.goto((copy / "page.html").as_uri())
    alone.wait_for_maps()
    alone.slide("layer", 2)
    assert f"{share_alone} %" in choose_median(alone)
    assert alone.errors == []
    alone.page.close()
    nothing_is_left(copy, before)


def nothing_is_left(copy: Path, before: dict[str, bytes]) -> None:
    """Without them, and built as before, each file is what it was."""
    for name in (name for files in (PANELS | BOTH_SIDES | ONE_SIDE).values() for name in files):
        if name in before:
            (copy / name).write_bytes(before[name])
        else:
            (copy / name).unlink()
    after = files_in(copy)
    made = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    assert {name for name in made if not name.endswith("/bundle.js")} == {"vizapp/vocabulary.js"}, "what programs make"
    run(copy, sys.executable, "-m", "vizapp.vocabulary")
    build(copy)
    assert files_in(copy) == before


def by_python(copy: Path) -> list[str]:
    """Use and list all of it; the largest share of the median map of layer 2, in percent, of the example and of in.png."""
    found = said(copy, USES | LISTS)
    missed = {place: words for place, all_ in LISTED.items() for words in all_ if words not in found[place]}
    assert missed == {}, "it is not listed"
    logits = {}
    for name, file, edits in (
        ("no edit", "plain.npz", []),
        ("an edit", "one.npz", ["louder:1=3"]),
        ("an edit of both sides", "two.npz", ["head-double:1.2"]),
    ):
        with np.load(copy / file) as numbers:
            assert json.loads(str(numbers["about"])).get("edits", []) == edits
            logits[name] = numbers["logits"]
    assert "note: Edited: layer 2 is 3 times as loud." in found["an edit"]
    assert "note: Edited: head-double:1.2, which counts twice." in found["an edit of both sides"]
    assert np.abs(logits["no edit"] - logits["an edit"]).max() > 0.01, "it was applied"
    # The second in one language: its hint has no Esperanto.
    assert found["a language"] == "Ne ekzistas metodo 'a'.\nThere is no method 'a'. Choose another.\n"
    lacking = found["what languages lack"].splitlines()
    assert "vo: texts: Try again in a minute." in lacking
    assert "vo: texts: There is no method '{name}'." not in lacking
    return found["a fusion"].split()


def of_the_language(url: str) -> None:
    asked = {"english": ("", {}), "address": ("?lang=vo", {}), "browser": ("", {"accept-language": "vo"})}
    found = {
        name: httpx.get(url + query, headers=headers, follow_redirects=True, timeout=60).text.replace(", ", ",")
        for name, (query, headers) in asked.items()
    }
    assert "Metodoj" not in found["english"]
    assert '["vo","vo",' in found["address"]
    for way in ("address", "browser"):
        assert "Metodoj" in found[way]
        assert "Kompari" in found[way]
    assert "Esperanto" in found["english"], "the way to it"


def of_panels(viz: Viz) -> None:
    """They are told of every paint, and have words, a style, a key, and a place in links."""
    counter, hottest = viz.find("counter"), viz.find("hottest")
    assert counter.inner_text() == "1", "it was told of the first picture"
    assert counter.get_attribute("title") == "A panel in a test"
    n = int((viz.shown() > viz.js("view.map.high") / 2).sum())
    assert hottest.inner_text().startswith(f"{n} of 197 tokens have more than ")
    assert hottest.evaluate("(one) => getComputedStyle(one).color") == "rgb(1, 2, 3)"
    viz.find("keys-more").locator("summary").click()
    keys = viz.find("keys").inner_text()
    viz.press("Escape")
    assert re.search(r"# count\s+h count the hottest\s*$", keys), "shown, behind those of the table"
    viz.find("stage").focus()
    viz.press("h")
    assert hottest.inner_text() == ""
    viz.press("h")
    viz.press("#")
    for layer in (1, 2):
        viz.slide("layer", layer)
        n, high = (viz.shown() > viz.js("view.map.high") / 2).sum(), viz.js("String(view.map.high)")
        assert counter.inner_text() == f"{n} of 197 tokens are brighter than {high}"
    viz.page.wait_for_function("location.hash.endsWith('&layer=1&counts=1')")  # what it declares stands in links
    viz.reload()
    assert viz.js("state.get('counts')"), "and is read from them"
    viz.find("stage").focus()
    viz.press("#")
    assert counter.inner_text() == "1"


def choose_median(viz: Viz) -> str:
    """Press the button of the new fusion; what the scale then says of its top colour."""
    viz.display()
    viz.button("fusion", "median").click()
    viz.page.get_by_text("median of heads").first.wait_for(state="attached")
    return str(viz.find("high").inner_text()).replace("\u00a0", " ")


def of_what_is_saved(viz: Viz) -> None:
    """The code and the caption of all maps at once speak of the new fusion, too."""
    written = "".join(ElementTree.fromstring(saved(viz, "atlas", "svg")).itertext())
    assert re.search(r"heads\s*as\s*one\s*\(median\)", written)
    viz.page.wait_for_function("document.querySelector('.viz-code-python').textContent.includes('median')")
    viz.find("save").locator("summary").press("Escape")


def of_the_chapter(viz: Viz) -> None:
    assert viz.find("book-text").inner_text().startswith("12 What CLS sees in a corner")
    assert "196 of them" in viz.find("book-text").inner_text()
    viz.page.locator(".viz-task button").click()
    viz.find("answer").first.wait_for()
    assert re.search(r"gets [\d.]+\s%, [\d.]+ times", viz.find("answer").first.inner_text())
    viz.page.locator(".viz-options button").first.click()
    viz.find("answer").nth(1).wait_for()
    assert viz.find("book-on").is_disabled(), "the last chapter"


def test_every_kind_of_exercise_is_in_the_table() -> None:
    told = set(re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "extend.md").read_text("utf-8"), re.MULTILINE))
    folder = textbook.FOLDER.parent / "viewer" / "exercises"
    assert told == {path.stem for path in folder.glob("*.js")}
