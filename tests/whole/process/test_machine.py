"""What depends on this machine: Chinese letters of its fonts, and limits of memory that the system keeps."""

from pathlib import Path

import numpy as np
import pytest

from support.cgroups import GIB, run_in
from support.chinese import CHINESE
from vizapp.render import letters
from vizapp.render.figure import save
from vizapp.render.lines import matrix
from vizapp.ui.comparison_files import drawable
from vizapp.ui.words import words_for

NO_FONT = "no font with Chinese letters here: fonts-noto-cjk is one"


def test_chinese_is_drawn(tmp_path: Path) -> None:
    """No letter is missing, which matplotlib would say as a warning, and a box is not what was drawn."""
    if not letters.can_write([CHINESE]):
        pytest.skip(NO_FONT)
    assert drawable(words_for("zh")) is words_for("zh")
    drawn = matrix([CHINESE, "Chefer"], np.eye(2))
    save(drawn, tmp_path / "chinese.png")
    assert {len(one.get_fontfamily()) for one in drawn.axes[0].get_yticklabels()} == {2}


@pytest.mark.parametrize("by", ["cgroup", "ulimit"])
def test_a_live_limit_is_read(by: str) -> None:
    """In a process that has 3 GiB, as it sees itself."""
    done = run_in(3 * GIB, "from vizapp.memory import free_memory; print(free_memory())", by=by)
    assert done.returncode == 0, done.stderr
    assert 2 * GIB < int(done.stdout) <= 3 * GIB
