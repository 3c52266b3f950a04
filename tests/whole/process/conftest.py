"""Servers and browsers for tests that start processes."""

from support.commands import desk  # noqa: F401  a fixture
