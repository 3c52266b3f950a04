"""Fill in assets/hub.json: `python -m train.pin`, on a computer that reaches the hub.

Each file is fetched as the hub has it now. If its bytes have the hash that the hub gives, revision, size and sha256 are written
down. From then on `vizapp get` fetches this file and no other.
"""

import json
import tempfile
from dataclasses import asdict
from pathlib import Path

from vizapp.model import origins


def main() -> None:
    """Pin each file, and print what is pinned."""
    pinned = {}
    for repository in json.loads(origins.PINNED.read_text("utf-8")):
        with tempfile.TemporaryDirectory() as folder:
            pinned[repository] = asdict(origins.HubFile.known(repository).now(Path(folder)))
        del pinned[repository]["repository"]
        print(repository, *(f"{name}: {value}" for name, value in pinned[repository].items()), sep="\n    ")
    origins.PINNED.write_text(json.dumps(pinned, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
