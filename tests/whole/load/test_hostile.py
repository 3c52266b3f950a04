"""Large pictures of strangers."""

from __future__ import annotations

import pytest

from vizapp.errors import VizError
from vizapp.picture import MAX_PIXELS, PUBLIC_PIXELS, read_or_shrink, read_picture


def test_at_home_more_is_read_than_of_strangers() -> None:
    """12 million values of 12 bits take seconds, which is nobody's business but yours."""
    data = b"P5\n4000 3000\n4095\n" + bytes(24_000_000)
    with pytest.raises(VizError, match="read slowly"):
        read_or_shrink(data, PUBLIC_PIXELS)
    assert read_picture(data, MAX_PIXELS).shape == (3000, 4000, 3)
