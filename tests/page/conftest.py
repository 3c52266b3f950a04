"""Servers in this process, and one browser, for the tests of the page."""

from support.one_file import opened  # noqa: F401  a fixture
from support.queue_jobs import start, threads  # noqa: F401  fixtures
from support.serving import (  # noqa: F401  fixtures, and what is done around each test
    _between,
    browser,
    cache,
    context,
    models,
    pictures,
    pytest_runtest_call,
    pytest_runtest_setup,
    pytest_runtest_teardown,
    server,
    visit,
    viz,
)
