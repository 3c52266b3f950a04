"""Tells who is asking: the address, as far as a proxy reveals it, the session, and whether they still wait for the answer."""

import ipaddress
import re
import sys
from collections.abc import Mapping
from typing import Any

from starlette.datastructures import Headers

from vizapp.ui.limits import NOBODY, Asker
from vizapp.ui.server.connections import is_one_visitor
from vizapp.ui.server.ledger import Owner
from vizapp.ui.server.listeners import LINE, LISTENERS, Line

FORWARDED = "x-forwarded-for"
PORT = re.compile(r"(?:(?P<four>[\d.]+)|\[(?P<six>[^\]]*)\])(?::\d+)?")


def owner() -> Owner | None:
    """The owner of the files that this thread makes; None if it answers no request.

    A program has no page: Gradio gives each of its calls a session of its own.
    """
    asked, event = _asked()
    client = getattr(asked, "client", None)
    if asked is None or not client:
        return None
    session = str(getattr(asked, "session_hash", None) or "")
    return owner_of(client.host, asked.headers, session if event and session != event else "")


def owner_of(host: str, headers: Mapping[str, str], page: str = "") -> Owner:
    """The owner of a file, given the address that connected, the request's headers and the page."""
    address = address_of(host, headers)
    return Owner(address, page, is_one_visitor(address.partition("/")[0]))


def asker() -> Asker:
    """The visitor for whom this thread computes, as the queue's limits need it.

    A private address is left out: it may be a proxy's, and the limit of one visitor must not hold for everybody behind it.
    """
    asked, event = _asked()
    if asked is None:
        return NOBODY
    session, files = str(getattr(asked, "session_hash", None) or ""), owner()
    near = files.address if files and files.is_visitor else ""
    line = getattr(getattr(asked, "request", asked), "scope", {}).get(LINE) or Line()
    if event:  # it came through Gradio's queue, and is answered on a stream
        return Asker(session, near, lambda: LISTENERS.has(session, event), line.since)
    return Asker(session, near, lambda: line.is_open, line.since)


def _asked() -> tuple[Any, str]:
    """The request that this thread answers, and its event in Gradio's queue; None and "" where there is none."""
    context = sys.modules.get("gradio.context")  # not imported here: if Gradio is not loaded, there is no request
    if context is None:
        return None, ""
    return context.LocalContext.request.get(None), context.LocalContext.event_id.get(None) or ""


def address_of(host: str, headers: Mapping[str, str]) -> str:
    """The address of a visitor, given the address that connected. An IPv6 network of a home (/64) counts as one visitor.

    A private address may be a proxy's, as on a Space. Then the visitor is the last public address in X-Forwarded-For, to
    which each proxy appends an entry or a line. Earlier entries may be written by the visitor and are not trusted; nor is
    anything before an entry that is no address.
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
