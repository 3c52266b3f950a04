"""Numbers to colours."""

import matplotlib
import numpy as np
import pytest

from vizapp.errors import VizError
from vizapp.render.colour import DIVERGING, colours, lut, normalise
from vizapp.vocabulary import COLOUR_MAPS


@pytest.mark.parametrize("name", COLOUR_MAPS + DIVERGING)
def test_colours_are_matplotlibs(name):
    """A colour bar drawn by matplotlib must be true for the pixels painted here."""
    assert lut(name).shape == (256, 3)
    assert np.array_equal(lut(name), matplotlib.colormaps[name](np.arange(256), bytes=True)[:, :3])
    values = np.linspace(0, 1, 1001)
    assert np.array_equal(colours(values, name), matplotlib.colormaps[name](values, bytes=True)[:, :3])


@pytest.mark.parametrize("name", COLOUR_MAPS)
def test_brighter_means_more(name):
    luma = lut(name) @ np.array([0.2126, 0.7152, 0.0722])
    assert (np.diff(luma[::8]) > 0).all()


@pytest.mark.parametrize("name", DIVERGING)
def test_both_ways_from_zero_are_equally_strong(name):
    """The middle is the brightest, and what is as far below zero as above it is about as dark."""
    linear = (lut(name) / 255) ** 2.2 @ np.array([0.2126, 0.7152, 0.0722])
    lightness = 116 * np.cbrt(linear) - 16
    assert (np.diff(lightness[:128:8]) > 0).all()
    assert (np.diff(lightness[128::8]) < 0).all()
    assert abs(lightness[0] - lightness[-1]) < 3


def test_slips_of_colour_maps_are_said():
    with pytest.raises(ValueError, match="read-only"):
        lut("viridis")[0] = 0
    with pytest.raises(VizError, match="viridis, cividis, magma, coolwarm"):
        lut("rainbow")
    with pytest.raises(VizError, match="uneven brightness"):
        lut("jet")


def test_normalise():
    assert normalise(np.array([-1.0, 2.0, 3.0, 4.0, 9.0]), 2, 4) == pytest.approx([0, 0, 0.5, 1, 1])
    assert normalise(np.array([[0, 1]], np.float16), 0, 1).dtype == np.float32


@pytest.mark.parametrize(("low", "high"), [(0, 0), (3, 3), (1, -1)])
def test_an_empty_range_is_all_zero(low, high):
    assert (normalise(np.array([[0.0, 3.0]]), low, high) == 0).all()
