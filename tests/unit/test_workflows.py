"""Workflows and pinned versions are those of the project."""

import itertools
import re
import tomllib

from support.paths import ROOT, settings

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_the_oldest_versions_that_are_tried_are_those_that_are_taken() -> None:
    pinned = dict(
        line.split("==")
        for line in (ROOT / ".ci/lower.txt").read_text("utf-8").splitlines()
        if not line.startswith("#")
    )
    extras = {name: lines for name, lines in PROJECT["optional-dependencies"].items() if name != "test"}
    bounded = {name: [line for line in lines if ">=" in line] for name, lines in extras.items()}
    taken = [*PROJECT["dependencies"], *itertools.chain(*bounded.values())]
    for line in taken:
        name, _, bound = re.split(r"(>=|$)", line, maxsplit=1)
        bound = bound.split(",")[0]
        assert pinned[name].startswith(bound), f"{line} is tried with {pinned[name]}"
    assert len(pinned) == len(taken)
    installed = re.search(r"-e ['\"]?\.(?:\[([\w,]*)\])?", (ROOT / ".ci/lower").read_text("utf-8"))
    assert installed
    assert {name for name, lines in bounded.items() if lines} <= set((installed[1] or "").split(","))


def test_actions_are_those_that_were_looked_at() -> None:
    """By the hash of a commit, as a tag can be moved; dependabot brings newer ones."""
    texts = [path.read_text("utf-8") for path in (ROOT / ".github/workflows").glob("*.yml")]
    used = [one for text in texts for one in re.findall(r"uses: (.*)", text)]
    assert len(used) > 10
    assert [one for one in used if not re.fullmatch(r"\./\S+|\S+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one)] == []


def test_workflows_run_what_is_run_here() -> None:
    """.ci/run, every Python from the oldest that we take, three systems; the right to publish in one job only."""
    jobs = settings(".github/workflows/test.yml")["jobs"]
    steps = {step["run"] for job in jobs.values() for step in job["steps"] if "run" in step}
    assert {".ci/run", ".ci/whole", ".ci/space"} <= steps
    assert ".ci/lower" in (ROOT / ".ci/whole").read_text("utf-8")
    assert all((ROOT / step).stat().st_mode & 0o111 for step in steps if step.startswith(".ci/"))
    matrix = jobs["matrix"]["strategy"]["matrix"]
    assert matrix["python"] == ["3.11", "3.12", "3.13", "3.14"]
    assert PROJECT["requires-python"] == f">={matrix['python'][0]}"
    assert [name.split("-")[0] for name in matrix["system"]] == ["ubuntu", "macos", "windows"]
    publish = settings(".github/workflows/publish.yml")
    trusted = [name for name, job in publish["jobs"].items() if "id-token" in job.get("permissions", {})]
    assert trusted == ["publish"]
    assert publish["permissions"] == {"contents": "read"}
    assert set(publish["jobs"]["publish"]["needs"]) == {"test", "build"}
    written = [name for name, job in publish["jobs"].items() if job.get("permissions", {}).get("contents") == "write"]
    assert written == ["photos"]
    steps = [step.get("run", "") for step in publish["jobs"]["photos"]["steps"]]
    # tests/whole/browser/test_export_page.py runs it, too.
    (made,) = (one.split() for one in steps if "demo_photos.py" in one)
    assert (ROOT / made[1]).is_file()
    assert any(one.startswith("gh release upload") and made[-1] in one for one in steps)
    assert "password" not in (ROOT / ".github/workflows/publish.yml").read_text("utf-8").replace("No password", "")
