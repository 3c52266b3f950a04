"""Chinese letters, drawn with the fonts of this machine."""

from __future__ import annotations

CHINESE = "梯度注意力展开"
