"""Where the viewer's sources are."""

from support.paths import ROOT

FOLDER = ROOT / "vizapp" / "ui" / "viewer"

SOURCES = {
    str(path.relative_to(FOLDER)): path.read_text("utf-8")
    for path in sorted(FOLDER.rglob("*.js"))
    if path.name != "bundle.js"
}

PANELS = [name for name in SOURCES if name.startswith("panels/")]
