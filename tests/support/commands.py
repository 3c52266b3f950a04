"""README's commands, and where they run."""

from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from support.paths import ROOT

# What CI does
SET_UP = ("pip install -e . && python launch.py", 'pip install -e ".[test]" && pytest', "pytest tests/whole")

# What would need a network or minutes, and what stands in for it here.
INSTEAD = {
    "timm:deit_small_patch16_224": "timm:test_vit?pretrained=no",
    "timm:vit_base_patch16_224": "timm:test_vit?pretrained=no",
    "--count 500": "--count 2",
    "--workers 2": "--workers 1",
    "open_clip:ViT-B-32?pretrained=laion2b_s34b_b79k": "open_clip:ViT-S-32-alt?pretrained=no",
}

# README, and where it sends who wants more: all that is typed there runs here.
DOORS = ("README.md", "docs/models.md", "docs/command-line.md", "docs/python.md")

TYPED = {name: (ROOT / name).read_text("utf-8") for name in DOORS}
TOLD = "\n".join(TYPED.values())


def blocks(language: str, text: str = TOLD) -> list[str]:
    """Fences open and close in turns, so that what stands between two blocks is none."""
    fenced = text.split("\n```")[1::2]
    return [text.partition("\n")[2] + "\n" for text in fenced if text.partition("\n")[0] == language]


def here(text: str) -> str:
    for said, instead in INSTEAD.items():
        text = text.replace(said, instead)
    return text


COMMANDS = [line for block in blocks("bash") for line in block.strip().splitlines() if line not in SET_UP]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that README names: photo.jpg, other.jpg, pages.tif, photos/, street.mp4, and our assets."""
    noise = np.random.default_rng(0).integers(0, 256, (2, 64, 80, 3), dtype=np.uint8)
    (tmp_path / "photos").mkdir()
    for name, picture in zip(("photo.jpg", "photos/cat.jpg"), noise, strict=True):
        Image.fromarray(picture).save(tmp_path / name)
    Image.fromarray(noise[1]).save(tmp_path / "other.jpg")
    pages = [Image.fromarray(picture) for picture in (*noise, noise[0])]
    pages[0].save(tmp_path / "pages.tif", save_all=True, append_images=pages[1:])
    film = cv2.VideoWriter(str(tmp_path / "street.mp4"), cv2.VideoWriter.fourcc(*"mp4v"), 10, (80, 64))
    for picture in noise:
        film.write(picture)
    film.release()
    (tmp_path / "assets").symlink_to(ROOT / "assets")
    monkeypatch.chdir(tmp_path)
    return tmp_path
