"""A forward pass in the browser: ours (vizapp/browser/engine) beside onnxruntime-web, one thread each, in the same page.

Needs what the project does not:  pip install onnx onnxscript;  npm install --no-save onnxruntime-web@1.30.0
(or ORT_WEB, the folder of that package). The graph of a network gives what a pass of ours leaves: logits, q and k of all layers.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

import torch
from playwright.sync_api import Page
from torch import Tensor, nn

import vizapp
from bench.measure import Result
from bench.page import browser_running
from bench.server import ROOT
from vizapp.browser.network import pack_network
from vizapp.browser.network_parts import Written
from vizapp.browser.replica import Replica
from vizapp.browser.supported_networks import described
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel

ORT = Path(os.environ.get("ORT_WEB", ROOT / "node_modules" / "onnxruntime-web"))
EMPTY = "<!doctype html><script type=module src=/bench/browser.js></script>"
KINDS = {".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm"}
PAIRS = 30  # at least
TARGETS = {"toy": 1.0, "DeiT-Ti": 0.8, "ViT-S/16": 0.8}


class Laid(nn.Module):
    """What our file has of a network, as (logits, q, k): what a pass in the browser gives. See vizapp/browser/replica.py."""

    def __init__(self, written: Written) -> None:
        super().__init__()
        self.replica = Replica(written)

    def forward(self, pixels: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        logits, q, k, _ = self.replica(pixels)
        return logits, q, k


NETWORKS = {  # of timm, in the sizes that people use; weights of chance take as long as trained ones
    "DeiT-Ti": "deit_tiny_patch16_224",
    "ViT-S/16": "vit_small_patch16_224",
    "DINOv3 ViT-S/16": "vit_small_patch16_dinov3",
    "DINOv3 ViT-S+/16": "vit_small_plus_patch16_dinov3",
    "EVA-02 Ti/14": "eva02_tiny_patch14_224",
    "DeiT-III S/16": "deit3_small_patch16_224",
    "BEiT-B/16": "beit_base_patch16_224",
    "SigLIP-B/16": "vit_base_patch16_siglip_224",
}


def networks() -> Iterator[tuple[str, VisionModel]]:
    yield "toy", vizapp.load("toy", "cpu")
    for title, name in NETWORKS.items():
        yield title, vizapp.load(f"timm:{name}?pretrained=no&size=224", "cpu")


def measure(repeats: int) -> list[Result]:
    if not (ORT / "dist").is_dir():
        raise VizError(
            "onnxruntime-web is not in {folder}.", "npm install --no-save onnxruntime-web@1.30.0", folder=ORT
        )
    results: list[Result] = []
    with TemporaryDirectory() as folder, page_with(Path(folder)) as page:
        for title, model in networks():
            name = title.replace("/", "-")
            write(model, Path(folder), name)
            fastest: str | None = None
            for kernels, said in (("", ""), ("kernels.wasm", ", kernels without fused multiply-add")):
                if kernels == fastest:
                    continue  # this browser has no others
                same = page.evaluate("([name, kernels]) => prepare(name, kernels)", [name, kernels])
                assert max(same["logits"], same["q"]) < 1e-4, f"{title}: not the same network: {same}"
                fastest = same["file"] if fastest is None else fastest
                pairs = page.evaluate("count => pairs(count)", max(PAIRS, repeats))
                target = None if said else TARGETS.get(title, 1.0)
                ratios = tuple(own / theirs for own, theirs in pairs)
                results += [
                    Result(f"{title}: forward pass{said}", "x onnxruntime-web", ratios, target),
                    Result(f"{title}: forward pass{said}", "ms", tuple(own for own, _ in pairs)),
                    Result(f"{title}: onnxruntime-web beside it{said}", "ms", tuple(theirs for _, theirs in pairs)),
                ]
    return results


def write(model: VisionModel, folder: Path, name: str) -> None:
    """The network as both read it, in full precision."""
    (folder / f"{name}.vzn").write_bytes(pack_network(model, half=False))
    pixels = torch.zeros(1, 3, *model.preprocess.size)
    program = torch.onnx.export(
        Laid(described(model)).eval(),
        (pixels,),
        input_names=["pixels"],
        output_names=["logits", "q", "k"],
        dynamo=True,
        external_data=False,
        verbose=False,
    )
    program.save(str(folder / f"{name}.onnx"), external_data=False)


@contextmanager
def page_with(made: Path) -> Iterator[Page]:
    """An empty page that can fetch the engine, onnxruntime-web and the folder `made`."""
    rooms = {"vizapp": ROOT / "vizapp", "ort": ORT / "dist", "made": made, "bench": Path(__file__).parent}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            room, _, rest = self.path.lstrip("/").partition("/")
            path = rooms[room] / rest if room in rooms else None
            body = path.read_bytes() if path is not None and path.is_file() else EMPTY.encode()
            kind = KINDS.get(path.suffix, "application/octet-stream") if path else "text/html"
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *said: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server, browser_running() as browser:
        Thread(target=server.serve_forever, daemon=True).start()
        page = browser.new_page()
        page.set_default_timeout(600_000)
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        page.wait_for_function("window.pairs !== undefined")
        yield page
        server.shutdown()
