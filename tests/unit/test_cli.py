"""The command line: what it writes, what each option does, and one line for each slip."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import vizapp.verbs
from support import gaps
from support.checkpoints import save_vit
from support.networks import Routed, small_vit
from support.together import together
from vizapp import cli, painting, pipeline
from vizapp.cli import main
from vizapp.core.methods import methods as every_method
from vizapp.render.overlay import Style
from vizapp.vocabulary import FUSIONS


@pytest.fixture(scope="module")
def photo(tmp_path_factory: pytest.TempPathFactory, picture: np.ndarray) -> str:
    path = tmp_path_factory.mktemp("photo") / "photo.png"
    Image.fromarray(picture).save(path)
    return str(path)


@pytest.fixture(scope="module")
def name(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model with two registers and a note."""
    folder = tmp_path_factory.mktemp("model")
    return save_vit(folder / "small.safetensors", reg_tokens=2, notes=("The weights are random.",))


@pytest.fixture
def explain(photo: str, name: str, tmp_path: Path) -> Any:
    """Run `vizapp explain` with more options and read the numbers that it wrote."""

    def run(*options: str) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        out = tmp_path / "out.npz"
        assert main(["explain", photo, "--model", name, "--device", "cpu", "-o", str(out), *options]) == 0
        with np.load(out) as file:
            numbers = dict(file)
        return numbers, json.loads(str(numbers.pop("about")))

    return run


