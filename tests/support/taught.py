"""A thing that was taught is a class for every method."""

from __future__ import annotations

import numpy as np

PICTURE = np.random.default_rng(0).integers(0, 256, (90, 120, 3), dtype=np.uint8)


NO_RULE = {"transformer_attribution", "partial_lrp"}  # their paper has no rule for a vector over its own length
