"""The least that Gradio lets an upload to a first map take: a bare page whose function has the payload ready.

python -m bench.yardstick --port N --bytes B     # B: of the payload
"""

import argparse
import os
import time
from pathlib import Path
from typing import Any

import gradio as gr
from gradio.data_classes import FileData, GradioModel

READY = "window.fetched !== undefined"
# `fetched` is the moment when the whole payload has arrived.
FETCH = """
watch("value", async () => {
  if (!props.value?.file) return;
  await (await fetch(props.value.file.url)).arrayBuffer();
  window.fetched = performance.now();
});
"""
# From the moment when the page gets a file. Call it, then choose.
UPLOAD = """async () => {
  const started = await new Promise((resume) => {
    addEventListener("change", () => resume(performance.now()), { capture: true, once: true });
  });
  window.fetched = undefined;
  while (window.fetched === undefined) await new Promise((resume) => setTimeout(resume, 1));
  return window.fetched - started;
}"""


class Value(GradioModel):
    """What the component holds."""

    file: FileData | None = None


def build(size: int) -> gr.Blocks:
    """A picture goes in, a file of `size` bytes comes out, another one each time."""
    folder, payload = Path(os.environ["GRADIO_TEMP_DIR"]), os.urandom(size)

    def answer(picture: str) -> dict[str, Any]:
        path = folder / f"{time.time_ns()}.bin"
        path.write_bytes(payload)
        return Value(file=FileData(path=str(path))).model_dump()

    with gr.Blocks(analytics_enabled=False) as page:
        picture = gr.Image(type="filepath", elem_id="picture")
        shown = gr.HTML(html_template="<p>ready</p>", js_on_load=FETCH, elem_id="viewer")
        shown.data_model = Value
        picture.input(answer, picture, shown)
    return page


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--bytes", type=int, required=True)
    asked, _ = parser.parse_known_args()
    page = build(asked.bytes)
    where = {"server_name": "127.0.0.1", "server_port": asked.port}
    _, url, _ = page.launch(**where, quiet=True, ssr_mode=False, prevent_thread_lock=True)
    print(f"vizapp: {url} a bare page", flush=True)  # as launch.py says it, for bench/server.py
    page.block_thread()


if __name__ == "__main__":
    main()
