"""The pictures one can try without having one: scenes of the toy world, and the photos that Gradio itself brings along."""

from __future__ import annotations

from pathlib import Path

import gradio

SCENES = Path(__file__).parents[2] / "assets" / "examples"
PHOTOS = Path(gradio.__file__).parent / "media_assets" / "images"


def scenes() -> list[str]:
    return [str(path) for path in sorted(SCENES.glob("*.jpg"))]


def first(subject: str) -> str:
    """The picture that a page opens with: a scene for a model of the toy world, a photo for one that knows photos."""
    return (scenes() if subject == "scenes" else photos())[0]


def photos() -> list[str]:
    names = ("cheetah.jpg", "lion.jpg", "tower.jpg", "cheetah1.jpg")
    return [str(PHOTOS / name) for name in names if (PHOTOS / name).exists()]
