"""x"""

from __future__ import annotations

import json


def alike(one: list[dict], other: list[dict]) -> bool:
    """NaN is NaN."""
    return json.dumps(one) == json.dumps(other)
