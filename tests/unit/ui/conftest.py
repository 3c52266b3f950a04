"""Threads for the processor."""

from support.queue_jobs import start, threads  # noqa: F401  fixtures
