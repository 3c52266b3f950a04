"""How `vizapp evaluate` and `measure` end where something goes wrong: the table is said, and what was kept is right."""

import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support import dying
from support.paths import ROOT
from support.starting import in_python
from support.together import together
from vizapp import pipeline
from vizapp.cli import main
from vizapp.data.engines import EACH, MOST, engine_named
from vizapp.data.workers import spread
from vizapp.errors import VizError

EVALUATE = ["evaluate", "--set", "one", "--methods", "rollout", "--device", "cpu"]
MEASURE = ["measure", "toy", "one", "--device", "cpu"]
VERBS = {"evaluate": EVALUATE, "measure": MEASURE}
HEADS = {"evaluate": "best IoU", "measure": "entropy"}


def asked(verb: str, count: int, output: Path) -> list[str]:
    return [*VERBS[verb], "--count", str(count), "-o", str(output)]


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    ("made", "output"),
    [("", "nowhere/out.csv"), ("out.csv", "out.csv"), ("out.csv.part", "out.csv"), ("out.csv.json", "out.csv")],
)
def test_an_output_that_cannot_be_written_is_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any, verb: str, made: str, output: str
) -> None:
    """Folders in the place of files stand for all reasons: a test may run as root, whom no permission stops."""
    monkeypatch.setattr(pipeline, "load", lambda *any: pytest.fail("the work has begun"))
    (tmp_path / made).mkdir(exist_ok=True)
    assert main(asked(verb, 1, tmp_path / output)) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert "cannot be written" in said[0] or "There is no folder" in said[0]
    assert [one.name for one in tmp_path.iterdir()] == ([made] if made else [])


def test_the_pictures_of_an_evaluation_are_asked_for_too(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "out.pictures.csv").mkdir()
    assert main(asked("evaluate", 1, tmp_path / "out.csv")) == 2
    assert "out.pictures.csv' cannot be written" in capsys.readouterr().err


ON_A_SMALL_DISK = """
import json, resource, sys
from vizapp.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
for asked in json.loads(sys.argv[1]):
    assert main(asked) == 2
    for stream in (sys.stdout, sys.stderr):
        print("next", file=stream, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="this system bounds no files")
def test_the_table_is_printed_though_the_disk_is_full(tmp_path: Path) -> None:
    """Neither what is kept meanwhile nor the output can be written; no half table is left, nor is the last one touched."""
    outputs = {verb: tmp_path / f"{verb}.csv" for verb in VERBS}
    for output in outputs.values():
        output.write_text("of yesterday")
    both = json.dumps([asked(verb, 2, output) for verb, output in outputs.items()])
    done = in_python(ON_A_SMALL_DISK, both, PYTHONDONTWRITEBYTECODE="1", HF_HUB_OFFLINE="1")
    said = zip(done.stdout.split("next\n"), done.stderr.split("next\n"), strict=True)
    for (verb, output), (out, err) in zip(outputs.items(), said, strict=False):
        assert HEADS[verb] in out
        assert "if this run is broken off, the rest of it begins anew" in err
        assert f"{verb}.csv' cannot be written: File too large" in err
        assert output.read_text() == "of yesterday"
    kept = {f"{verb}.csv{end}" for verb in VERBS for end in ("", ".part")}
    assert {one.name for one in tmp_path.iterdir()} <= kept


can_kill = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system kills otherwise")


@can_kill
def test_a_killed_worker_is_replaced_and_loses_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A pool of Python waits for its answer for ever."""
    assert list(spread(lambda: dying.start(tmp_path, 1), range(6), 2)) == list(range(6))
    assert "a worker died (signal 9)" in caplog.text


@can_kill
def test_a_picture_that_kills_every_worker_ends_the_run_in_words(tmp_path: Path) -> None:
    got = []
    with pytest.raises(VizError, match="Workers died 3 times over one picture: killed by the system"):
        for number in spread(lambda: dying.start(tmp_path, 100), range(6), 1):
            got.append(number)
    assert got == [0, 1]
    assert not any(Path(f"/proc/{one.name}").exists() for one in tmp_path.iterdir()), "and all of them are gone"


def test_a_refusal_of_a_worker_comes_back_as_it_is_and_workers_are_bounded(tmp_path: Path) -> None:
    with pytest.raises(VizError, match="Seven is refused"):
        list(spread(lambda: dying.start(tmp_path, 0), range(6, 9), 1))
    for name, most in (("processes", EACH * (os.cpu_count() or 1)), ("ray", MOST)):
        with pytest.raises(VizError, match=f"too many here; at most {most}"):
            engine_named(name, most + 1)
        engine_named(name, most)


@pytest.mark.parametrize("verb", VERBS)
def test_what_was_found_until_the_workers_died_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any, verb: str
) -> None:
    def dying(model: Any, task: Any, numbers: range) -> Iterator[Any]:
        yield task.look(model, 0)
        raise VizError("Workers died.")

    monkeypatch.setattr("vizapp.data.engines.engine_named", lambda *any: dying)
    output = tmp_path / "out.json"
    assert main(asked(verb, 3, output)) == 2
    said = capsys.readouterr()
    assert HEADS[verb] in said.out
    assert "broken off" in said.out
    *before, last = said.err.splitlines()
    assert last == "vizapp: Workers died."
    first = "1 networks, 1 sets of up to 3 pictures (--count), 1 methods: a result is printed as soon as it is there"
    assert before == ([first] if verb == "evaluate" else [])
    assert [one.name for one in tmp_path.iterdir()] == ["out.json.part"]


