"""Keep vizapp's own arithmetic in the precision that its numbers have, under a caller that works in `torch.autocast`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def own_precision(device: torch.device | str) -> Iterator[None]:
    """Leave autocast on `device` for the block: products of what was captured must not be rounded to half precision.

    A network that is run in the block runs in the precision of its weights. Costs nothing where there is no autocast.
    """
    kind = torch.device(device).type
    try:
        enabled = torch.is_autocast_enabled(kind)
    except RuntimeError:  # a device that knows no autocast
        enabled = False
    if not enabled:
        yield
        return
    with torch.autocast(kind, enabled=False):
        yield
