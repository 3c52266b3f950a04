"""Files that are dragged onto the page."""

from pathlib import Path

from support.viz import Viz

UNDER_WAY = ("dragEnter", "dragOver")
MIDDLE = (500, 400)  # the big picture


class Dragged:
    """Files that are dragged over the page, as a file manager does it."""

    def __init__(self, viz: Viz, *paths: Path) -> None:
        self.line = viz.page.context.new_cdp_session(viz.page)
        self.data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}

    def send(self, kind: str, place: tuple[int, int] = MIDDLE) -> None:
        x, y = place
        self.line.send("Input.dispatchDragEvent", {"type": kind, "x": x, "y": y, "data": self.data})

    def drop(self, place: tuple[int, int] = MIDDLE) -> None:
        for kind in (*UNDER_WAY, "drop"):
            self.send(kind, place)
