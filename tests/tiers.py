"""What the short run leaves out, by kind. `pytest --whole` runs everything; so does a test that is named.

The short run has tests of every room, opens the page and an exported one in a real browser, and analyses an upload.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent

# Kind -> folders and files below tests/, or names of tests in them.
LEFT_OUT: dict[str, tuple[str, ...]] = {
    "all that is done with the page": ("ui",),
    "other environments, machines and programs": (
        "install",
        "test_ray.py",
        "test_in_notebook.py",
        "test_the_notebook.py",
        "test_launch.py",
        "test_bench_runs.py",
    ),
    "ends of programs, and disks that fail": (
        "server/test_shutdown.py",
        "server/test_shutdown_slow_disk.py",
        "test_ends.py",
        "test_faults.py",
        "test_progress.py",
    ),
    "copies of the whole tree": ("test_one_file.py", "test_one_file_edit.py", "test_one_file_language.py"),
    "every road on a device that is pretended": ("test_rehearsal.py",),
    "a network of each family": ("test_coverage.py::test_a_family_is_exact", "model/test_other_libraries.py"),
    "long searches and trainings": (
        "fuzz",
        "core/test_precision.py",
        "core/test_order_of_patches.py",
        "model/test_train.py",
        "test_bench_methods.py",
        "test_export_methods.py",
        "test_teaching_by_example.py",
    ),
}
# Of what is left out by folder, these stay.
KEPT = (
    "ui/test_browser.py",
    "ui/test_first_sight.py",
    "ui/test_session.py",  # which opens no page, as little as these two
    "ui/test_sent.py::test_a_visitor_is_an_address",
    "ui/test_sent.py::test_a_proxy_may_write_a_line_of_its_own",
    "ui/test_export_page.py::test_one_file_asks_for_nothing_and_says_what_python_says",
)


def kind_of(nodeid: str) -> str | None:
    """The kind by which a test is left out of the short run; None if it is in it."""
    place = nodeid.removeprefix("tests/")
    if any(_within(place, one) for one in KEPT):
        return None
    return next((kind for kind, those in LEFT_OUT.items() if any(_within(place, one) for one in those)), None)


def _within(place: str, one: str) -> bool:
    return place.startswith(one) and (len(place) == len(one) or place[len(one)] in "/:[")


def named() -> Iterator[Path]:
    """Every file and folder that the tables name."""
    yield from (ROOT / one.partition("::")[0] for those in (*LEFT_OUT.values(), KEPT) for one in those)
