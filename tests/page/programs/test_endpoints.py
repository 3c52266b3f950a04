"""What programs are answered: the numbers of the library to the last bit, files, and words where something is wrong."""

import base64
import csv
import inspect
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import gradio_client
import numpy as np
import pytest
from gradio_client import handle_file
from PIL import Image

import vizapp
from support.pictures import encoded
from support.programs import ROOT, SCENE, crowded
from support.queue_jobs import busy
from support.serving import Server, page_of
from support.together import together
from support.waiting import patience, until
from vizapp.analysis import Analysis
from vizapp.pipeline import model_names
from vizapp.ui.jobs import PROCESSOR, Job
from vizapp.ui.programs.arguments import kind_of
from vizapp.ui.programs.endpoints import Endpoints, endpoints_of
from vizapp.ui.server import folder
from vizapp.ui.server.ledger import Ages
from vizapp.ui.server.listeners import LISTENERS
from vizapp.vocabulary import FUSIONS

NAMES = ["analyse", "compare", "explain", "predict"]


@pytest.fixture(scope="module")
def seen() -> Analysis:
    """What the library says of the same picture."""
    return vizapp.analyse(vizapp.load("toy", "cpu"), SCENE)


def same(said: list[list[float]], scores: np.ndarray) -> bool:
    return np.array_equal(np.array(said, np.float32), scores.astype(np.float32))


def test_these_four_are_offered_and_none_of_the_pages_own(home: Server, seen: Analysis) -> None:
    info = home.http.get(f"{home.url}gradio_api/info").json()
    assert sorted(info["named_endpoints"]) == [f"/{name}" for name in NAMES]
    assert info["unnamed_endpoints"] == {}
    path = home.upload(SCENE.read_bytes())
    for asked, own in (
        ({"layer": -1, "head": 2}, {"layer": -1, "head": 2}),
        ({"layer": 1, "fusion": "max"}, {"layer": 1, "fusion": "max"}),
    ):
        found = home.ask("analyse", picture=path, **asked)["attention"]
        assert [one["layer"] for one in found["layers"]] == [asked["layer"] % 5]
        assert same(found["layers"][0]["values"], vizapp.explain(seen, "attention", **own).scores)


def test_analyse_says_what_the_library_says(client: Any, seen: Analysis) -> None:
    """Every layer, bit for bit, also in the file; classes; the word of the self-test; a PNG of the picture's shape."""
    found = client.predict(picture=handle_file(str(SCENE)), api_name="/analyse")
    assert json.loads(json.dumps(found)) == found
    assert (found["model"], found["grid"], found["prefix"]) == ("toy", [14, 14], ["cls"])
    assert [(one["label"], one["probability"]) for one in found["top"]] == [
        (label, pytest.approx(share, abs=1e-6)) for label, share in seen.top(5)
    ]
    assert found["check"]["word"] == "exact"
    assert found["notes"] == list(seen.notes)
    with np.load(found["files"]["numbers"]) as numbers:
        for one in found["attention"]["layers"]:
            map_ = vizapp.explain(seen, "attention", layer=one["layer"])
            assert same(one["values"], map_.scores)
            assert np.array_equal(numbers[f"layer_{one['layer']}"], map_.scores)
            assert one["on_prefix"]["cls"] == pytest.approx(map_.on_prefix["cls"])
        assert json.loads(str(numbers["about"]))["model"] == "toy"
    assert len(found["attention"]["layers"]) == len(found["layers"]) == len(seen.trace.layers)
    with Image.open(found["files"]["overlay"]) as overlay, Image.open(SCENE) as scene:
        assert (overlay.format, overlay.size) == ("PNG", scene.size)


