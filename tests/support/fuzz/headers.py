"""Safetensors files whose header or description was changed, and options of their names: what a stranger's checkpoint may be."""

import json
import struct
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from support.checkpoints import save_vit
from support.fuzz.nonsense import json_value, mutated
from vizapp.errors import VizError

COUNT = 80
MEMORY = 12 * 2**30  # torch reserves more addresses than it uses
ALLOWED = (VizError,)
OPTIONS = (
    "?arch=vit_tiny_patch16_224",
    "?arch=",
    "?arch=\0",
    "?size=-1",
    "?size=99999999999",
    "?x",
    "?arch=resnet18",
    "#",
)


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to everything in a tree."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(place for key, one in items for place in places(one, (*at, key)))]


def changed(rng: Random, value: Any) -> Any:
    """A tree of JSON with something else in one place, without it, or with one thing more."""
    at = rng.choice(places(value))
    if not at:
        return json_value(rng) if rng.random() < 0.2 else value
    inner = value
    for key in at[:-1]:
        inner = inner[key]
    kind = rng.randrange(8)
    if kind < 6:
        inner[at[-1]] = json_value(rng)
    elif kind == 6:
        del inner[at[-1]]
    elif isinstance(inner, dict):
        inner[str(json_value(rng))[:100]] = json_value(rng)
    else:
        inner.extend([json_value(rng)] * rng.choice((1, 1000)))
    return value


def prepare(folder: Path) -> Callable[[Random, Callable[[str], None]], None]:
    """Cases."""
    import vizapp.model as models

    wholes = []
    for number, options in enumerate(({}, {"reg_tokens": 2}, {"class_token": False, "global_pool": "avg"})):
        path = folder / f"{number}.safetensors"
        save_vit(path, notes=("A note.",), **options)
        data = path.read_bytes()
        (length,) = struct.unpack("<Q", data[:8])
        wholes.append((json.loads(data[8 : 8 + length]), data[8 + length :]))
    models.load(f"file:{path}", "cpu")

    def case(rng: Random, tries: Callable[[str], None]) -> None:
        header, tensors = rng.choice(wholes)
        header, kind = json.loads(json.dumps(header)), rng.randrange(20)
        if kind < 14:  # what the file says of its network
            about = json.loads(header["__metadata__"]["vizapp"])
            for _ in range(rng.choice((1, 1, 2, 4))):
                about = changed(rng, about)
            header["__metadata__"]["vizapp"] = (
                json.dumps(about) if rng.random() < 0.9 else mutated(rng, json.dumps(about).encode()).decode("latin-1")
            )
        elif kind < 17:  # what the header says of its tensors
            for _ in range(rng.choice((1, 1, 3))):
                header = changed(rng, header)
        text = json.dumps(header).encode()
        data = struct.pack("<Q", len(text)) + text + tensors
        if kind >= 17:
            data = mutated(rng, data[: len(text) + 2000]) + data[len(text) + 2000 :]
        path = folder / "changed.safetensors"
        path.write_bytes(data)
        name = f"file:{path}" + (rng.choice(OPTIONS) if rng.random() < 0.15 else "")
        tries(f"{name.rpartition('/')[2]}: {header.get('__metadata__') if isinstance(header, dict) else header}")
        models.load(name, "cpu")

    return case
