"""Servers in this process, and one browser, for the tests of the page."""

from support.one_file import opened  # noqa: F401  a fixture
from support.queue_jobs import start, threads  # noqa: F401  fixtures
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
