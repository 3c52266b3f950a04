"""ZeroGPU without a GPU: what answers the `spaces` package, and what stands in for the GPU in the processes that it forks.

Everything else is the package's own: the decorator, the fork, the queues, the emulation of CUDA in the first process.
As a program, `python zero_gpu.py CODE ...` runs CODE as a ZeroGPU Space would be run; the caller sets the variables.
"""

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass
class Lender:
    """What was asked of the stand-in for the API that lends GPUs: paths, with their queries, in their order."""

    url: str = ""
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def of(self, path: str) -> list[dict[str, str]]:
        return [query for one, query in self.asked if one == path]

    @property
    def variables(self) -> dict[str, str]:
        """Of a process that is to be such a Space."""
        return {"SPACES_ZERO_GPU": "true", "SPACES_ZERO_DEVICE_API_URL": self.url}


@contextmanager
def lending() -> Iterator[Lender]:
    """Answer as the API of ZeroGPU does. One GPU, free at once; a worker that is alive may be used again."""
    lender = Lender()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            parts = urlsplit(self.path)
            lender.asked.append((parts.path, {key: one[0] for key, one in parse_qs(parts.query).items()}))
            said: dict[str, Any] = {}
            if parts.path == "/schedule":
                said = {"idle": True, "nvidiaIndex": 0, "nvidiaUUID": "GPU-0", "allowToken": str(len(lender.asked))}
            body = json.dumps(said).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    lender.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield lender
    finally:
        server.shutdown()
        server.server_close()


def without_a_gpu() -> None:
    """In the forked process, leave out the two steps that need hardware: to open the GPU, and to bring tensors to it."""
    import spaces.zero.torch as of_spaces

    of_spaces.init = lambda uuid: None
    of_spaces.move = lambda callback=None: None


if __name__ == "__main__":
    import spaces  # noqa: F401

    without_a_gpu()
    code, sys.argv = sys.argv[1], sys.argv[1:]
    exec(compile(code, "zero_gpu", "exec"), {"__name__": "__main__"})
