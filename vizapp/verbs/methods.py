"""vizapp methods: what each method shows, its paper and its settings."""

import argparse
from typing import Literal, get_args, get_origin

HELP = "list methods and their settings"


def add(command: argparse.ArgumentParser) -> None:
    """Its arguments."""
    command.add_argument("--json", action="store_true", help="as JSON, with all that each says of itself")


def run(asked: argparse.Namespace) -> None:
    """Each method with what it shows, its paper and its settings."""
    from vizapp.core.methods import methods

    if asked.json:
        from vizapp.pipeline import as_json

        print(as_json.written(as_json.of_methods(methods().values())))
        return
    for method in methods().values():
        print(f"{method.name}: {method.sentence} {method.paper}")
        for name, parameter in method.parameters.items():
            is_choice = get_origin(parameter.annotation) is Literal
            choices = " | ".join(map(str, get_args(parameter.annotation))) if is_choice else ""
            print(f"    {name}={parameter.default}  {choices}".rstrip())
