"""Visit a page as a browser does, without one: look at a picture, then run every method that is offered.

python deploy/visit.py http://127.0.0.1:7860/

Says which methods have no map, and ends with 1 where that is for want of a package. Other scripts of this folder visit by
`Visit`, too.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any
from uuid import uuid4

import httpx  # comes with gradio

PATIENCE = 600.0  # seconds for one answer


class Visit:
    """One visitor: a session of Gradio's, the components of the page and the values that stand in them."""

    def __init__(self, url: str, http: httpx.Client | None = None) -> None:
        self.url, self.session = url.rstrip("/"), uuid4().hex
        self.http = http or httpx.Client(timeout=PATIENCE)
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
        wanted = [self.named(elem_id), "click"]
        return next(one for one in self.page["dependencies"] if wanted in [list(two) for two in one["targets"]])

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

    def look(self) -> bytes:
        """Look at the picture that stands on the page; the maps that the browser would read."""
        (value,) = self.run(self.event("analyse"))
        maps = self._get(value["file"]["url"].removeprefix(self.url)).content
        assert len(maps) == value["bytes"], "the maps are whole"
        return maps

    def offered(self) -> list[str]:
        """Methods that can be ticked, and are ticked then."""
        found: list[str] = []
        for number, part in self.parts.items():
            if part["type"] == "checkboxgroup" and str(part["props"].get("elem_id")).startswith("methods-"):
                self.values[number] = [name for _, name in part["props"]["choices"]]
                found += self.values[number]
        return found

    def compare(self) -> tuple[str, str]:
        """Run what is ticked: the word on what has no map ("": all have one), and the page's reasons."""
        self.run(self.click("methods-go"))
        assert "<figure" in str(self.values[self.named("methods-maps")]), "there are maps"
        return str(self.values[self.named("methods-note")]), str(self.values[self.named("methods-about")])


def main(url: str) -> int:
    """Visit, and say how it went."""
    visit, started = Visit(url), time.perf_counter()
    print(f"maps: {len(visit.look()):,} bytes after {time.perf_counter() - started:.1f} s")
    names, started = visit.offered(), time.perf_counter()
    left_out, reasons = visit.compare()
    print(f"{len(names)} methods after {time.perf_counter() - started:.1f} s: {', '.join(names)}")
    print(left_out or "each has a map")
    return 1 if "not installed" in reasons else 0  # that a method means nothing for a network is no failure


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
