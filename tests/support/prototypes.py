"""Features of other libraries' networks are those that each reads."""

from __future__ import annotations

import numpy as np

PICTURE = np.random.default_rng(0).integers(0, 256, (90, 120, 3), dtype=np.uint8)