def test_explain_says_what_the_library_says(client: Any, seen: Analysis) -> None:
    given = {"picture": handle_file(str(SCENE)), "method": "chefer", "target": "cup"}
    found = client.predict(**given, api_name="/explain")
    own = vizapp.explain(seen, "chefer", target="cup")
    assert found["target"] == {"index": own.target, "label": "cup"}
    assert same(found["values"], own.scores)
    with np.load(found["files"]["numbers"]) as numbers:
        assert np.array_equal(numbers["scores"], own.scores)
    given = {"method": "attention", "query": "4,5", "settings": {"layer": 2, "direction": "to"}}
    found = client.predict(picture=handle_file(str(SCENE)), **given, api_name="/explain")
    assert same(found["values"], vizapp.explain(seen, "attention", query="4,5", layer=2, direction="to").scores)
    assert (found["query"], found["settings"]["layer"]) == ("4,5", 2)


def test_compare_says_what_the_library_says(client: Any, seen: Analysis) -> None:
    given = {"methods": ["rollout", "chefer"], "target": "fish", "steps": 2}
    found = client.predict(picture=handle_file(str(SCENE)), **given, api_name="/compare")
    own = vizapp.compare(seen, ["rollout", "chefer"], target="fish", steps=2)
    assert list(found["maps"]) == list(own.maps)
    for said, row in zip(found["rows"], own.rows(), strict=True):
        assert said["deletion"] == pytest.approx(row["deletion"], abs=1e-6)
    for name, one in own.maps.items():
        assert same(found["maps"][name]["values"], one.scores)
        assert same([found["curves"][name]["insertion"]], np.array([own.curves[name].insertion]))
    assert found["agreement"]["methods"] == own.agreement()[0]
    with Path(found["files"]["table"]).open() as table:
        assert [row["method"] for row in csv.DictReader(table)] == list(own.maps)
    with Image.open(found["files"]["maps"]) as maps:
        assert maps.format == "PNG"


def test_predict_names_classes_only_also_of_base64(home: Server, seen: Analysis) -> None:
    found = home.ask("predict", picture=home.upload(SCENE.read_bytes()), top=2)
    assert [one["label"] for one in found["top"]] == [label for label, _ in seen.top(2)]
    assert "files" not in found
    content = base64.b64encode(SCENE.read_bytes()).decode()
    found = home.ask("predict", picture=f"data:image/jpeg;base64,{content}")
    assert found["top"] == home.ask("predict", picture=home.upload(SCENE.read_bytes()))["top"]


SLIPS: list[tuple[str, dict[str, Any], str]] = [
    ("analyse", {"layer": 99}, "There is no layer 99: this model has 5."),
    ("analyse", {"layer": "x"}, "layer = 'x' is not possible. It takes a whole number or null."),
    ("analyse", {"fusion": "sum"}, f"It takes one of {', '.join(FUSIONS)}."),
    ("analyse", {"fit": None}, "fit = None is not possible."),
    ("analyse", {"head": 99}, "head 99"),
    ("analyse", {"top": 10**30}, "It goes from 0 to 1000."),
    ("analyse", {"model": "nobody"}, "There is no bundled model 'nobody'."),
    ("analyse", {"model": ["toy"]}, "model = ['toy'] is not possible. It takes a text or null."),
    ("explain", {"method": "rolout"}, "rollout"),
    ("explain", {"target": "cup"}, "The map of rollout is the same for every class."),
    ("explain", {"method": "chefer", "target": "zebra"}, "'zebra' is not a class of toy."),
    ("explain", {"query": "99,99"}, "There is no patch (99, 99)"),
    ("explain", {"settings": {"colour": 1}}, "rollout has no setting 'colour'."),
    ("explain", {"settings": {"skip_weight": 7}}, "skip_weight"),
    ("explain", {"settings": [1]}, "settings = [1] is not possible. It takes an object, each value anything or null."),
    ("compare", {"methods": "rollout"}, "It takes a list, each a text or null."),
    ("compare", {"steps": 65}, "It goes from 0 to 64."),
    ("compare", {"methods": ["rollout"], "settings": {"chefer": {"start_layer": 1}}}, "it is not among the methods"),
    ("compare", {"empty": "black"}, "It takes one of mean, blur."),
]


