"""Pictures and analyses for tests of what an exported page computes."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from support.checkpoints import save_vit
from vizapp import pipeline
from vizapp.analysis import Truth
from vizapp.model.spec import VisionModel
from vizapp.pipeline import Analysis

MEAN = {"class_token": False, "global_pool": "avg"}


def activated(activation: str, folder: Path) -> Analysis:
    """Of a network whose outputs are no shares of a whole."""
    model = replace(pipeline.load(save_vit(folder / "a.safetensors"), "cpu"), activation=activation)
    pipeline.analyse(model, noise(32, 32))
    return pipeline.analyse(model, noise(32, 32))


def seen_by(name: str, picture: np.ndarray, truth: tuple[Truth, ...] = ()) -> Analysis:
    """Analysed twice: norms are listened to from the second picture on."""
    return seen_of(pipeline.load(name, "cpu"), picture, truth)


def seen_of(model: VisionModel, picture: np.ndarray, truth: tuple[Truth, ...] = ()) -> Analysis:
    pipeline.analyse(model, picture)
    return pipeline.analyse(model, picture, truth=truth)


def noise(height: int, width: int) -> np.ndarray:
    return np.random.default_rng(height).integers(0, 256, (height, width, 3), dtype=np.uint8)
