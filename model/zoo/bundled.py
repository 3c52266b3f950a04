"""The models that ship with vizapp: every file in assets/weights, trained by `python -m train`. No network connection is needed.

A film holds one network at several steps of its training: "born" is its last, "born?step=293" an earlier one.
"""

from dataclasses import replace
from pathlib import Path

from vizapp.errors import VizError
from vizapp.model.film import FILM
from vizapp.model.spec import VisionModel
from vizapp.model.timm_names import close_to
from vizapp.model.toy.labels import notes_of, spoken
from vizapp.model.weights import network_of_checkpoint, read_checkpoint
from vizapp.model.zoo import ModelName, parse_step
from vizapp.wording import Text

PREFIXES = ("bundled",)
ORDER = ("toy", "registers", "mean", "unaided", "crate", "relation", "shortcut", "born", "born-shortcut")
LESSON = {"relation": "relation", "shortcut": "shortcut", "born-shortcut": "shortcut"}  # all others: "objects"
CLASSES_ONLY = ("unaided", "crate")  # taught the class of the picture, and nothing of its patches
FOLDER = Path(__file__).parents[2] / "assets" / "weights"


def names() -> tuple[str, ...]:
    """List all bundled models, the default one first."""
    found = {path.stem for path in FOLDER.glob("*.safetensors")}
    return (*(name for name in ORDER if name in found), *sorted(found.difference(ORDER)))


def load(asked: ModelName) -> VisionModel:
    if asked.name not in names():
        close = close_to(asked.name, names())
        hint = Text(
            "Bundled: {names}. Others by source: timm:NAME, hf-hub:OWNER/NAME, file:PATH.safetensors?arch=NAME.",
            names=", ".join(names()),
        )
        if close:
            hint = Text("Did you mean {names}?", names=", ".join(close))
        raise VizError("There is no bundled model '{name}'.", hint, name=asked.name)
    state, description = read_checkpoint(FOLDER / f"{asked.name}.safetensors")
    options = asked.take(step="") if FILM in description else asked.take()
    model = network_of_checkpoint(asked.name, state, description, step=parse_step(options.get("step", "")))
    # The notes in the frozen files are older than these.
    notes = notes_of(LESSON.get(asked.name, "objects"), patches_taught=asked.name not in CLASSES_ONLY)
    return replace(model, labels=tuple(map(spoken, model.labels)), notes=notes)
