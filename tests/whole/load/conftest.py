"""Servers in this process, under load and under limits."""

from support.picture_formats import wide  # noqa: F401  a fixture
from support.serving import (  # noqa: F401  fixtures, and what is done around each test
    _nothing_is_left_to_compute,
    browser,
    cache,
    context,
    models,
    pictures,
    server,
    visit,
    viz,
)
