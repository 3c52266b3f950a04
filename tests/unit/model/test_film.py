"""Films: many steps of one network in a file. What comes back is what was packed, nearly; a damaged file is refused in words."""

import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

import vizapp
from support.together import together
from train.batches import pixels_of
from vizapp.errors import VizError
from vizapp.model import film as films
from vizapp.model.film import Film, pack, read_film, unpack
from vizapp.model.toy.lessons import LESSONS
from vizapp.model.vit import ViT
from vizapp.model.zoo import bundled

SHAPE: dict[str, Any] = {"img_size": 32, "patch_size": 8, "embed_dim": 32, "depth": 2, "num_heads": 2, "num_classes": 3}
STEPS = (0, 10, 40)
MOST = 2e-3  # of any attention


def planted() -> dict[int, dict[str, torch.Tensor]]:
    """Three steps of a small network: drawn, changed a little everywhere, changed a lot in a few places."""
    torch.manual_seed(0)
    net = ViT(**SHAPE)
    first = {name: value.clone() * (5 if "qkv.weight" in name else 1) for name, value in net.state_dict().items()}
    second = {name: value + 0.02 * torch.randn_like(value) for name, value in first.items()}
    third = {name: value + 0.3 * (torch.rand_like(value) < 0.1) for name, value in second.items()}
    return dict(zip(STEPS, (first, second, third), strict=True))


def shapes() -> dict[str, torch.Size]:
    return {name: value.shape for name, value in ViT(**SHAPE).state_dict().items()}


def maps(weights: dict[str, torch.Tensor]) -> torch.Tensor:
    """Every attention of every layer, on 20 held-out pictures."""
    net, found = ViT(**SHAPE).eval(), []
    net.load_state_dict(weights)
    for block in net.blocks:
        block.attn.softmax.register_forward_hook(lambda module, inputs, out: found.append(out))
    pictures = [torch.from_numpy(LESSONS["clutter"].example(number, 32).picture) for number in range(20)]
    with torch.no_grad():
        net(pixels_of(torch.stack(pictures)))
    return torch.stack(found)


def test_maps_come_back_nearly_as_they_were() -> None:
    frames = planted()
    packed = pack(frames)
    before = {step: maps(weights) for step, weights in frames.items()}
    assert all((before[0] - before[step]).abs().max() > 10 * MOST for step in STEPS[1:]), "the steps do differ"
    for step in STEPS:
        found = unpack(packed, Film(STEPS, step), shapes())
        assert {name: value.shape for name, value in found.items()} == shapes()
        assert (maps(found) - before[step]).abs().max() < MOST, step


def test_errors_do_not_add_up() -> None:
    """Each step is held against the one before as it is read back, not as it was."""
    first = planted()[0]
    frames = {step: {name: value * (1 + 0.011 * step) for name, value in first.items()} for step in range(30)}
    packed = pack(frames)
    units = packed["units"].max()
    for step in (1, 29):
        found = unpack(packed, Film(tuple(frames), step), shapes())
        assert max(float((found[name] - value).abs().max()) for name, value in frames[step].items()) <= 0.51 * units


def test_a_step_can_be_packed_more_finely_and_a_jump_is_not_packed() -> None:
    frames = planted()
    lost = []
    for finer in ({}, {10: 8}):
        found = unpack(pack(frames, finer), Film(STEPS, 10), shapes())
        lost.append(max(float((found[name] - value).abs().max()) for name, value in frames[10].items()))
    assert lost[1] < lost[0] / 6
    first = planted()[0]
    with pytest.raises(ValueError, match="step 1"):
        pack(
            {0: first, **dict.fromkeys(range(2, 2000), first), 1: {name: value + 1e4 for name, value in first.items()}}
        )


