"""Who is asking: an address, as far as it can be known behind a proxy, a session, and whether they wait for the answer."""

from __future__ import annotations

import ipaddress
import re
import sys
from collections.abc import Mapping
from typing import Any

from starlette.datastructures import Headers

from vizapp.ui.limits import NOBODY, Asker
from vizapp.ui.server.connections import is_one_visitor
from vizapp.ui.server.listeners import LINE, LISTENERS, Line

FORWARDED = "x-forwarded-for"
PORT = re.compile(r"(?:(?P<four>[\d.]+)|\[(?P<six>[^\]]*)\])(?::\d+)?")


def visitor() -> str:
    """The address of whom this thread computes for; "" where that is nobody in particular, as while the page is built."""
    asked, _ = _asked()
    client = getattr(asked, "client", None)
    return address_of(client.host, asked.headers) if asked is not None and client else ""


def asker() -> Asker:
    """For whom this thread computes, for the limits of the queue. A private address may be that of a proxy: it has none."""
    asked, event = _asked()
    if asked is None:
        return NOBODY
    session, address = str(getattr(asked, "session_hash", None) or ""), visitor()
    near = address if is_one_visitor(address.partition("/")[0]) else ""
    line = getattr(getattr(asked, "request", asked), "scope", {}).get(LINE) or Line()
    if event:  # asked through Gradio's queue, answered on a stream
        return Asker(session, near, lambda: LISTENERS.has(session, event), line.since)
    return Asker(session, near, lambda: line.is_open, line.since)


def _asked() -> tuple[Any, str]:
    """The request that this thread answers, and its event in Gradio's queue; None and "" where there is none."""
    context = sys.modules.get("gradio.context")  # not imported for this: without Gradio nobody asks
    if context is None:
        return None, ""
    return context.LocalContext.request.get(None), context.LocalContext.event_id.get(None) or ""


def address_of(host: str, headers: Mapping[str, str]) -> str:
    """The address of a visitor, given that of who connected. All of an IPv6 network of a home are one visitor.

    Who connects from a private address may be a proxy, as on a Space: then the visitor is the last public address that
    proxies wrote down, each at the end or on a line of its own. What a visitor writes there stands before it, and is not
    believed; nor is what stands before something that is no address.
    """
    here = _parsed(host)
    if here is None or not here.is_global:
        lines = headers.getlist(FORWARDED) if isinstance(headers, Headers) else [headers.get(FORWARDED, "")]
        for said in reversed(",".join(lines).split(",")):
            one = _parsed(said.strip())
            if one is None:
                break
            if one.is_global:
                here = one
                break
    if here is None:
        return host
    return str(ipaddress.ip_network((here, 64), strict=False)) if here.version == 6 and here.is_global else str(here)


def _without_port(text: str) -> str:
    found = PORT.fullmatch(text)
    return found["four"] or found["six"] if found else text


def _parsed(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """An address, without the port that some proxies add: 8.8.8.8:4711, [2001:4860::1]:4711."""
    try:
        one = ipaddress.ip_address(_without_port(text))
    except ValueError:
        return None
    return getattr(one, "ipv4_mapped", None) or one
