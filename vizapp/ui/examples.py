"""The pictures for visitors without one of their own: lessons, whose answer is known, and the photos that Gradio ships."""

import os
from pathlib import Path

import cv2
import gradio

from vizapp.analysis import Truth
from vizapp.model.zoo.photos import PREFIXES
from vizapp.ui.lesson_pictures import Asked, Place, asked_at, truth_of
from vizapp.ui.server import folder
from vizapp.ui.server.disk_full import told_if_full
from vizapp.whole_file import written_whole

PHOTOS = Path(gradio.__file__).parent / "media_assets" / "images"
FOLDER = "vizapp-lessons"  # in the server's folder; a visitor cannot put files there
SPECIAL = {
    "relation": "relation",
    "shortcut": "shortcut",
    "born-shortcut": "shortcut",
}  # networks that suit one lesson only
SHELF = 144  # pixels of a photo's shorter side on its shelf, which shows a square of 48, on a phone with three pixels for each
FIRST = ("clutter", 16)  # the picture that the page opens with
FIRST_PHOTO = "lion.jpg"  # the same for a network that knows photos: it is nearly square, and so fills the stage


def first(subject: str, cache: str) -> str:
    """Return the first picture of a page: a lesson for a model of the toy world, a photo for one that knows photos."""
    if subject == "scenes":
        return lesson(*FIRST, cache)
    return next((one for one in photos() if Path(one).name == FIRST_PHOTO), photos()[0])


def photos() -> list[str]:
    names = ("cheetah.jpg", "lion.jpg", "tower.jpg", "cheetah1.jpg")
    return [str(PHOTOS / name) for name in names if (PHOTOS / name).exists()]


def small(photo: str) -> str:
    """Return the path of a thumbnail of a picture that we offer. Without them, five stamps would take 0.6 MB."""
    whole = cv2.imread(photo)
    assert whole is not None, "our own lessons and Gradio's own photos can be read"
    scale = min(1, SHELF / min(whole.shape[:2]))
    stamp = cv2.resize(whole, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    files = folder.current()
    path = files.put("vizapp-photo", cv2.imencode(".jpg", stamp, [cv2.IMWRITE_JPEG_QUALITY, 85])[1].tobytes(), ".jpg")
    files.keep(path)
    return str(path)


def lesson(name: str, number: int, cache: str, *, is_bare: bool = False) -> str:
    """Return the path of a picture of a lesson set; render it if it is not there."""
    path = Path(cache) / FOLDER / f"{name}-{number}{'-bare' if is_bare else ''}.png"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        drawn = Place(name, number, is_bare).drawn().picture
        with told_if_full(), written_whole(path, os.urandom(8).hex()) as fresh:
            fresh.write_bytes(cv2.imencode(".png", drawn[:, :, ::-1])[1].tobytes())
    folder.current().keep(path)  # they are few
    return str(path)


def lesson_of(path: str, cache: str) -> Place | None:
    """Find the lesson and number of a picture that `lesson` made; None for any other path."""
    file = Path(path).resolve()
    if file.suffix != ".png" or file.parent != Path(cache).resolve() / FOLDER:
        return None
    return Place.of(file.stem.replace("-", "/"))


def known_of(path: str, cache: str) -> tuple[Truth, ...]:
    """Return the known objects of a picture that `lesson` made; () for any other."""
    made = lesson_of(path, cache)
    return truth_of(made.drawn()) if made else ()


def asked_of(path: str, cache: str) -> Asked | None:
    """Return the question of a picture's lesson; None for any other picture."""
    made = lesson_of(path, cache)
    return asked_at(made, made.drawn()) if made else None


def is_of_toy_world(model: str) -> bool:
    """Tell whether the lessons are for a model: for the built-in ones, and for one whose owner gave it a name of its own."""
    return ":" not in model and model.partition("?")[0] not in PREFIXES


def models_for(name: str, offered: list[str]) -> list[str]:
    """List the models that know the toy world and suit a lesson, the best first: its own if it has one, else those for all."""
    bundled = [one for one in offered if is_of_toy_world(one)]
    if name in bundled:
        return [name, *(one for one in bundled if SPECIAL.get(one) == name and one != name)]
    general = [one for one in bundled if one not in SPECIAL]
    return general or bundled[:1]


def model_for(name: str, chosen: str, offered: list[str]) -> str:
    """Choose the model for a lesson: the chosen one if that suits it, else the lesson's own, or one that knows the toy world."""
    suited = models_for(name, offered)
    return chosen if chosen in suited or not suited else suited[0]
