"""The command line: vizapp serve | explain | check, and the verbs of vizapp/verbs.

Each command imports what it needs when it runs: `vizapp --help` and a slip of the pen wait for no torch.
"""

import argparse
import importlib
import importlib.util
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from vizapp import __version__
from vizapp.errors import VizError
from vizapp.terminal import options
from vizapp.terminal.parser import Parser
from vizapp.terminal.progress import logs_shown
from vizapp.ui.server.address import PORT, free_port, host_of, own_address, port_of
from vizapp.verbs import verbs

INTERRUPTED = 130  # 128 + SIGINT, what a shell expects of a program that Ctrl-C stopped
PIPED = 141  # 128 + SIGPIPE: who was to read on has enough, as `head` in `vizapp methods | head`


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 if it went well, 2 after a slip of the user, explained in one line, 130 after Ctrl-C."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal without \u00b1, names of files that are no text
    try:
        known = parser()
        if "_ARGCOMPLETE" in os.environ:  # a shell asks what may follow
            from vizapp.terminal.completion import complete

            complete(known)
        asked = known.parse_args(arguments)
        if not hasattr(asked, "run"):
            known.print_help()
            return 0
        with logs_shown(asked.verbose):
            asked.run(asked)
        sys.stdout.flush()
    except VizError as error:
        print(f"vizapp: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        _say_no_more()
        return PIPED
    except OSError as error:
        _say_no_more()
        print(
            f"vizapp: {': '.join(str(one) for one in (error.filename, error.strerror or error) if one)}",
            file=sys.stderr,
        )
        return 2
    return 0


def _say_no_more() -> None:
    """Drop what is still to be printed: it cannot be, and Python would try once more as it ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def parser() -> argparse.ArgumentParser:
    top = Parser(prog="vizapp", description="An attention microscope for Vision Transformers.")
    top.add_argument("--version", action="version", version=f"vizapp {__version__}")
    top.add_argument("-v", "--verbose", action="store_true", help="say what is done, and how long it took")
    commands = top.add_subparsers(metavar=" | ".join(("serve", "explain", *verbs(), "check")))

    page = commands.add_parser("serve", help="start the page")
    _add_serving(page)
    page.set_defaults(run=serve)
    figure = commands.add_parser("explain", help="write the heatmap of one picture to a file")
    _add_explaining(figure)
    figure.set_defaults(run=explain)
    for name, verb in verbs().items():
        command = commands.add_parser(name, help=verb.HELP)
        verb.add(command)
        command.set_defaults(run=verb.run)
    test = commands.add_parser("check", help="test whether what is shown of a model is what it computes")
    _add_tested(test)
    test.set_defaults(run=check)
    return top


def _add_serving(page: argparse.ArgumentParser) -> None:
    page.add_argument("--host", default=None, help="address to listen on (GRADIO_SERVER_NAME, else 127.0.0.1)")
    page.add_argument("--port", default=None, help=f"port (GRADIO_SERVER_PORT, else {PORT}, or the next free one)")
    page.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="answer to this name too, as a proxy on this computer passes it on: viz.example.org. Once or several times",
    )
    page.add_argument(
        "--share", action="store_true", help="also open a public link through Gradio's servers, for 72 hours"
    )
    page.add_argument("--no-browser", action="store_true", help="do not open the browser")
    page.add_argument("--public", action="store_true", help="for strangers: listed models only (always so on a Space)")
    page.add_argument("--mcp", action="store_true", help="for agents, too: tools of the Model Context Protocol")
    _add_model(page, None, "DeiT-Ti or DINOv2 if `vizapp get photos` has brought it, or toy")


def _add_explaining(figure: argparse.ArgumentParser) -> None:
    figure.add_argument("image", metavar="IMAGE", help="path of a picture; `example` is the one that comes with vizapp")
    figure.add_argument(
        "--page", type=int, metavar="N", help="page of a TIFF or an animation, from 1 (the first); IMAGE#N says it, too"
    )
    figure.add_argument(
        "-o", "--output", default="out.png", help="out.png, .svg, .pdf (with colour bar) or .npz (numbers)"
    )
    figure.add_argument("--method", default="rollout", help="see `vizapp methods` (rollout)")
    options.add(figure, "--layer", "--head")
    figure.add_argument(
        "--query", default=None, help="cls, reg0, mean, or row,col of a patch from 0 (what the classifier reads)"
    )
    options.add(figure, "--set", "--target")
    figure.add_argument("--text", metavar="SENTENCE", help="what to explain instead of a class (CLIP and SigLIP)")
    figure.add_argument(
        "--labels", nargs="+", default=[], metavar="SENTENCE", help="classes of a model that has none (CLIP and SigLIP)"
    )
    figure.add_argument(
        "--edit",
        action="append",
        default=[],
        metavar="EDIT",
        help="change the forward pass first: head-off:5.3 switches head 3 of layer 5 off, both from 0 (layer -1: the last); "
        "=uniform: it attends evenly. Once or several times",
    )
    figure.add_argument("--fit", default=None, help="crop, pad or squash, instead of as the model was trained")
    figure.add_argument("--scale", default="map", help="top colour: map, layer, all, or a share such as 0.05")
    figure.add_argument("--colours", help="viridis, cividis, magma or coolwarm, which goes both ways from zero")
    figure.add_argument("--smooth", action="store_true", help="blend between patches")
    figure.add_argument("--json", action="store_true", help="say what was found as JSON, with every value of the map")
    _add_model(figure)


def _add_tested(test: argparse.ArgumentParser) -> None:
    options.add(test, "model")
    test.add_argument("--image", default=None, help="path of a picture to look at (noise)")
    test.add_argument(
        "--page", type=int, metavar="N", help="page of that picture, from 1 (the first); IMAGE#N says it, too"
    )
    options.add(test, "--device")


def _add_model(command: argparse.ArgumentParser, default: str | None = "toy", said: str = "toy") -> None:
    command.add_argument(
        "--model",
        default=default,
        help=f"toy, timm:NAME, hf:OWNER/NAME, torchvision:NAME, file:PATH.safetensors?arch=NAME ... ({said})",
    )
    options.add(command, "--device")


def serve(asked: argparse.Namespace) -> None:
    """Start the page and stay until Ctrl-C."""
    on_space = "SPACE_ID" in os.environ or os.environ.get("SYSTEM") == "spaces"
    public = asked.public or on_space
    is_given = on_space and "GRADIO_SERVER_PORT" in os.environ
    typed = os.environ.get("GRADIO_SERVER_PORT") if is_given or asked.port is None else asked.port
    wanted = None if typed is None else port_of(typed)
    host = own_address(asked.host or os.environ.get("GRADIO_SERVER_NAME", "127.0.0.1"))
    allowed = [host_of(name) for name in asked.allow_host]
    if public and asked.model and not asked.model.partition("?")[0].startswith(("timm:", "hf-hub:")):
        _refuse_unlisted(asked.model)

    print("vizapp: starting ...", flush=True)  # what is imported next may take half a minute on a cold disk
    tools = asked.mcp or os.environ.get("GRADIO_MCP_SERVER", "").lower() == "true"  # as a Space is told so
    if tools:
        _look_for_mcp()

    from vizapp.ui.server import folder, shutdown

    shutdown.end_cleanly_while_starting()
    folder.current()  # before Gradio is imported, which writes down where its files go
    asked.device = _device_of_a_server(asked.device)

    from vizapp import pipeline
    from vizapp.model.zoo import photo_networks

    here = next((one for one in photo_networks() if one.is_here()), None)
    name = asked.model or (here.model if here else "toy")
    model = pipeline.load(name, asked.device)

    from vizapp.server import address
    from vizapp.ui.app import build, launch

    page = build(name, device=asked.device, public=public)
    port = partial(free_port, host, wanted, only=is_given)
    opens = not (asked.no_browser or on_space) and has_screen()
    inside = [*address.offer(page), *(_tools(page) if tools else ())]
    how: dict[str, Any] = {"allowed": allowed, "inside": inside, "share": asked.share, "inbrowser": opens}
    url = launch(page, host=host, port=port, public=public, **how)
    print(f"vizapp: {url} \u00b7 {model.device} \u00b7 {model.name} \u00b7 Ctrl-C stops it", flush=True)
    if here is None and not asked.model:
        best = photo_networks()[0]
        size = f"{best.origin.size / 1e6:.0f} MB"
        print(f"vizapp: for photos, `vizapp get photos` fetches {best.title}: {size}, {best.origin.way}", flush=True)
    if tools:
        print(f"vizapp: {url.rstrip('/')}/gradio_api/mcp is for MCP clients (streamable HTTP)", flush=True)
    shutdown.stay(page)


def _look_for_mcp() -> None:
    """Raise a `VizError` where the package is lacking, or there and not to be used, as an old one beside a new pydantic."""
    try:
        if importlib.util.find_spec("mcp") is not None:
            importlib.import_module("mcp.server.streamable_http_manager")  # which imports all that tools.py takes of it
            return
    except Exception as error:  # whatever its own imports raise
        raise VizError(
            "Tools for agents need the package mcp, which cannot be imported here ({why}).",
            "pip install --upgrade 'vizapp[mcp]'",
            why=f"{type(error).__name__}: {error}"[:300],
        ) from None
    raise VizError("Tools for agents need the package mcp, which is not installed.", "pip install 'vizapp[mcp]'")


def _tools(page: Any) -> list[Any]:
    from vizapp.ui.programs import tools  # imports what not everybody has

    return [tools.served(page)]


def _device_of_a_server(asked: str | None) -> str | None:
    """Choose the device of a server. On ZeroGPU, which lends a GPU for a step (ui/zero_gpu.py), it computes on the CPU."""
    if os.environ.get("SPACES_ZERO_GPU", "").lower() not in {"1", "t", "true"}:
        return asked
    import spaces  # noqa: F401  before torch, so that it stands in for CUDA

    return "cpu"


def explain(asked: argparse.Namespace) -> None:
    """Write the heatmap of one picture."""
    from vizapp import painting, pipeline
    from vizapp.analysis import record
    from vizapp.core.methods import method_named
    from vizapp.pipeline import as_json, captions
    from vizapp.render.overlay import Style
    from vizapp.terminal import values

    method = method_named(asked.method)
    if asked.text and (asked.target is not None or asked.labels):
        raise VizError("--text says what is explained.", "Leave out --target and --labels.")
    settings = values.settings(method, asked.set, layer=asked.layer, head=asked.head)
    model = pipeline.load(asked.model, asked.device)
    target = captions.text(model, asked.text) if asked.text else asked.target
    model = captions.zero_shot(model, asked.labels) if asked.labels else model
    seen = pipeline.analyse(model, asked.image, page=asked.page, fit=asked.fit, edits=asked.edit)
    relevance = pipeline.explain(seen, asked.method, query=asked.query, target=target, **settings)
    style = Style(colour_map=asked.colours, smooth=asked.smooth)
    painting.save(seen, relevance, asked.output, scale=values.scale(asked.scale), style=style)
    if asked.json:
        print(as_json.written({"output": asked.output} | as_json.explained(seen, relevance)))
        return
    for note in seen.notes:
        print(f"note: {note}", file=sys.stderr)
    for label, probability in seen.top(3):
        print(f"{probability:6.1%}  {label}")
    where = record.where_it_went(seen, relevance)
    print(f"{asked.output}: {record.describe(relevance)}" + (f"; {where}" if where else ""))


def check(asked: argparse.Namespace) -> None:
    """Print, call by call, what was found in a model and how well its identities hold."""
    from vizapp import pipeline
    from vizapp.core.methods import ruled_out as methods_ruled_out

    found = pipeline.check(pipeline.load(asked.model, asked.device), asked.image, page=asked.page)
    width = max((len(call.name) for call in found.calls), default=0)
    for call in found.calls:
        windows, heads, queries, keys = call.shape
        shape = f"{windows} x " * (windows > 1) + f"{heads} heads, {queries} x {keys}" if heads else call.kind
        sums = "" if call.row_sum is None else f"  rows 1 ± {call.row_sum:.0e}"
        print(f"{call.name:{width}}  {shape:28} {call.tokens:58} A v = output ± {call.error:.0e}{sums}")
    print(
        f"{found.seen} of {found.softmaxes} softmaxes belong to these {len(found.calls)} calls; watched, the output differs "
        f"by {found.changed:.0e}; {found.left_behind} hooks were not removed."
    )
    if (others := found.softmaxes - found.seen) > 0:
        what = f"{others} softmaxes belong" if others > 1 else "1 softmax belongs"
        where = f" Ran in: {', '.join(found.elsewhere)}." if found.elsewhere else ""
        print(
            f"{what} to none of them: not seen to weigh values. Gates, routers and class probabilities do not; an attention "
            f"would, and then one is missing here.{where}"
        )
    elif found.elsewhere:
        print(f"Tokens are weighed otherwise than by a softmax, or out of sight, in: {', '.join(found.elsewhere)}.")
    if error := found.refusal(asked.model):
        raise error
    if ruled_out := methods_ruled_out(found.ledger):
        print(f"Ruled out: {', '.join(ruled_out)}, as {found.ledger.no_chain}.")
    for detail in found.ledger.details:
        print(detail)
    print(found.verdict)


def has_screen() -> bool:
    """Tell whether a browser could open anywhere. Without a screen, a text browser would take over the terminal."""
    return sys.platform in {"darwin", "win32"} or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _refuse_unlisted(name: str) -> None:
    from vizapp import pipeline

    if name not in pipeline.model_names():
        raise VizError(
            "A public page cannot serve '{name}'.",
            "Choose a bundled model, timm:NAME or hf-hub:OWNER/NAME.",
            name=name,
        )
