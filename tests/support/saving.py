"""Files that the page saves."""

from pathlib import Path

from support.viz import Viz


def saved(viz: Viz, kind: str, ending: str, width: int = 400) -> bytes:
    """Save what is on the stage, as a visitor does."""
    if not viz.js("find('save').open"):
        viz.find("save").locator("summary").click()
    viz.find("save-what").select_option(kind)
    viz.find("save-width").fill(str(width))
    with viz.page.expect_download() as download:
        viz.page.locator(f'.viz button[data-format="{ending}"]').click()
    assert download.value.suggested_filename.endswith(f".{ending}")
    return Path(download.value.path()).read_bytes()