@pytest.mark.parametrize(("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_a_figure_is_written(photo: str, name: str, tmp_path: Path, capsys: Any, suffix: str, start: bytes) -> None:
    out = tmp_path / f"figure{suffix}"
    assert main(["explain", photo, "--model", name, "-o", str(out)]) == 0
    assert out.read_bytes().startswith(start)
    said, beside = capsys.readouterr()
    assert beside == "note: The weights are random.\n", "what is no result is on stderr"
    assert said.count("thing ") == 3, "the three most probable labels"
    assert f"{out}: rollout" in said
    assert "on cls" in said


def test_the_numbers_are_those_of_the_api(photo: str, name: str, explain: Any) -> None:
    """A .npz holds what is needed to repeat it: scores, query, logits, labels, and how they were made."""
    numbers, about = explain()
    seen = pipeline.analyse(pipeline.load(name, "cpu"), photo)
    relevance = pipeline.explain(seen)
    np.testing.assert_array_equal(numbers["scores"], relevance.scores)
    np.testing.assert_array_equal(numbers["query"], relevance.query)
    np.testing.assert_array_equal(numbers["on_prefix"], np.array(list(relevance.on_prefix.values())))
    np.testing.assert_array_equal(numbers["logits"], seen.trace.logits.numpy())
    assert tuple(numbers["labels"]) == seen.labels
    assert (about["method"], about["settings"]) == ("rollout", relevance.settings)
    assert (about["prefix"], about["grid"]) == (["cls", "reg0", "reg1"], [4, 4])
    assert about["frame"]["picture"] == [40, 60]
    assert about["notes"] == ["The weights are random."]


@together(
    ("options", "asked"),
    [
        ("--layer 0", {"layer": 0}),
        ("--query reg1", {"query": "reg1"}),
        ("--query 1,2", {"query": "1,2"}),
        ("--query mean", {"query": "mean"}),
        ("--set fusion=max --set skip_weight=0.2", {"fusion": "max", "skip_weight": 0.2}),
        ("--set start_layer=1 --set discard=0.5", {"start_layer": 1, "discard": 0.5}),
        ("--set layer=1", {"layer": 1}),
        ("--method attention --layer 1 --head 2", {"method": "attention", "layer": 1, "head": 2}),
        ("--method attention --set head=2", {"method": "attention", "head": 2}),
        ("--method attention --set direction=to", {"method": "attention", "direction": "to"}),
    ],
)
def test_an_option_is_the_same_as_in_python(photo: str, name: str, explain: Any, options: str, asked: dict) -> None:
    numbers, _ = explain(*options.split())
    expected = pipeline.explain(pipeline.analyse(pipeline.load(name, "cpu"), photo), **asked)
    np.testing.assert_array_equal(numbers["scores"], expected.scores)


@pytest.mark.parametrize("fit", ["crop", "pad", "squash"])
def test_fit_is_handed_on(photo: str, name: str, explain: Any, fit: str) -> None:
    numbers, about = explain("--fit", fit)
    seen = pipeline.analyse(pipeline.load(name, "cpu"), photo, fit=fit)
    np.testing.assert_array_equal(numbers["scores"], pipeline.explain(seen).scores)
    assert about["frame"]["origin"] == list(seen.frame.origin)


def test_the_look_is_handed_on(photo: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Colours, smoothing and scale change the figure, not the numbers."""
    asked = []
    monkeypatch.setattr(painting, "save", lambda seen, relevance, path, **look: asked.append((path, look)))
    look = ["--colours", "magma", "--smooth", "--scale", "0.25"]
    assert main(["explain", photo, "--model", name, "-o", "x.png", *look]) == 0
    assert main(["explain", photo, "--model", name, "-o", "x.png", "--scale", "layer"]) == 0
    assert asked[0] == ("x.png", {"scale": 0.25, "style": Style(colour_map="magma", smooth=True)})
    assert asked[1] == ("x.png", {"scale": "layer", "style": Style()})


@together(
    ("options", "said"),
    [
        ("--query banana", "'banana' is no query of this model"),
        ("--query 9,9", "There is no patch (9, 9)"),
        ("--layer 7", "There is no layer 7"),
        ("--head 2", "rollout has no setting 'head'"),
        ("--method attention --head 9", "There is no head 9"),
        ("--method saliency", "There is no method 'saliency'"),
        ("--set skip_weight", "'skip_weight' is no setting of rollout"),
        ("--set colour=red", "'colour=red' is no setting of rollout"),
        ("--set skip_weight=much", "skip_weight=much is not possible. It takes a number"),
        ("--set skip_weight=2", "skip_weight=2.0"),
        ("--set fusion=sum", f"Choose one of: {', '.join(FUSIONS)}"),
        ("--method attention --set head=first", "head=first is not possible"),
        ("--fit stretch", "'stretch' is no way to fit a picture"),
        ("--scale everything", "'everything' is no scale"),
        ("--scale -1", "must be above zero"),
        ("--colours jet", "jet is not offered"),
        ("--device nonsense", "'nonsense' is no device"),
        ("--device cuda:99", "'cuda:99' is not on this machine"),
        ("--model nobody", "There is no bundled model 'nobody'"),
        ("-o figure.gif", "End the name with one of"),
        ("-o nowhere/figure.png", "cannot be written"),
        ("-o nowhere/numbers.npz", "cannot be written"),
    ],
)
def test_a_slip_is_one_line_and_exit_code_2(
    photo: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any, options: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["explain", photo, "--model", name, *options.split()]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("vizapp: ")
    assert said in lines[0]
    assert list(tmp_path.iterdir()) == [], "nothing half is left behind"


def test_a_bad_picture_is_one_line_too(name: str, tmp_path: Path, capsys: Any) -> None:
    letter = tmp_path / "letter.png"
    letter.write_text("Dear reader")
    for path, said in (
        (letter, "is not a picture"),
        (tmp_path / "none.png", "There is no file"),
        (tmp_path, "is a folder"),
    ):
        assert main(["explain", str(path), "--model", name]) == 2
        assert said in capsys.readouterr().err


def test_evaluate_prints_a_table_and_writes_the_numbers(tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "result.csv"
    arguments = ["--set", "one", "--methods", "rollout", "--count", "2", "--device", "cpu", "-o", str(out)]
    assert main(["evaluate", *arguments]) == 0
    printed = capsys.readouterr()
    for words in ("toy on one: 2 held-out pictures", "accuracy", "random", "centre", "rollout", "best IoU"):
        assert words in printed.out
    assert out.read_text().startswith("model,set,pictures,method,layer,head,metric,mean,low,high")
    assert main(["evaluate", "--set", "three", "--device", "cpu"]) == 2
    assert "There is no set 'three'" in capsys.readouterr().err


def test_check_lists_the_calls_and_says_what_other_softmaxes_are(
    photo: str, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    model = small_vit()
    monkeypatch.setattr(pipeline, "load", lambda name, device=None: model)
    assert main(["check", "small", "--image", photo]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:3]] == ["blocks.0.attn", "blocks.1.attn", "blocks.2.attn"]
    assert lines[3].startswith("3 of 3 softmaxes")
    assert lines[4:] == ["exact"]
    routed = replace(model, net=Routed(model.net).eval(), attention=(), patch=None)
    monkeypatch.setattr(pipeline, "load", lambda name, device=None: routed)
    assert main(["check", "small"]) == 0
    assert "1 softmax belongs to none of them: not seen to weigh values" in (said := capsys.readouterr().out)
    assert "Ran in: router.\nexact\n" in said


def test_check_names_all_that_is_not_shown_and_what_that_rules_out(
    monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr(pipeline, "load", lambda name, device=None: gaps.of(gaps.Hybrid(gaps.in_pieces(False, True))))
    assert main(["check", "small"]) == 0
    ruled_out, second, verdict = capsys.readouterr().out.splitlines()[-3:]
    assert ruled_out.startswith("Ruled out: ")
    assert "rollout" in ruled_out
    assert second.startswith("blocks.1#1 is not shown, as ")
    assert verdict.startswith("exact in what is shown. Only 2 of 4 attentions")


def test_a_verb_is_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    (tmp_path / "greet.py").write_text(
        "HELP = 'say hello'\n"
        "def add(command): command.add_argument('name')\n"
        "def run(asked): print(f'hello {asked.name}')\n"
    )
    monkeypatch.setattr("vizapp.verbs.__path__", [*vizapp.verbs.__path__, str(tmp_path)])
    assert main(["greet", "you"]) == 0
    assert capsys.readouterr().out == "hello you\n"
    assert "say hello" in cli.parser().format_help()


def test_lists_of_models_and_methods(capsys: Any) -> None:
    assert main(["models"]) == 0
    assert capsys.readouterr().out.splitlines() == list(pipeline.model_names())
    assert main(["methods"]) == 0
    said = capsys.readouterr().out
    assert "Abnar & Zuidema 2020" in said
    assert f"fusion=mean  {' | '.join(FUSIONS)}" in said
    assert "<class" not in said


def test_what_is_found_is_said_as_json(name: str, photo: str, tmp_path: Path, capsys: Any) -> None:
    """`--json` of models, methods, explain and measure: on stdout nothing else, JSON without NaN, the same as in Python."""

    def read(*arguments: str) -> Any:
        assert main(list(arguments)) == 0, capsys.readouterr().err
        return json.loads(capsys.readouterr().out, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))

    models = read("models", "--json")
    assert [one["name"] for one in models] == list(pipeline.model_names())
    assert models[0] == {"name": "toy", "source": "bundled", "here": True}
    methods = {one["name"]: one for one in read("methods", "--json")}
    assert list(methods) == list(every_method())
    settings = {one["name"]: one for one in methods["rollout"]["settings"]}
    assert settings["fusion"]["choices"] == [*FUSIONS]
    assert (settings["skip_weight"]["default"], settings["skip_weight"]["takes"]) == (0.5, ["float"])
    out = str(tmp_path / "out.png")
    found = read("explain", photo, "--model", name, "--json", "-o", out)
    relevance = pipeline.explain(pipeline.analyse(pipeline.load(name), photo))
    np.testing.assert_array_equal(np.float32(found["values"]), relevance.scores)
    assert found["notes"] == ["The weights are random."]
    assert (found["output"], found["method"], found["target"]) == (out, "rollout", None)
    assert len(found["top"]) == 5
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "a.png").write_bytes(Path(photo).read_bytes())
    measured = read("measure", name, str(tmp_path / "photos"), "-o", str(tmp_path / "heads.json"), "--json")
    assert len(measured["rows"]) == 3 * 4
    assert measured["rows"][0]["on_mask"] is None, "what is not known"
    assert measured["output"] == str(tmp_path / "heads.json")


STARTING = "vizapp: starting ...\n"


@pytest.mark.parametrize(
    ("arguments", "usage", "meant"),
    [
        ("paint", "vizapp [-h]", ""),
        ("explian photo.jpg", "vizapp [-h]", "explain"),
        ("explain", "vizapp explain", ""),
        ("explain photo.jpg --methd rollout", "vizapp explain", "--method"),
        ("serve --shore", "vizapp serve", "--share"),
        ("evaluate --cuont=3", "vizapp evaluate", "--count"),
        ("--verion", "vizapp [-h]", "--version"),
    ],
)
def test_what_cannot_be_understood_shows_the_usage_of_its_verb_and_what_was_meant(
    arguments: str, usage: str, meant: str, capsys: Any
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments.split())
    said = capsys.readouterr().err
    assert said.startswith(f"usage: {usage}")
    assert said.endswith(f". Did you mean {meant}?\n") == bool(meant)


def test_no_verb_is_help(capsys: Any) -> None:
    assert main([]) == 0
    assert capsys.readouterr().out.startswith("usage: vizapp [-h]")


@together(
    ("options", "said", "before"),
    [
        ("--model nobody", "There is no bundled model 'nobody'", STARTING),
        ("--device nonsense", "'nonsense' is no device", STARTING),
        ("--device cuda:99", "'cuda:99' is not on this machine", STARTING),
        ("--public --model file:x.safetensors", "A public page cannot serve", ""),
        ("--port 70000", "'70000' is no port. Choose a number from 1024 to 65535", ""),
        ("--port 0", "'0' is no port", ""),
        ("--port -3", "'-3' is no port", ""),
        ("--port many", "'many' is no port", ""),
        ("--port=", "'' is no port", ""),
        ("--host nonsense.invalid", "This computer has no address 'nonsense.invalid'. Choose 127.0.0.1", ""),
        ("--host 203.0.113.9", "This computer has no address '203.0.113.9'", ""),
        ("--host http://localhost", "This computer has no address 'http://localhost'", ""),
        ("--host [::1", "This computer has no address '[::1'", ""),
        (f"--host {'x' * 300}", "This computer has no address 'xxx", ""),
        (
            "--allow-host https://viz.example.org",
            "'https://viz.example.org' is not the name of a host. Write it alone",
            "",
        ),
        ("--allow-host viz.example.org:80", "is not the name of a host", ""),
        ("--allow-host *", "'*' is not the name of a host", ""),
    ],
)
def test_a_page_that_cannot_start_says_why(capsys: Any, options: str, said: str, before: str) -> None:
    """Before Gradio is imported, and with nothing but one line; what needs no torch, before that, too."""
    assert main(["serve", "--no-browser", *options.split()]) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert len(captured.err.splitlines()) == 1
    assert captured.out == before


def test_a_browser_opens_only_where_there_is_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli.sys, "platform", "linux")
    for variable in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(variable, raising=False)
    assert not cli.has_screen()
    monkeypatch.setenv("DISPLAY", ":0")
    assert cli.has_screen()


def test_a_folder_with_a_link_to_itself_and_the_longest_of_names_is_measured(
    name: str, photo: str, tmp_path: Path, capsys: Any
) -> None:
    """Found by tests/support/fuzz/commands.py. The link is left out, and named."""
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "a.png").write_bytes(Path(photo).read_bytes())
    (tmp_path / "photos" / "loop.png").symlink_to("loop.png")
    (tmp_path / "photos" / ("a" * 250 + ".png")).write_bytes(Path(photo).read_bytes())  # its mask could have no name
    assert main(["measure", name, str(tmp_path / "photos"), "-o", str(tmp_path / "out.csv"), "--device", "cpu"]) == 0
    assert "left out: loop.png" in capsys.readouterr().out
