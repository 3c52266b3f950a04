"""What the page must show: the same numbers and words, made by Python."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from vizapp import pipeline
from vizapp.core.attention.trace import AttentionTrace
from vizapp.model.preprocess import Fit
from vizapp.pipeline import Analysis


def seen_by(model: str, picture: Path, fit: Fit | None = None) -> Analysis:
    """The same without the page."""
    return pipeline.analyse(pipeline.load(model, "cpu"), str(picture), fit=fit)


def maps_of(trace: AttentionTrace) -> np.ndarray:
    """(layer, head, query, key) of all there is."""
    return np.stack([layer.map().numpy() for layer in trace.layers])


def assert_close(found: np.ndarray, expected: np.ndarray) -> None:
    """Each row (last axis) within 1 % of its maximum everywhere, and within 0.1 % in the mean: q and k travel as fp16."""
    assert found.shape == expected.shape
    error = np.abs(found - expected) / expected.max(-1, keepdims=True)
    assert error.max() <= 1e-2
    assert error.mean() <= 1e-3


def percent(share: float) -> str:
    """As the page writes it: 23 %, 2.3 %, 0.23 %, 0.023 %."""
    value = 100 * share
    digits = 0 if value == 0 or value >= 9.95 else 1 if value >= 0.995 else 2 if value >= 0.0995 else 3
    return f"{value:.{digits}f}\u00a0%"
