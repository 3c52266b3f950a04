"""Threads for the processor, and names of small models."""

from support.queue_jobs import start, threads  # noqa: F401  fixtures
from support.serving import cache, models  # noqa: F401  fixtures
