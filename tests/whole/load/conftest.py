"""Servers in this process, under load and under limits."""

from support.picture_formats import wide  # noqa: F401  a fixture
