"""What the docs say of `vizapp export`."""

import re
from pathlib import Path

import pytest

from support.paths import ROOT

DOCS = [
    ROOT / one
    for one in (
        "README.md",
        "README.zh.md",
        *(f"docs/{name}.md" for name in ("teaching", "teaching.zh", "command-line")),
    )
]


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_where_the_docs_export_pictures_they_name_lessons(path: Path) -> None:
    lines = [line for line in path.read_text("utf-8").splitlines() if re.search("vizapp export .*--pictures", line)]
    assert lines
    assert [line for line in lines if "--lessons" not in line] == []
