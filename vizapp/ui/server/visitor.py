"""Who is asking: an address, as far as it can be known behind a proxy."""

from __future__ import annotations

import ipaddress
import sys
from collections.abc import Mapping


def visitor() -> str:
    """The address of whom this thread computes for; "" where that is nobody in particular, as while the page is built."""
    context = sys.modules.get("gradio.context")  # not imported for this: without Gradio nobody asks
    asked = context.LocalContext.request.get(None) if context else None
    client = getattr(asked, "client", None)
    return address_of(client.host, asked.headers) if asked is not None and client else ""


def address_of(host: str, headers: Mapping[str, str]) -> str:
    """The address of a visitor, given that of who connected. All of an IPv6 network of a home are one visitor.

    Who connects from a private address may be a proxy, as on a Space: then the visitor is the last public address that
    proxies wrote down. What a visitor writes there stands before it, and is not believed.
    """
    here = _parsed(host)
    if here is None or not here.is_global:
        for said in reversed(headers.get("x-forwarded-for", "").split(",")):
            one = _parsed(said.strip())
            if one is not None and one.is_global:
                here = one
                break
    if here is None:
        return host
    return str(ipaddress.ip_network((here, 64), strict=False)) if here.version == 6 and here.is_global else str(here)


def _parsed(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None
