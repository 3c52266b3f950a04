"""Twins of a library hold for the way in which it computes now: tests that an older one, though we take it, cannot pass."""

import pytest
import timm
from packaging.version import Version


def since_timm(version: str, before: str) -> pytest.MarkDecorator:
    """Skip the test with older ones; `before` says what they did."""
    return pytest.mark.skipif(Version(timm.__version__) < Version(version), reason=f"before timm {version} {before}")
