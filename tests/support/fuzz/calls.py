"""Every public function with values that make no sense: wrong kinds, wrong sizes, one thing in the place of another.

A value of a wrong kind ends in an error of Python's own, which must have words. No call may hang, kill the process or print.
"""

import inspect
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from support.checkpoints import save_vit
from support.fuzz.nonsense import plain, value

COUNT = 400
ALLOWED = (Exception,)
MEMORY = None  # torch reserves more addresses than it uses
PLAIN = ("cls", "1,2", "mean", 0, -1, 2, "all", "layer", 0.05, "crop", "head-off:0.0", "thing 1", True, "cpu", ())


def prepare(folder: Path) -> Callable[[Random, Callable[[str], None]], None]:
    """Cases: a function, what is right for what it must have, and one to three arguments of nonsense."""
    import numpy as np
    from PIL import Image

    import vizapp
    from vizapp.core.methods import methods

    model = vizapp.load(save_vit(folder / "a.safetensors", reg_tokens=1), "cpu")
    picture = np.random.default_rng(0).integers(0, 256, (40, 60, 3), dtype=np.uint8)
    seen = vizapp.analyse(model, picture)
    relevance, compared = vizapp.explain(seen), vizapp.compare(seen, ["rollout"], steps=0)
    frames = [Image.fromarray(picture), Image.fromarray(picture[::-1])]
    frames[0].save(folder / "moves.gif", save_all=True, append_images=frames[1:])
    saved = folder / "saved.viz"
    seen.save(saved)
    right: dict[str, Any] = {
        "model": model, "what": picture, "seen": seen, "relevance": relevance, "net": model.net, "analyses": [seen],
        "patches": [(1, 1)], "names": ["rollout"], "sentence": "a cat", "sentences": ["a cat"], "path": folder / "out.png",
        "grid": (4, 4), "prefix": ("cls",), "pictures": [picture], "methods": ["rollout"], "name": "toy", "layer": 0,
        "target": 1, "truth": (), "size": (32, 32), "count": 2, "mask": np.zeros((40, 60), bool), "head": 0, "row": 0, "col": 0,
        "share": 0.5, "norm": 1.0, "layers": (0,), "key": (1, 1), "patch": (1, 1), "source": folder / "moves.gif",
        "marks": {"one": [(0, 0)], "other": [(1, 1)]},
    }  # fmt: skip
    own: dict[str, dict[str, Any]] = {
        "measure": {"pictures": "one", "count": 1},
        "open": {"path": saved},
        "film": {"path": folder / "a.gif"},
        "video": {"path": folder / "b.gif"},
        "export": {"path": folder / "a.html"},
        "grid": {"pictures": seen},
        "Analysis.save": {"path": folder / "b.viz"},
        "Comparison.save": {"path": folder / "b.csv"},
    }
    # What functions give, not what they take
    skipped = {"Analysis", "Check", "Comparison", "Sanity", "Sink", "VizError"}
    functions = {name: getattr(vizapp, name) for name in vizapp.__all__ if name not in skipped}
    functions |= {f"Analysis.{name}": getattr(seen, name) for name in ("save", "top", "of_class", "on_picture")}
    every = {name: one.parameters for name, one in methods().items() if one.parameters and one.cost == "quick"}
    functions |= {"Comparison.save": compared.save}

    def case(rng: Random, tries: Callable[[str], None]) -> None:
        name = rng.choice(sorted(functions))
        parameters = inspect.signature(functions[name]).parameters
        taken = [one for one in parameters.values() if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)]
        arguments = {one.name: right[one.name] for one in taken if one.default is one.empty and one.name in right}
        arguments |= own.get(name, {})
        for one in rng.sample(taken, min(len(taken), rng.choice((1, 1, 1, 2, 3)))):
            kind = rng.randrange(6)
            if one.name.startswith("on_") or one.name in ("explain", "curves"):  # a function's own errors are its own
                arguments[one.name] = plain(rng)
                continue
            arguments[one.name] = (
                value(rng)
                if kind < 4
                else rng.choice(PLAIN)
                if kind == 4
                else rng.choice([*right.values(), [value(rng)], {"rollout": value(rng)}])
            )
        if any(one.kind is one.VAR_KEYWORD for one in parameters.values()) and rng.random() < 0.2:
            arguments[rng.choice(("layer", "head", "fusion", "output", "inputs", "labels", "nothing"))] = value(rng)
        if name in ("explain", "explain_many", "film") and rng.random() < 0.5:
            method = rng.choice(sorted(every))
            arguments |= {"method": method, **{key: value(rng) for key in rng.sample(sorted(every[method]), 1)}}
        tries(f"{name}({', '.join(f'{key}={described(one)}' for key, one in arguments.items())})")
        lacking = [one.name for one in taken if one.default is one.empty and one.name not in arguments]
        assert not lacking, f"say what is right for {lacking} of {name}"
        found = functions[name](**arguments)
        if isinstance(found, Iterator):
            list(islice(found, 3))

    return case


def described(one: Any) -> str:
    """Short, and of any object at all."""
    text = repr(one)
    return f"{type(one).__name__} {text[:80]}" if len(text) > 80 else text