@together(("endpoint", "slip", "words"), SLIPS)
def test_a_slip_is_said_in_words(
    home: Server, endpoint: str, slip: dict[str, Any], words: str, capfd: pytest.CaptureFixture
) -> None:
    """Whoever asks reads what was expected and what came; the terminal has one line, and no traceback."""
    home.heard()
    said = home.ask(endpoint, picture=home.upload(SCENE.read_bytes()), **slip)
    assert words in said["error"]
    told = home.heard() + capfd.readouterr().err
    assert said["error"] in told
    assert "Traceback" not in told


def test_a_slip_is_read_by_gradios_client(client: Any) -> None:
    with pytest.raises(gradio_client.exceptions.AppError, match="There is no layer 99: this model has 5"):
        client.predict(picture=handle_file(str(SCENE)), layer=99, api_name="/analyse")


def test_names_that_there_are_not_are_said(home: Server) -> None:
    """Gradio answers both with 500 and a traceback in the terminal."""
    known = "There are: analyse, compare, explain, predict."
    for name in ("nothing", "look"):  # the second is the page's own
        assert home.ask(name, picture="x") == {"error": f"There is no endpoint '{name}'. {known}", "status": 404}
    said = "predict takes no 'colour'. It takes: picture, model, fit, top."
    assert home.ask("predict", picture="x", colour=1) == {"error": said, "status": 422}
    assert home.ask("predict", model="toy") == {"error": "predict needs picture.", "status": 422}
    for body in (b"[]", b"{", b"[" * 15_000, b"7"):
        answer = home.http.post(f"{home.url}gradio_api/call/v2/predict", content=body)
        assert (answer.status_code, "an object of JSON" in answer.text) == (422, True)


def test_arguments_may_be_left_out_at_the_end(home: Server) -> None:
    """As curl sends them by their places."""

    def asked(*data: Any) -> str:
        event = home.http.post(f"{home.url}gradio_api/call/predict", json={"data": data}).json()["event_id"]
        return home.http.get(f"{home.url}gradio_api/call/predict/{event}").text

    assert "event: complete" in asked({"path": home.upload(SCENE.read_bytes())})
    assert "event: complete" in asked({"path": home.upload(SCENE.read_bytes())}, "toy")
    assert "predict needs picture" in asked()


@pytest.mark.parametrize("way", ["call", "call/v2"])
def test_an_answer_is_handed_out_once(home: Server, way: str) -> None:
    """Whoever comes again, beside the first one, or with a name that no event has, is told so at once."""

    def fetched(event: str) -> str:
        return home.http.get(f"{home.url}gradio_api/{way}/predict/{event}", timeout=patience()).text

    path = home.upload(SCENE.read_bytes())
    given = {"data": [{"path": path}]} if way == "call" else {"picture": path}
    with ThreadPoolExecutor(1) as thread:
        with busy():
            event = home.http.post(f"{home.url}gradio_api/{way}/predict", json=given).json()["event_id"]
            first = thread.submit(fetched, event)
            until(lambda: LISTENERS.has(event))
            beside = fetched(event)
        assert "event: complete" in first.result()
    for said in (beside, fetched(event), fetched("0" * 32)):
        assert said.startswith("event: error\ndata: ")
        assert "handed out once" in json.loads(said.splitlines()[1].removeprefix("data: "))["error"]


