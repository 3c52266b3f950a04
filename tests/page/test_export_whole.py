"""vizapp/browser/engine from a picture's file to the payload, in Node: each step has a test of its own, this joins them."""

import io
from pathlib import Path

from PIL import Image

from support.export_pictures import drawn
from support.exported import seen_by
from support.node import needs_node, run_node
from vizapp.browser.network import pack_network
from vizapp.picture import read_picture
from vizapp.ui.viewer import payload
from vizapp.verbs.export import all_bundled


@needs_node
def test_a_file_becomes_the_payload_of_the_server(tmp_path: Path) -> None:
    """The toy network, its weights in half precision, on a PNG that is stored on its side."""
    stream, exif = io.BytesIO(), Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(drawn(150, 220)).save(stream, "PNG", exif=exif)
    picture = read_picture(stream.getvalue())
    assert picture.shape == (220, 150, 3), "upright"
    seen = seen_by("toy", picture)
    assert seen.context is not None
    (tmp_path / "picture.png").write_bytes(stream.getvalue())
    (tmp_path / "shown").write_bytes(payload._encode(seen.picture)[0])
    (tmp_path / "toy.viz").write_bytes(payload.pack(seen))
    (tmp_path / "toy.vzn").write_bytes(pack_network(seen.context.ready().model))
    run_node("whole.test.js", tmp_path)


def test_all_models_are_those_that_one_network_makes() -> None:
    """A film is many: its chapter brings its moments."""
    found = all_bundled()
    assert found[0] == "toy"
    assert {"crate", "relation", "shortcut"} <= {*found}
    assert not {"born", "born-shortcut"} & {*found}
