"""Servers in this process, and one browser, for the tests of the page."""

from support.queue_jobs import start, threads  # noqa: F401  fixtures
from support.serving import _nothing_is_left_to_compute  # noqa: F401  around each test
