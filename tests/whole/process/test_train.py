"""The training runs, survives a kill, and the network that we ship is as good as its card says."""

import itertools
import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch
from safetensors import safe_open

import vizapp
from support.paths import ROOT
from support.waiting import until
from train.__main__ import main
from train.batches import batches, scenes
from train.card import CHOSEN_ON, loaded
from train.film_measures import measured
from train.optimisers import Muon, rate_at
from train.recipes import RECIPES
from train.student import WEIGHTS, new_student
from train.training import Training, load, train
from vizapp.data.evaluation import evaluate
from vizapp.data.statistics import MapKey
from vizapp.model.toy.lessons import LESSONS
from vizapp.model.toy.things import CLASSES
from vizapp.model.weights import read_checkpoint
from vizapp.model.zoo import bundled

SECONDS = RECIPES["seconds"]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Tiny matrices: more threads would only wait for each other."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def quiet(_: str) -> None: ...


def test_the_command_writes_a_network_and_its_card(tmp_path: Path) -> None:
    out = tmp_path / "tiny.safetensors"
    main(["--recipe", "seconds", "--out", str(out), "--state", str(tmp_path / "state")])
    net, about = load(out)
    assert about["labels"] == list(CLASSES)
    assert about["subject"] == "scenes"
    assert {"architecture", "mean", "std", "interpolation", "size", "crop", "fit", "notes", "facts"} <= about.keys()
    assert net(torch.zeros(1, 3, *about["size"])).shape == (1, len(CLASSES))
    with safe_open(out, framework="pt") as file:
        assert {file.get_tensor(name).dtype for name in file.keys()} == {torch.float16}  # noqa: SIM118  no mapping
    written = out.with_suffix(".md").read_text()
    seen = evaluate(vizapp.load(f"file:{out}", "cpu"), "clutter", count=SECONDS.held_out, first=100)
    assert f"| clutter: among clutter | {SECONDS.held_out} | {seen.accuracy} [" in written, (
        "it repeats what can be measured"
    )
    assert f"| rollout | {seen[MapKey('rollout')]['energy']}±" in written
    for words in ("taught patch by patch, too", "MIT", "CPU-minutes", "| centre |", "Controls", SECONDS.settings):
        assert words in written


def test_a_stopped_training_ends_where_an_unbroken_one_does_with_its_film(tmp_path: Path) -> None:
    """Stopped in the first phase, exactly between the two, and in the second; there, at both ends, a step is kept."""
    recipe = replace(SECONDS, film=(0, 7, 12, 20, 24))
    whole, _, frames = train(recipe, tmp_path / "whole", log=quiet)
    assert tuple(sorted(frames)) == recipe.film
    for steps in (7, 5, 4):
        train(recipe, tmp_path / "broken", stop_after=steps, log=quiet)
    broken, done, others = train(recipe, tmp_path / "broken", log=quiet)
    assert done.images == recipe.images
    for step, weights in frames.items():
        for name, value in weights.items():
            assert value.shape == whole[name].shape
            torch.testing.assert_close(others[step][name], value)
    for name, value in whole.items():
        torch.testing.assert_close(broken[name], value)
        torch.testing.assert_close(frames[24][name], value)
    plain, _, nothing = train(SECONDS, tmp_path / "plain", log=quiet)
    assert nothing == {}
    for name, value in plain.items():
        torch.testing.assert_close(whole[name], value, msg="to be filmed changes nothing")


def test_a_killed_process_goes_on(tmp_path: Path) -> None:
    """The checkpoint is written beside and then moved, so that a kill leaves the old one whole."""
    state = tmp_path / "state"
    program = (
        "import dataclasses, pathlib, sys; from train import recipes as r, training as t; t.CHECKPOINT_SECONDS = 0.0\n"
        "endless = dataclasses.replace(r.RECIPES['seconds'], phases=(r.Phase(16, 10**6, patch_block=0),))\n"
        "t.train(endless, pathlib.Path(sys.argv[1]))"
    )
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen([sys.executable, "-c", program, str(state)], stdout=subprocess.DEVNULL, env=environment)
    until(lambda: process.poll() is not None or state.exists())
    assert process.poll() is None
    process.kill()
    process.wait()
    saved = torch.load(state, weights_only=True)
    assert saved["progress"]["step"] >= 1
    assert all(value.isfinite().all() for value in saved["average"].values())


def test_another_recipe_does_not_go_on_from_a_checkpoint(tmp_path: Path) -> None:
    train(SECONDS, tmp_path / "state", stop_after=1, log=quiet)
    with pytest.raises(SystemExit, match="another recipe"):
        train(replace(SECONDS, rate=1e-4), tmp_path / "state", log=quiet)


