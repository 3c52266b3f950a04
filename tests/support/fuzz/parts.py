"""What an interrupted `evaluate` or `measure` leaves, changed: taken or looked at again, and the rows are the same."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from random import Random

from support.checkpoints import save_vit
from support.fuzz.headers import changed
from support.fuzz.nonsense import json_value, mutated

COUNT = 40
MEMORY = None
ALLOWED = ()


def with_sums(texts: list[bytes]) -> bytes:
    """Lines as `Unfinished` writes them: somebody means to lie."""
    said, found = "", b""
    for text in texts:
        said = hashlib.blake2b(said.encode() + text, digest_size=8).hexdigest()
        found += said.encode() + b" " + text + b"\n"
    return found


def prepare(folder: Path) -> Callable[[Random, Callable[[str], None]], None]:
    """Cases: both verbs, on three pictures."""
    from vizapp.analysis.unfinished import Unfinished
    from vizapp.cli import main

    model = save_vit(folder / "a.safetensors")
    asked = {
        "evaluate": ["evaluate", "--set", "one", "--methods", "rollout", "--model", model, "--count", "3", "-o"],
        "measure": ["measure", model, "one", "--count", "3", "-o"],
    }
    wholes, rows = {}, {}
    done, Unfinished.done = Unfinished.done, lambda self: wholes.__setitem__(verb, self.file.read_bytes())
    for verb, words in asked.items():
        assert main([*words, str(folder / f"{verb}.json")]) == 0
        rows[verb] = json.loads((folder / f"{verb}.json").read_text())["rows"]
        (folder / f"{verb}.json.part").unlink()
    Unfinished.done = done

    def case(rng: Random, tries: Callable[[str], None]) -> None:
        verb = rng.choice(sorted(asked))
        output, kind = folder / f"{verb}.json", rng.randrange(6)
        is_lie = kind >= 3
        if is_lie:
            texts = [line.partition(b" ")[2] for line in wholes[verb].splitlines()]
            at = rng.randrange(len(texts))
            content = json.loads(texts[at])
            if rng.random() < 0.2:
                content = changed(rng, content)
            else:
                content["answer"] = changed(rng, content["answer"]) if rng.random() < 0.8 else json_value(rng)
            texts[at] = json.dumps(content).encode()
            data = with_sums(texts)
        else:
            data = mutated(rng, wholes[verb])
        tries(f"{verb}: {data[:500]!r}")
        Path(f"{output}.part").write_bytes(data)
        assert main([*asked[verb], str(output)]) == 0
        if not is_lie:
            assert json.loads(output.read_text())["rows"] == rows[verb], "a spoiled file has changed what was found"

    return case
