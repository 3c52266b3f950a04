"""Servers as programs find them."""

from support.programs import client, home, public  # noqa: F401  fixtures
