"""A hub of models on this computer, with one file in it: enough for huggingface_hub to fetch from, as slowly as one likes."""

import hashlib
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import timm
from safetensors.torch import save_file

from vizapp.model.zoo import timm_models

NAME = "timm:test_vit"
FILE = "/timm/test_vit.r160_in1k/resolve/main/model.safetensors"
DEIT = f"/{timm_models.REPOSITORY}/resolve/main/model.safetensors"
COMMIT = "1" * 40


def weights(folder: Path) -> Path:
    """A checkpoint of timm's smallest ViT, 1.5 MB, as the hub has it."""
    path = folder / "model.safetensors"
    save_file(timm.create_model("test_vit").state_dict(), path)
    return path


def deit(folder: Path) -> Path:
    """A checkpoint of DeiT-Ti as the hub has it; its numbers are random."""
    path = folder / "model.safetensors"
    save_file(timm.create_model("deit_tiny_patch16_224").state_dict(), path)
    return path


NOWHERE = "http://127.0.0.1:9"  # nobody answers


@contextmanager
def answering(handler: type[BaseHTTPRequestHandler], **how: Any) -> Iterator[str]:
    """The address of a server on this machine that answers by `handler`, and says nothing of it."""
    quiet = type("Quiet", (handler,), {"log_message": lambda *said: None})
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(quiet, **how))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def serving(path: Path, seconds: float = 0.0, file: str = FILE, sha256: str = "") -> Iterator[str]:
    """Its address; it takes so long for the whole file, and says that its hash is `sha256`, unless told otherwise the true one.

    It has one revision, COMMIT, which is also the latest.
    """
    content = path.read_bytes()
    said = sha256 or hashlib.sha256(content).hexdigest()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self._head(0)

        def do_GET(self) -> None:
            start = int((self.headers.get("Range") or "bytes=0-").removeprefix("bytes=").partition("-")[0])
            if not self._head(start):
                return
            parts = 50
            step = len(content) // parts + 1
            try:
                for at in range(start, len(content), step):
                    self.wfile.write(content[at : at + step])
                    time.sleep(seconds / parts)
            except OSError:
                self.close_connection = True

        def _head(self, start: int) -> bool:
            if self.path.replace(f"/{COMMIT}/", "/main/") != file:
                self.send_response(404)
                self.send_header("X-Error-Code", "EntryNotFound")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return False
            self.send_response(206 if start else 200)
            self.send_header("ETag", f'"{said}"')
            self.send_header("X-Repo-Commit", COMMIT)
            self.send_header("Content-Length", str(len(content) - start))
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
            self.end_headers()
            return True

    with answering(Handler) as url:
        yield url


def use(url: str, cache: Path, patch: pytest.MonkeyPatch) -> None:
    """Let huggingface_hub in this process fetch from there, into that folder."""
    patch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    patch.setattr("huggingface_hub.constants.ENDPOINT", url)
    patch.setattr(
        "huggingface_hub.constants.HUGGINGFACE_CO_URL_TEMPLATE", url + "/{repo_id}/resolve/{revision}/{filename}"
    )
    patch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(cache))


def no_settings(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """An empty cache in `folder`, and pip without settings of this computer."""
    patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    for name in [one for one in os.environ if one.startswith("PIP_")]:
        patch.delenv(name)
    patch.setenv("PIP_CONFIG_FILE", os.devnull)
    patch.setenv("PIP_RETRIES", "0")


def nothing_but_caches(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Empty caches in `folder`, no hub, and no index of packages."""
    no_settings(folder, patch)
    patch.setenv("PIP_INDEX_URL", NOWHERE)
    use(NOWHERE, folder / "hub", patch)
