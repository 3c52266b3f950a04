"""vizapp models: the names that can be asked for."""

import argparse
from typing import Any

HELP = "list models"


def add(command: argparse.ArgumentParser) -> None:
    """Its arguments."""
    command.add_argument(
        "--json", action="store_true", help="as JSON, with where each comes from and whether it is here"
    )


def run(asked: argparse.Namespace) -> None:
    """One name per line."""
    from vizapp import pipeline

    names = pipeline.model_names()
    if not asked.json:
        print("\n".join(names))
        return
    from vizapp.pipeline import as_json

    print(as_json.written([_about(name) for name in names]))


def _about(name: str) -> dict[str, Any]:
    """Facts about a model. `here`: whether its weights lie on this computer; None if unknown."""
    from vizapp.model.timm_names import downloaded, repository_of
    from vizapp.model.zoo import ModelName, fetchables

    source, repository = ModelName.parse(name).source, repository_of(name)
    here = source == "bundled" or (fetchables()[source].is_here() if source in fetchables() else None)
    return {"name": name, "source": source, "here": repository in downloaded() if repository else here}
