"""Which tests belong to what was changed: `pytest $(python -m tests.of $(git ls-files -mo --exclude-standard))`.

The tests of a file lie where it lies: of vizapp/core/capture/x.py in tests/unit/core/capture. To them come the tests of the rooms
that import the file, each test that imports it itself, and those of the page where the page shows it. A file that many import
names nearly all. It names tests of the gate only; CI runs all of those.
"""

import sys
from collections.abc import Iterable
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

from support.imports import SOURCES, arrows, home, imports_of, module_of  # noqa: E402
from support.paths import ROOT  # noqa: E402

UNIT = Path("tests/unit")
GATE = (UNIT, Path("tests/page"))
BROWSER = "tests/page/test_in_a_browser.py"  # which opens the served page, and an exported one
ROOMS = ("vizapp", "model", "bench", "deploy")
# Folders whose tests are not where the folder is: JavaScript runs in Node, and servers need a page.
ELSEWHERE = {
    "vizapp/ui/viewer": ("tests/page/test_js.py", "tests/unit/ui/test_viewer_rooms.py"),
    "vizapp/ui/link": ("tests/page/test_js.py",),
    "vizapp/ui/textbook": ("tests/page/test_textbook.py", "tests/unit/ui/test_words.py"),
    "vizapp/ui/programs": ("tests/page/programs",),
    "vizapp/ui/server": ("tests/page/server",),
    "vizapp/ui": ("tests/page/test_page.py", BROWSER),
    "vizapp/browser": ("tests/page",),
    "tests/js": ("tests/page/test_js.py",),
}


def room(path: Path) -> Path | None:
    """The folder or file of tests/unit that mirrors a file of a room; the nearest that there is."""
    parts = path.parts[1:] if path.parts[0] == "vizapp" else path.parts
    own = UNIT.joinpath(*parts).with_name(f"test_{path.stem}.py")
    if (ROOT / own).exists():
        return own
    folder = own.parent
    while folder != UNIT:
        if (ROOT / folder).is_dir():
            return folder
        folder = folder.parent
    return None


def shared() -> dict[Path, str]:
    """File of tests/support -> the name that tests import it by."""
    files = (path.relative_to(ROOT) for path in (ROOT / "tests/support").glob("*.py"))
    return {path: f"support.{path.stem}" for path in files}


def testing() -> dict[str, set[Path]]:
    """Module -> the files of the gate's tests that import it; what tests share is one, too."""
    modules, found = {module_of(path) for path in SOURCES} | set(shared().values()), dict[str, set[Path]]()
    for folder in GATE:
        for path in (ROOT / folder).rglob("test_*.py"):
            for _, name in imports_of(path.read_text("utf-8")):
                found.setdefault(home(name, modules), set()).add(path.relative_to(ROOT))
    return found


def tests_of(files: Iterable[str]) -> list[str]:
    """Files and folders of tests, sorted, none inside of another. Raises ValueError for a file that is outside of the tree."""
    paths = [Path(file).resolve().relative_to(ROOT) if Path(file).is_absolute() else Path(file) for file in files]
    modules = {path.relative_to(ROOT): module_of(path) for path in SOURCES}
    names = modules | shared()
    importers: dict[str, set[Path]] = {}
    imported, tested = arrows(), testing()
    for path, module in modules.items():
        for other in imported[module]:
            importers.setdefault(other, set()).add(path)
    found: set[Path] = set()
    for path in paths:
        if path.parts[0] == "tests" and path.name.startswith("test_") and (ROOT / path).exists():
            found.add(path)
        if path.parts[0] not in (*ROOMS, "tests"):
            continue
        seen = {path, *importers.get(modules.get(path, ""), ())}
        if path.parts[0] != "tests":
            found.add(UNIT / "test_architecture.py")
            found |= {one for each in seen if (one := room(each))}
        found |= tested[names[path]] if names.get(path) in tested else set()
        found |= {
            Path(one)
            for each in seen
            for folder, those in ELSEWHERE.items()
            if Path(folder) in each.parents
            for one in those
        }
    return sorted(str(one) for one in found if not found & set(one.parents))


if __name__ == "__main__":
    print(*tests_of(sys.argv[1:]))