Damage = Callable[[dict[str, torch.Tensor], dict[str, Any]], Any]
TOO_MANY = torch.frombuffer(bytearray(zlib.compress(bytes(10**7))), dtype=torch.uint8)
DAMAGES: dict[str, Damage] = {  # what is done to the tensors of a file, or to what it says of itself
    "cut": lambda state, about: state.update({"10": state["10"][:-20].clone()}),
    "garbled": lambda state, about: state.update({"10": torch.zeros_like(state["10"])}),
    "too many": lambda state, about: state.update({"10": TOO_MANY}),
    "missing": lambda state, about: state.pop("10"),
    "other numbers": lambda state, about: state.update({"10": state["10"].float()}),
    "no units": lambda state, about: state.update({"units": state["units"][:-1].clone()}),
    "endless units": lambda state, about: state["units"][0].fill_(torch.inf),
    "too fine": lambda state, about: state["fineness"][1].fill_(0),
    "no steps": lambda state, about: about["film"].update(steps=[]),
    "falling": lambda state, about: about["film"].update(steps=[0, 40, 10]),
    "no list": lambda state, about: about.update(film=7),
    "a short curve": lambda state, about: about["film"].update(curves={"accuracy": [[0.5]]}),
    "a strange curve": lambda state, about: about["film"].update(curves={"beauty": [[0.5] * 3]}),
    "above one": lambda state, about: about["film"].update(curves={"accuracy": [[0.5, 2.0, 0.5]]}),
    "huge": lambda state, about: about["architecture"].update(embed_dim=8192),
}


def written(folder: Path, damage: Damage | None = None) -> str:
    """A film in a file of one's own, as `vizapp.load` names it."""
    state = pack(planted())
    about: dict[str, Any] = {"network": "vit", "architecture": dict(SHAPE), "labels": ["a", "b", "c"], "size": [32, 32]}
    about |= {"mean": [0.5] * 3, "std": [0.5] * 3, "interpolation": "bicubic", "crop": 1.0, "fit": "crop"}
    about |= {"subject": "scenes", "notes": [], "facts": {}, "film": {"steps": list(STEPS)}}
    if damage:
        damage(state, about)
    save_file(state, folder / "film.safetensors", {"vizapp": json.dumps(about)})
    return f"file:{folder / 'film.safetensors'}"


def test_a_film_of_ones_own_opens_at_its_last_step_and_at_any(tmp_path: Path) -> None:
    name, frames = written(tmp_path), planted()
    for option, step in (("", 40), ("?step=0", 0), ("?step=10", 10)):
        model = vizapp.load(name + option, "cpu")
        assert model.film == Film(STEPS, step)
        assert (maps(model.net.state_dict()) - maps(frames[step])).abs().max() < MOST


@together("damage", DAMAGES)
def test_a_damaged_film_is_refused_in_words(tmp_path: Path, damage: str) -> None:
    with pytest.raises(VizError):
        vizapp.load(written(tmp_path, DAMAGES[damage]), "cpu")


def test_a_step_that_is_not_there_says_which_are(tmp_path: Path) -> None:
    name = written(tmp_path)
    with pytest.raises(VizError, match=r"no step 11.*0, 10, 40"):
        vizapp.load(f"{name}?step=11", "cpu")
    for text in ("x", "-1", "1.5", "9" * 30):
        with pytest.raises(VizError, match="no step of a training"):
            vizapp.load(f"{name}?step={text}", "cpu")
    with pytest.raises(VizError, match="no option"):
        vizapp.load("toy?step=0", "cpu")
    with pytest.raises(VizError, match="no film"):
        vizapp.load(f"file:{bundled.FOLDER / 'toy.safetensors'}?step=0", "cpu")


def test_a_film_says_of_itself_what_is_read_again_and_both_are_small() -> None:
    film = Film((0, 5), 5, 9, {"accuracy": ((0.1, 0.9),)}, {"accuracy": 0.1}, {"cup": 5})
    assert read_film(json.loads(json.dumps(film.said()))) == film
    sizes = [(bundled.FOLDER / f"{name}.safetensors").stat().st_size for name in ("born", "born-shortcut")]
    assert sum(sizes) <= 12e6
    assert films.LARGEST == 2**15 - 1
