"""What every source of downloaded models has to say: no library, no network, no such weights."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlparse
from urllib.request import getproxies

from model.errors import VizError

RANDOM = "The weights are random: nothing was learned, so these maps mean nothing."


@contextmanager
def no_vain_retries() -> Iterator[None]:
    """Without a network, huggingface_hub tries for 25 to 50 seconds and prints each try. Tell it that it is offline.

    Weights that were fetched before load as ever.
    """
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE or getproxies() or _resolves(urlparse(constants.ENDPOINT).hostname):
        yield
        return
    constants.HF_HUB_OFFLINE = True
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = False


def _resolves(host: str | None) -> bool:
    try:
        return bool(socket.getaddrinfo(host, 443))
    except OSError:
        return False


def is_pretrained(said: str) -> bool:
    """The option `pretrained`, where it can only be yes or no."""
    if said not in {"yes", "no"}:
        raise VizError(f"pretrained={said} is not possible.", "Say pretrained=yes or pretrained=no.")
    return said == "yes"


def not_installed(library: str, extra: str) -> VizError:
    return VizError(
        f"These models need the package {library}, which is not installed.", f'pip install "vizapp[{extra}]"'
    )


def not_downloaded(name: str, where: str = "on the Hugging Face hub") -> VizError:
    return VizError(
        f"The weights of {name} could not be downloaded: no network, or no such model {where}.",
        "They are fetched once and then kept. Without a network there are the built-in models and files of your "
        "own, file:PATH.safetensors?arch=NAME.",
    )


def in_words(error: Exception) -> str:
    """What a library said, short enough for a sentence."""
    return " ".join(str(error).split())[:200].rstrip(".")
