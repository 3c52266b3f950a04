"""One server and one browser for all tests of the page."""

from support.one_file import opened  # noqa: F401  a fixture
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
