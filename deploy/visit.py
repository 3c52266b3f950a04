"""Visit a page as a browser does, without one: look at a picture, then run every method that is offered.

python deploy/visit.py http://127.0.0.1:7860/

Says which methods have no map, and ends with 1 where that is for want of a package. Other scripts of this folder visit by
`Visit`, too.
"""

import json
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import httpx  # comes with gradio

PATIENCE = 600.0  # seconds for one answer
BEAT = 5.0  # seconds between two signs of life


class Visit:
    """One visitor: a session of Gradio's, the components of the page and the values that stand in them."""

    def __init__(self, url: str, http: httpx.Client | None = None) -> None:
        self.url, self.session, self.maps = url.rstrip("/"), uuid4().hex, ""
        self.http = http or httpx.Client(timeout=PATIENCE)
        self._get("/")  # as a browser does: what a proxy gives with the page is kept
        self.page = self._get("/config").json()
        self.parts: dict[int, dict[str, Any]] = {part["id"]: part for part in self.page["components"]}
        self.values: dict[int, Any] = {number: part["props"].get("value") for number, part in self.parts.items()}

    def named(self, elem_id: str) -> int:
        """The number of a component."""
        return next(number for number, part in self.parts.items() if part["props"].get("elem_id") == elem_id)

    def event(self, name: str) -> dict[str, Any]:
        """The event with a name of the API, in the first of the page's languages."""
        return next(one for one in self.page["dependencies"] if one["api_name"] == name)

    def click(self, elem_id: str) -> dict[str, Any]:
        """What a click on a button starts."""
        return self.fired(self.named(elem_id), "click")

    def fired(self, number: int, event: str) -> dict[str, Any]:
        """What an event of a component starts."""
        return next(
            one for one in self.page["dependencies"] if [number, event] in [list(two) for two in one["targets"]]
        )

    def run(self, event: dict[str, Any]) -> list[Any]:
        """Ask for an event with the values that stand on the page; put the answers there, and return them."""
        asked = {
            "data": [self.values.get(number) for number in event["inputs"]],
            "fn_index": event["id"],
            "session_hash": self.session,
        }
        self._post("/gradio_api/queue/join", asked)
        with self.http.stream("GET", f"{self.url}/gradio_api/queue/data?session_hash={self.session}") as stream:
            for line in stream.iter_lines():
                if not line.startswith("data: "):
                    continue
                said = json.loads(line.removeprefix("data: "))
                if said["msg"] == "process_completed":
                    return self._took(event, said)
        raise RuntimeError("the line ended before the answer")

    def _took(self, event: dict[str, Any], said: dict[str, Any]) -> list[Any]:
        if not said["success"]:
            raise RuntimeError(f"the page said: {said['output'].get('error')}")
        answers: list[Any] = said["output"]["data"]
        for number, answer in zip(event["outputs"], answers, strict=True):
            is_update = isinstance(answer, dict) and answer.get("__type__") == "update"
            if not is_update:
                self.values[number] = answer
            elif "value" in answer:
                self.values[number] = answer["value"]
        return answers

    def _get(self, path: str) -> httpx.Response:
        answer = self.http.get(f"{self.url}{path}")
        answer.raise_for_status()
        return answer

    def _post(self, path: str, what: dict[str, Any]) -> None:
        self.http.post(f"{self.url}{path}", json=what).raise_for_status()

    def show(self, data: bytes, name: str = "picture.png") -> None:
        """Put a picture of one's own in place of the one that stands on the page."""
        answer = self.http.post(f"{self.url}/gradio_api/upload", files={"files": (name, data)})
        answer.raise_for_status()
        self.values[self.named("picture")] = {"path": answer.json()[0], "meta": {"_type": "gradio.FileData"}}

    def look(self) -> bytes:
        """Look at the picture that stands on the page; the maps that the browser would read."""
        value, *_ = self.run(self.event("look"))
        self.maps = f"/gradio_api/file={value['file']['path']}"
        maps = self._get(self.maps).content
        assert len(maps) == value["bytes"], "the maps are whole"
        return maps

    def _boxes(self) -> Iterator[tuple[int, list[str]]]:
        for number, part in self.parts.items():
            if part["type"] == "checkboxgroup" and str(part["props"].get("elem_id")).startswith("methods-"):
                yield number, [name for _, name in part["props"]["choices"]]

    def offered(self) -> list[str]:
        """Methods that can be ticked."""
        return [name for _, names in self._boxes() for name in names]

    def compare(self, *methods: str) -> str:
        """Run methods: the lines above their maps, with the reasons of those that are left out."""
        for number, names in self._boxes():
            self.values[number] = [name for name in names if name in methods]
        with self._there():
            self.run(self.click("methods-go"))
        maps = str(self.values[self.named("methods-maps")])
        assert "data-comparison" in maps, self.values[self.named("methods-note")]
        return str(self.values[self.named("methods-heading")])

    @contextmanager
    def _there(self) -> Iterator[None]:
        """Say every few seconds that somebody is there, as a browser does: else a long run is ended."""
        beat, over = self.fired(self.named("line"), "beat"), threading.Event()
        asked = {"data": [], "fn_index": beat["id"], "session_hash": self.session}

        def say() -> None:
            while not over.wait(BEAT):
                self._post("/gradio_api/run/predict", asked)

        thread = threading.Thread(target=say)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


def main(url: str) -> int:
    """Visit, and say how it went."""
    visit, started = Visit(url), time.perf_counter()
    print(f"maps: {len(visit.look()):,} bytes after {time.perf_counter() - started:.1f} s")
    lacking = []
    for name in visit.offered():  # by itself: a public page gives a run a minute
        started = time.perf_counter()
        said = visit.compare(name)
        lacking += [name] if "not installed" in said else []  # that it means nothing for this network is no failure
        print(
            f"{name}: {'no map' if '<details' in said else 'a map'} after {time.perf_counter() - started:.1f} s",
            flush=True,
        )
    print(f"not installed: {', '.join(lacking)}" if lacking else "nothing is lacking")
    return 1 if lacking else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