def test_targets_say_what_each_patch_shows() -> None:
    batch = scenes(range(20), replace(SECONDS, pairs=0.3), 32)
    torch.testing.assert_close(batch.classes.sum(1), torch.ones(20))
    torch.testing.assert_close(batch.patches.sum(-1), torch.ones(20, 4, 4))
    shown = batch.patches[..., :-1].sum((1, 2)) > 0
    assert torch.equal(shown, batch.classes > 0)
    assert ((batch.classes > 0).sum(1) == 2).sum() == 6, "0.3 of 20 have two objects"


def test_batches_start_anywhere() -> None:
    """What makes a resumed training the same: batch k does not depend on the batches before it."""
    later = next(batches(SECONDS, 1, 9))
    for step, batch in enumerate(batches(SECONDS, 1, 0)):
        if step == 9:
            assert torch.equal(batch.pictures, later.pictures)
            return


def test_the_rate_rises_holds_and_falls() -> None:
    recipe = RECIPES["toy"]
    first, last = recipe.phases[0], recipe.phases[-1]
    assert rate_at(recipe, 0, 0) < recipe.rate / 50
    assert rate_at(recipe, 0, first.steps - 1) == recipe.rate
    assert rate_at(recipe, len(recipe.phases) - 1, last.steps - 1) < recipe.rate / 50


def test_muon_moves_every_direction_equally() -> None:
    """After one step from zero the change is a multiple of an orthogonal matrix, up to Newton-Schulz's tolerance."""
    torch.manual_seed(0)
    p = torch.nn.Parameter(torch.zeros(24, 8))
    p.grad = torch.randn(24, 8) * torch.logspace(-1, 1, 8)
    Muon([p], rate=1.0, weight_decay=0.0).step()
    stretches = torch.linalg.svdvals(p.detach()) / (0.2 * math.sqrt(24))
    assert 0.6 < stretches.min() < stretches.max() < 1.3


def test_a_phase_may_drop_the_last_blocks(tmp_path: Path) -> None:
    """What is left is what was learned; nothing else changes at the border of the phases."""
    recipe = replace(SECONDS, phases=(SECONDS.phases[0], replace(SECONDS.phases[0], depth=1)))
    training = Training(recipe, torch.device("cpu"))
    for batch in itertools.islice(batches(recipe, 0, 0), 2):
        training.step(batch)
    before = training.student.state_dict()
    training.next_phase()
    after = training.student.state_dict()
    assert len(training.student.net.blocks) == 1
    assert all(torch.equal(value, before[name]) for name, value in after.items())
    assert training.average.keys() == training.student.net.state_dict().keys()
    assert recipe.architecture()["depth"] == 1


def test_a_network_may_begin_with_the_weights_of_another() -> None:
    """What fits is taken over, the rest is new: registers, another head."""
    recipe = RECIPES["registers"]
    begun, toy = new_student(recipe, recipe.phases[0]).net, read_checkpoint(WEIGHTS / "toy.safetensors")[0]
    assert torch.equal(begun.blocks[4].mlp.fc1.weight, toy["blocks.4.mlp.fc1.weight"].float())
    assert begun.prefix == ("cls", "reg0", "reg1", "reg2", "reg3")
    other = new_student(RECIPES["relation"], RECIPES["relation"].phases[0]).net
    assert torch.equal(other.pos_embed, toy["pos_embed"].float())
    assert other.head.out_features == 2


def test_a_taught_lesson_has_its_own_answers() -> None:
    batch = scenes(range(8), replace(SECONDS, lesson="relation"), 32)
    assert batch.classes.shape == (8, 2)
    for seed in range(8):
        example = LESSONS["relation"].make(seed, 32)
        assert batch.classes[seed].argmax() == example.answers[0]
        assert batch.patches[seed, ..., -1].sum() < 16, "and where the things are is known all the same"


def test_without_a_patch_loss_patches_teach_nothing(tmp_path: Path) -> None:
    """Said of a network "taught classes only": not one weight may depend on where the objects are."""
    recipe = replace(SECONDS, patch_loss=0.0, phases=SECONDS.phases[:1])
    honest, blind = (Training(recipe, torch.device("cpu")) for _ in range(2))
    for batch in itertools.islice(batches(recipe, 0, 0), 4):
        honest.step(batch)
        blind.step(replace(batch, patches=torch.full_like(batch.patches, 1 / 13)))
    assert all(torch.equal(value, blind.average[name]) for name, value in honest.average.items())


# -------------------------------------------------------------------------------------------- the networks that we ship

SHIPPED = pytest.mark.parametrize("name", bundled.names())


def test_all_are_there_and_together_they_are_small() -> None:
    assert (
        {"toy", "registers", "mean", "unaided", "crate", "shortcut", "born", "born-shortcut"}
        <= set(bundled.names())
        <= set(RECIPES)
    )
    assert bundled.names()[0] == "toy"
    assert sum(file.stat().st_size for file in WEIGHTS.glob("*.safetensors")) <= 46_000_000


