"""The only errors that a user reads: the page shows them, the command line prints them, a notebook can catch them."""

from model.errors import VizError

__all__ = ["VizError"]
