"""What the page must show: the same numbers and words, made by Python."""

from pathlib import Path

import numpy as np

from vizapp import pipeline
from vizapp.core.attention.trace import AttentionTrace
from vizapp.errors import VizError
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


def divergences(seen: Analysis) -> list[float]:
    """How the readout's attention differs from the mean patch's in each layer, in nats, or, where that is what is read, from an
    even spread: the twin of numbers/opening.js, from the exact rows. NaN for a layer without such a query.
    """
    trace, found = seen.trace, []
    for index in range(len(trace.layers)):
        counts = seen.on_picture(trace.layouts(index)[1].grid).ravel()
        try:
            p = _fused(trace, None, index)[counts]
        except VizError:
            found.append(np.nan)
            continue
        q = np.ones(len(p)) if trace.readout == "mean" else _fused(trace, "mean", index)[counts]
        p, q = p / p.sum(), np.maximum(1e-7, q / q.sum())
        found.append(float((p[p > 0] * np.log(p[p > 0] / q[p > 0])).sum()))
    return found


def _fused(trace: AttentionTrace, query: str | None, index: int) -> np.ndarray:
    """(patch,): the mean of the heads, nothing below zero."""
    row = trace.layers[index].attend(trace.query(query, index)).mean(0)[trace.layouts(index)[1].n_prefix :]
    return np.clip(row.double().numpy(), 0, None)


def opens(seen: Analysis) -> int:
    """The layer on which the page opens: the largest of these among layers with the patches of the last one."""
    nats, last = divergences(seen), seen.trace.layouts(-1)
    alike = [index for index in range(len(nats)) if seen.trace.layouts(index) == last and not np.isnan(nats[index])]
    return max(alike, key=lambda index: (nats[index], index))
