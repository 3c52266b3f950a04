"""The training runs, survives a kill, and the network that we ship is as good as its card says."""

import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors import safe_open

from model.evaluate import attention_of, cls_maps, evaluate, localisation
from model.scenes import CLASSES
from model.train import RECIPES, Muon, batches, load, main, new_student, rate_at, scenes, train

SECONDS = RECIPES["seconds"]
ROOT = Path(__file__).parents[2]
TOY = ROOT / "assets" / "weights" / "toy.safetensors"


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Tiny matrices: more threads would only wait for each other."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def quiet(_: str) -> None: ...


def test_the_command_writes_a_network_and_its_card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "tiny.safetensors"
    command = ["train", "--recipe", "seconds", "--out", str(out), "--state", str(tmp_path / "state")]
    monkeypatch.setattr(sys, "argv", command)
    main()
    net, about = load(out)
    assert about["labels"] == list(CLASSES)
    assert about["subject"] == "scenes"
    assert {"architecture", "mean", "std", "interpolation", "size", "crop", "fit", "notes", "facts"} <= about.keys()
    assert net(torch.zeros(1, 3, *about["size"])).shape == (1, len(CLASSES))
    with safe_open(out, framework="pt") as file:
        assert {file.get_tensor(name).dtype for name in file.keys()} == {torch.float16}  # noqa: SIM118  no mapping
    card = out.with_suffix(".md").read_text()
    measured = evaluate(net, SECONDS.held_out)
    assert f"**{measured['accuracy']:.3f}**" in card, "the card repeats what the program measures"
    for words in ("On photographs its labels are wrong", "MIT", "CPU-minutes", "centre prior", "rollout", str(SECONDS)):
        assert words in card


def test_a_stopped_training_ends_where_an_unbroken_one_does(tmp_path: Path) -> None:
    """Stopped in the first phase, exactly between the two, and in the second."""
    whole, _ = train(SECONDS, tmp_path / "whole", log=quiet)
    for steps in (7, 5, 4):
        train(SECONDS, tmp_path / "broken", stop_after=steps, log=quiet)
    broken, done = train(SECONDS, tmp_path / "broken", log=quiet)
    assert done.images == SECONDS.images
    for name, value in whole.items():
        torch.testing.assert_close(broken[name], value)


def test_a_killed_process_goes_on(tmp_path: Path) -> None:
    """The checkpoint is written beside and then moved, so that a kill leaves the old one whole."""
    state = tmp_path / "state"
    program = (
        "import dataclasses, pathlib, sys; from model import train as t; t.CHECKPOINT_SECONDS = 0.0\n"
        "endless = dataclasses.replace(t.RECIPES['seconds'], phases=(t.Phase(16, 10**6),))\n"
        "t.train(endless, pathlib.Path(sys.argv[1]))"
    )
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen([sys.executable, "-c", program, str(state)], stdout=subprocess.DEVNULL, env=environment)
    while not state.exists():
        assert process.poll() is None
        time.sleep(0.05)
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


def test_localisation_knows_a_perfect_and_a_hopeless_map() -> None:
    mask = np.zeros((32, 32), bool)
    mask[8:16, 16:32] = True
    perfect = mask.reshape(4, 8, 4, 8).mean((1, 3))
    assert localisation(perfect, mask) == (1.0, 1.0, 1.0)
    assert localisation(1 - perfect, mask) == (0.0, 0.0, 0.0)
    flat = localisation(np.ones((4, 4)), mask)
    assert flat[1:] == (mask.mean(), 0.5)


def test_rollout_is_the_product_of_all_layers() -> None:
    """Slow replica of Abnar & Zuidema 2020 with matrices beside the chain of vectors."""
    net = new_student(SECONDS, 32).net.eval()
    _, attention = attention_of(net, torch.randn(2, 3, 32, 32))
    joint = torch.eye(attention.shape[-1]).expand(2, -1, -1)
    for layer in attention:
        joint = (0.5 * torch.eye(attention.shape[-1]) + 0.5 * layer) @ joint
    expected = joint[:, 0, 1:].reshape(2, 4, 4).numpy()
    np.testing.assert_allclose(cls_maps(net, attention)["rollout"], expected, rtol=1e-4)
    assert not any(module._forward_hooks for module in net.modules() if module is not net.blocks[0])


# ------------------------------------------------------------------------------------------- the network that we ship


def test_the_shipped_network_is_small_and_says_what_it_is() -> None:
    net, about = load(TOY)
    assert TOY.stat().st_size <= 6_000_000
    assert net.grid == (14, 14)
    assert about["size"] == [112, 112]
    assert about["labels"] == list(CLASSES)
    assert any("photographs" in note for note in about["notes"])
    assert json.dumps(about["architecture"])
    assert "accuracy" in about["facts"]


def test_the_shipped_network_knows_the_things_and_looks_at_them() -> None:
    """Against the area that an uninformed map would have in the object, and against the same network untrained."""
    net, about = load(TOY)
    last = f"CLS attention, layer {about['architecture']['depth']}"
    trained = evaluate(net, 200, pairs=False)
    fresh = evaluate(new_student(RECIPES["toy"], 112).net, 20, pairs=False)
    assert trained["accuracy"] >= 0.80
    assert trained["maps"][last][1] > 2 * trained["area"]
    assert trained["maps"][last][1] > 1.5 * fresh["maps"][last][1]
    assert trained["maps"][last][2] > 0.8
    assert fresh["accuracy"] < 0.4