def test_an_answer_that_nobody_came_for_was_not_computed(home: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who comes too late reads why, and by when to come."""
    path = home.upload(SCENE.read_bytes())
    monkeypatch.setattr(PROCESSOR, "grace", patience())
    event = home.http.post(f"{home.url}gradio_api/call/v2/predict", json={"picture": path}).json()["event_id"]
    until(PROCESSOR._all)  # else the stream might be opened before it waits at all
    monkeypatch.setattr(PROCESSOR, "grace", 0.2)
    until(lambda: not PROCESSOR._all())
    said = home.http.get(f"{home.url}gradio_api/call/v2/predict/{event}").text
    assert "Nobody listened, so nothing was computed. Fetch an answer within 0.2 seconds." in said


def test_an_error_that_nobody_foresaw_names_no_file(home: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    def slip(*given: Any) -> Any:
        raise RuntimeError(f"a secret in {ROOT}")

    monkeypatch.setattr("vizapp.pipeline.as_json.top_of", slip)
    home.heard()
    said = home.ask("predict", picture=home.upload(SCENE.read_bytes()))
    assert said["error"] == "The server failed to do this. Its terminal says why."
    assert "a secret" in home.heard()


@together(
    "text",
    ["", "none.png", "/etc/passwd", "file:///etc/passwd", "a\0b", "data:image/png,abc", "data:;base64,%%%", 7, {}],
)
def test_what_is_no_uploaded_picture_is_refused(public: Server, text: Any) -> None:
    """A path of the machine, a folder of the server, nonsense."""
    for given in (text, {"path": text}, {"path": text, "meta": {"_type": "gradio.FileData"}}):
        said = public.ask("predict", picture=given)
        assert "top" not in said
        if not isinstance(given, dict) or "meta" not in given:  # those Gradio refuses by itself
            assert said["error"]
    folder = str(Path(public.upload(SCENE.read_bytes())).parent)
    said = public.ask("predict", picture=folder)["error"]
    assert "is not here, or not any more" in said
    assert "files=@" in said


def test_strangers_get_listed_models_and_quick_methods(public: Server) -> None:
    path = public.upload(SCENE.read_bytes())
    said = public.ask("predict", picture=path, model="file:x.safetensors")["error"]
    assert "is not offered here. There are: toy, " in said
    assert "timm:deit_small_patch16_224.fb_in1k" in said
    for given in ({"method": "rise"}, {"methods": ["rollout", "rise"]}):
        endpoint = "explain" if "method" in given else "compare"
        assert "rise takes too long" in public.ask(endpoint, picture=path, **given)["error"]
    said = public.ask("explain", picture=path, method="rolout")["error"]
    assert said.startswith("There is no method 'rolout'. Did you mean rollout, value_rollout? There are: ")
    assert {"chefer", "legrad"} <= set(re.findall(r"\w+", said))
    assert not {"rise", "score_cam"} & set(re.findall(r"\w+", said)), "what is named is not refused"


def test_a_full_queue_is_said(public: Server, client: Any) -> None:
    """As a visitor is told it, before anything is computed."""
    path = public.upload(SCENE.read_bytes())
    with crowded():
        for name in ("analyse", "explain", "predict"):
            assert "Too many visitors wait" in public.ask(name, picture=path)["error"]
        with pytest.raises(gradio_client.exceptions.AppError, match="Too many visitors wait"):
            client.predict(picture=handle_file(str(SCENE)), api_name="/predict")


def test_maps_are_maps_and_comparisons_long(home: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs send no signs of life, so their comparisons are not ended for silence."""
    jobs: list[Job] = []
    run = PROCESSOR.run
    monkeypatch.setattr(PROCESSOR, "run", lambda job, work: jobs.append(job) or run(job, work))
    monkeypatch.setattr(PROCESSOR, "silence", -1.0)
    path = home.upload(SCENE.read_bytes())
    for name, given in (("analyse", {}), ("explain", {}), ("predict", {}), ("compare", {"methods": [], "steps": 0})):
        del jobs[:]
        assert "error" not in home.ask(name, picture=path, **given)
        first = jobs[0]
        assert (first.priority, first.listens) == ("long" if name == "compare" else "map", False)
        assert first.visitor, "which ends with its caller"


def test_a_run_of_strangers_is_bounded(public: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vizapp.ui.programs.endpoints.LIMIT", 0.0)
    said = public.ask("compare", picture=public.upload(SCENE.read_bytes()), methods=["rollout"])
    assert "Stopped after 0 seconds" in said["error"]


def test_answers_are_not_kept(home: Server) -> None:
    """Gradio remembers the last values of ten thousand sessions; each curl is one."""
    path = home.upload(encoded(Image.new("RGB", (32, 32), "teal")))
    home.analyse(path, "toy")  # the page's: what Gradio remembers is found below
    for _ in range(3):
        assert "error" not in home.ask("analyse", picture=path)
    sessions = [*page_of(home).state_holder.session_data.values()]
    kept = [part["props"].get("value") for one in sessions for part in one.config_values.values() if part]
    assert sessions
    assert [one for one in kept if isinstance(one, dict) and "attention" in one] == []


def test_what_a_program_sent_and_got_is_deleted_as_a_visitors(home: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its upload, its picture in base64, and the files of the answer."""
    files = folder.current()
    path = home.upload(encoded(Image.new("RGB", (40, 40), "olive")))
    text = base64.b64encode(encoded(Image.new("RGB", (40, 40), "navy"))).decode()
    before = set(files.path.rglob("picture-*"))
    made = home.ask("explain", picture=f"data:image/png;base64,{text}")["files"]
    kept = [Path(path), *(set(files.path.rglob("picture-*")) - before), *(Path(one["path"]) for one in made.values())]
    assert len(kept) == 4
    files.sweep()
    assert all(one.exists() for one in kept)
    monkeypatch.setattr(files, "ages", Ages(rest=0))
    files.sweep()
    assert not any(one.exists() for one in kept)
    assert "error" in home.ask("explain", picture=path)


def test_the_docs_name_each_endpoint_argument_and_model() -> None:
    """An agent tries the names that it reads."""
    for work in endpoints_of(Endpoints(None, "toy")):  # type: ignore[arg-type]
        named = re.findall(r"timm:[\w.]+\w", inspect.getdoc(work) or "")
        assert named, work.__name__
        assert set(named) <= set(model_names()), work.__name__
    about = (ROOT / "docs" / "api.md").read_text("utf-8").partition("\n## analyse\n")[2].partition("\n## ")[0]
    assert set(re.findall(r"timm:[\w.]+\w", about)) <= set(model_names())
    text = (ROOT / "docs" / "api.md").read_text("utf-8")
    for work in endpoints_of(Endpoints(None, "toy")):  # type: ignore[arg-type]
        section = text.partition(f"\n## {work.__name__}\n")[2].partition("\n## ")[0]
        table = section.partition("| argument |")[2].partition("\n\n")[0].splitlines()[2:]
        named = [line.split("|")[1].strip(" `") for line in table]
        assert named == list(inspect.signature(work).parameters), work.__name__
    assert kind_of(int | None) == "a whole number or null"
    assert kind_of(list[str]) == "a list, each a text"
    assert kind_of(str | int | None) == "a text or a whole number or null"


@pytest.fixture
def desk(home: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Makes a block of docs/api.md one that runs: in a folder with a photo, against the server at hand."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "photo.jpg").write_bytes(SCENE.read_bytes())

    def block(language: str) -> str:
        text = (ROOT / "docs" / "api.md").read_text("utf-8").partition(f"```{language}\n")[2].partition("```")[0]
        return text.replace("http://127.0.0.1:7860", home.url.rstrip("/"))

    return block


def test_the_python_of_the_docs_runs(
    desk: Callable[[str], str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    names: dict[str, Any] = {}
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    exec(desk("python"), names)
    names["client"].close()
    assert names["found"]["top"][0]["label"] == "fish"
    assert Path(names["found"]["files"]["overlay"]).read_bytes().startswith(b"\x89PNG")


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("bash")), reason="no curl, or no bash, on this machine")
def test_the_curl_of_the_docs_runs(desk: Callable[[str], str]) -> None:
    done = subprocess.run(["bash", "-c", desk("bash")], capture_output=True, text=True, timeout=patience())
    assert "event: complete" in done.stdout, done.stderr
    answer = json.loads(done.stdout.partition("data: ")[2].splitlines()[0])
    assert answer[0]["top"][0]["label"] == "fish"
    assert len(answer[0]["top"]) == 3