@pytest.fixture(scope="module", params=VERBS)
def killed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, bytes, Any]:
    """A verb, the file that its run of four pictures leaves where it is killed at the end, and the rows of that run."""
    folder = tmp_path_factory.mktemp("killed")
    kept: list[bytes] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("vizapp.analysis.unfinished.Unfinished.done", lambda self: kept.append(self.file.read_bytes()))
        assert main(asked(request.param, 4, folder / "out.json")) == 0
    return request.param, kept[0], json.loads((folder / "out.json").read_text())["rows"]


@pytest.fixture
def part(killed: tuple[str, bytes, Any]) -> tuple[str, bytes]:
    return killed[:2]


def flipped(lines: list[bytes]) -> list[bytes]:
    """A digit of the second picture is another."""
    at = lines[1].index(b"0.")
    return [lines[0], lines[1][: at + 2] + bytes([lines[1][at + 2] ^ 1]) + lines[1][at + 3 :], *lines[2:]]


@together(
    ("spoil", "taken"),
    [
        (lambda lines: lines, 4),
        (flipped, 1),
        (lambda lines: [lines[0], *lines[2:]], 1),
        (lambda lines: [lines[0], lines[2], lines[1], lines[3]], 1),
        (lambda lines: [lines[0]] * 4, 1),
        (lambda lines: [b"", *lines[1:]], 0),
        (lambda lines: [line.partition(b" ")[2] for line in lines], 0),  # as versions before wrote it
        (lambda lines: [*lines[:3], lines[3][:40]], 3),  # killed as it wrote
    ],
)
def test_a_spoiled_line_is_not_counted(
    killed: tuple[str, bytes, Any], tmp_path: Path, capsys: Any, spoil: Callable[..., list[bytes]], taken: int
) -> None:
    """Nor are those after it; they are looked at again, which is said, and the rows are those of an unbroken run."""
    verb, whole, rows = killed
    output = tmp_path / "out.json"
    spoiled = b"".join(spoil(whole.splitlines(keepends=True)))
    (tmp_path / "out.json.part").write_bytes(spoiled)
    looked: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("vizapp.data.engines.here", counting(looked))
        assert main(["-v", *asked(verb, 4, output)]) == 0
    assert looked == list(range(taken, 4))
    assert ("is damaged" in capsys.readouterr().err) == (taken < 3)
    assert not (tmp_path / "out.json.part").exists()
    assert json.loads(output.read_text())["rows"] == rows


def counting(looked: list[int]) -> Callable[..., Iterator[Any]]:
    def here(model: Any, task: Any, numbers: range) -> Iterator[Any]:
        for number in numbers:
            looked.append(number)
            yield task.look(model, number)

    return here


@together("lie", ["3", "{}", '{"picture": 1, "rows": 3, "scores": 4, "maps": [5]}', "[" * 10_000])
def test_what_no_run_writes_is_no_traceback(part: tuple[str, bytes], tmp_path: Path, capsys: Any, lie: str) -> None:
    """With the right sum: somebody means to lie."""
    verb, whole = part
    run = json.dumps(json.loads(whole.splitlines()[0].partition(b" ")[2])["run"])
    text = f'{{"run": {run}, "answer": {lie}}}'.encode()
    (tmp_path / "out.json.part").write_bytes(sum_of(text) + b" " + text + b"\n")
    assert main(asked(verb, 1, tmp_path / "out.json")) == 0
    assert "looked at again" in capsys.readouterr().err


def test_a_number_that_a_measure_cannot_have_is_no_traceback(
    part: tuple[str, bytes], tmp_path: Path, capsys: Any
) -> None:
    """A share of 3. And a picture with fewer measures than those that follow."""
    verb, whole = part
    content = json.loads(whole.splitlines()[0].partition(b" ")[2])
    if verb == "evaluate":  # the rows of `measure` are shown as they are
        for change in ({"pointing": [3.0] * 3}, {}):
            changed = content["answer"]["scores"] | change
            scores = changed if change else {"energy": changed["energy"]}
            text = json.dumps({**content, "answer": content["answer"] | {"scores": scores}}).encode()
            (tmp_path / "out.json.part").write_bytes(sum_of(text) + b" " + text + b"\n")
            assert main(asked(verb, 2, tmp_path / "out.json")) == (0 if change else 2)
            assert ("looked at again" if change else "start again") in capsys.readouterr().err


def sum_of(text: bytes) -> bytes:
    return hashlib.blake2b(text, digest_size=8).hexdigest().encode()


@pytest.mark.parametrize(
    ("command", "said", "code"),
    [
        ("{python} -m vizapp methods | :", "", 141),
        ("{python} -m vizapp methods > /dev/full", "vizapp: No space left on device", 2),
        ("PYTHONIOENCODING=ascii {python} -m vizapp methods > /dev/null", "", 0),
    ],
)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no disk that is always full")
def test_a_terminal_that_takes_no_more_is_no_traceback(command: str, said: str, code: int) -> None:
    """A pipe that is closed, a disk that is full, letters that it has not."""
    command = command.format(python=sys.executable)
    done = subprocess.run(
        ["bash", "-c", f"{command}; exit ${{PIPESTATUS[0]}}"], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert (done.returncode, done.stderr.strip()) == (code, said)
