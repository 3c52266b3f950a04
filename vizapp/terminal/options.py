"""Options that several commands have, declared once: `add(command, "--layer", "--device")`."""

from argparse import _ActionsContainer as Container  # a parser, or a group of its options
from typing import Any

SHARED: dict[str, dict[str, Any]] = {
    "model": {"metavar": "MODEL", "help": "a name, as for --model of the other commands"},
    "--layer": {"type": int, "help": "from 0; -1 is the last, as if not given"},
    "--head": {"type": int, "help": "from 0; all heads fused if not given (raw attention only)"},
    "--set": {
        "action": "append",
        "default": [],
        "metavar": "NAME=VALUE",
        "help": "a setting of the method, such as fusion=max",
    },
    "--target": {"help": "class to explain: its label, or its index (the most probable one)"},
    "--workers": {"type": int, "default": 1, "help": "processes, or workers of ray (1)"},
    "--engine": {"default": "processes", "help": "processes, or ray: several machines (processes)"},
    "--device": {"help": "cuda, mps or cpu (the best there is)"},
}


def add(command: Container, *names: str) -> None:
    """Give a command those of the shared options."""
    for name in names:
        command.add_argument(name, **SHARED[name])