@SHIPPED
def test_a_file_says_what_it_is(name: str) -> None:
    recipe, about = RECIPES[name], load(WEIGHTS / f"{name}.safetensors")[1]
    assert about["architecture"] == json.loads(json.dumps(recipe.architecture()))
    assert about["labels"] == list(recipe.classes)
    assert about["facts"]["taught"] == recipe.taught
    assert about["notes"]
    assert vizapp.load(name, "cpu").notes == recipe.notes, "a frozen file is older than what was noted since"
    card = (WEIGHTS / f"{name}.md").read_text("utf-8")
    assert f"`{recipe.settings}`" in card, "the card belongs to the recipe as it is now"
    assert f"--recipe {name}" in card
    assert f"**{' '.join(recipe.notes)}**" in card
    assert any("patch by patch" in note.lower() for note in recipe.notes) == bool(recipe.patch_loss)


def test_it_is_said_where_the_network_is_praised_that_its_patches_were_taught() -> None:
    assert RECIPES["toy"].patch_loss
    assert not RECIPES["unaided"].patch_loss
    said = {"README.md": "class of every patch", "README.zh.md": "每个图像块的类别"} | {
        f"vizapp/ui/textbook/{chapter}.toml": "atches were" for chapter in ("03_cls", "06_clutter")
    }
    assert [path for path, words in said.items() if words not in (ROOT / path).read_text("utf-8")] == []
    assert [
        path for path in said if path.startswith("README") and "`unaided`" not in (ROOT / path).read_text("utf-8")
    ] == []


@pytest.mark.parametrize("name", [name for name in bundled.names() if not name.startswith("born")])
def test_a_network_knows_what_its_card_says(name: str) -> None:
    """On the first 24 pictures, so with a wide margin; and its maps are better than those of blind ones. Films: below."""
    model, lesson = vizapp.load(name, "cpu"), RECIPES[name].lesson
    seen = evaluate(model, "clutter" if lesson == "objects" else lesson, methods=["attention"], count=24, first=100)
    assert seen.accuracy is not None
    assert abs(seen.accuracy.mean - float(model.facts["accuracy"].split()[0])) < 0.2
    assert seen.accuracy.mean > 0.7
    last = seen[MapKey("attention", len(model.attention) - 1)]
    if lesson == "shortcut":
        layers = [seen[MapKey("attention", layer)] for layer in range(len(model.attention))]
        most = max(one["energy on the mark"].mean for one in layers)
        assert most > 5 * seen[MapKey("random")]["energy on the mark"].mean
    else:
        assert last["lift"].mean > 1.5
        assert last["auc"].mean > 0.6


@pytest.mark.parametrize("name", [name for name in ("born", "born-shortcut") if name in bundled.names()])
class TestFilms:
    """The films that ship: small, and as good as their cards say."""

    def test_any_step_opens(self, name: str) -> None:
        film = vizapp.load(name, "cpu").film
        assert film is not None
        assert film.at == film.steps[-1]
        assert len(film.steps) <= 24
        for step in (film.steps[0], film.steps[len(film.steps) // 2]):
            model = vizapp.load(f"{name}?step={step}", "cpu")
            assert model.film is not None
            assert model.film.at == step

    def test_what_the_file_keeps_is_measured_again(self, name: str) -> None:
        """Right answers and CLS on the object at three steps, on the first 120 of the pictures that the file was measured on."""
        film = vizapp.load(name, "cpu").film
        assert film is not None
        steps = [film.steps[0], film.steps[len(film.steps) // 2], film.steps[-1]]
        file = bundled.FOLDER / f"{name}.safetensors"
        found = measured(partial(loaded, name, file), steps, replace(RECIPES[name], held_out=120), CHOSEN_ON)
        for curve, rows in found["curves"].items():
            for row, whole in zip(rows, film.curves[curve], strict=True):
                expected = [whole[film.steps.index(step)] for step in steps]
                assert row == pytest.approx(expected, abs=0.12 if curve in ("accuracy", "unmarked") else 0.08), curve

    def test_its_story(self, name: str) -> None:
        """It begins at chance and ends knowing; attention moves to the object, or to the bar code that gives the class away."""
        film = vizapp.load(name, "cpu").film
        assert film is not None
        (accuracy,) = film.curves["accuracy"]
        assert accuracy[0] < 0.15
        assert accuracy[-1] > 0.88
        assert set(film.learned.values()) <= set(film.steps)
        place = "mark" if "mark" in film.curves else "object"
        assert max(row[0] for row in film.curves[place]) < 2 * film.levels[place]
        assert max(row[-1] for row in film.curves[place]) > 3 * film.levels[place]
        if place == "mark":
            assert max(row[-1] for row in film.curves["object"]) < 1.5 * film.levels["object"], (
                "it looks past the thing"
            )
            assert film.curves["unmarked"][0][-1] < 0.3
