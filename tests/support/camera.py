"""A camera that a browser pretends to have."""

from __future__ import annotations

CAMERA = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")
