"""Checks the address and port to listen on, and the names of hosts."""

import errno
import ipaddress
import re
import socket

from vizapp.errors import VizError

PORT = 7860
PORTS = range(1, 65536)
AUTHORITY = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?", re.IGNORECASE)


def port_of(text: str) -> int:
    """Parse a port that was typed, or set by a Space. Raises `VizError` if it is none."""
    try:
        if (port := int(text)) in PORTS:
            return port
    except ValueError:
        pass
    raise VizError(
        "'{text}' is no port.", "Choose a number from 1024 to 65535, such as {usual}.", text=text, usual=PORT
    )


def own_address(host: str) -> str:
    """The address to listen on, without the brackets of IPv6. Raises `VizError` if this computer does not have it."""
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    try:
        with _socket(bare) as probe:
            probe.bind((bare, 0))
    except (OSError, UnicodeError, ValueError) as error:
        raise VizError(
            "This computer has no address '{host}'.",
            "Choose 127.0.0.1 (for this computer only), 0.0.0.0 (for all who can reach it), or an address of it.",
            host=host,
        ) from error
    return bare


def name_in(authority: str) -> str | None:
    """The name or address in NAME, NAME:PORT or [ADDRESS]:PORT, in lower case; None if the text is none of these."""
    found = AUTHORITY.fullmatch(authority)
    return (found[1] or found[2]).lower() if found else None


def host_of(text: str) -> str:
    """The name of a host that was typed. Raises `VizError` if anything stands beside it, such as https:// or a port."""
    if (name := name_in(text)) != text.strip("[]").lower():
        raise VizError(
            "'{name}' is not the name of a host.",
            "Write it alone, without https:// or port: viz.example.org.",
            name=text,
        )
    return name


def is_loopback(host: str) -> bool:
    """Tell whether an address or name resolves to loopback only, so that no other computer can reach it."""
    try:
        found = {str(one[4][0]) for one in socket.getaddrinfo(host.strip("[]"), None)}
    except (OSError, UnicodeError):
        return False
    return bool(found) and all(ipaddress.ip_address(one.partition("%")[0]).is_loopback for one in found)


def free_port(host: str, wanted: int | None, *, only: bool = False) -> int:
    """The wanted port, or the next free one, which is printed. With `only`, raises `VizError` if the wanted one is taken."""
    first = PORT if wanted is None else wanted
    last = first if only else min(first + 99, PORTS[-1])
    for port in range(first, last + 1):
        with _socket(host) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError as error:
                if error.errno == errno.EACCES and wanted is not None:
                    raise VizError(
                        "Port {port} is not for everybody: the system keeps it for its own services.",
                        "Choose one from 1024 on.",
                        port=port,
                    ) from error
                continue
        if port != first:
            print(f"vizapp: port {first} is taken, using {port}", flush=True)
        return port
    if only:
        raise VizError("Port {port} of {host} is taken.", "Stop what listens there.", port=first, host=host)
    raise VizError(
        "No port from {first} to {last} is free on {host}.",
        "Choose another with --port or --host.",
        first=first,
        last=last,
        host=host,
    )


def any_port(host: str) -> int:
    """A port that is free now, as the system chooses it."""
    with _socket(host) as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


def is_free(host: str, port: int) -> bool:
    """Tell whether one could listen there."""
    with _socket(host) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def _socket(host: str) -> socket.socket:
    return socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
