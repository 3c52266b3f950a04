"""Names of models that make no sense, for every source. Without a network: nothing is asked for by them."""

from collections.abc import Callable
from pathlib import Path
from random import Random

from support.fuzz.nonsense import TEXTS, mutated
from vizapp.errors import VizError

COUNT = 120
MEMORY = 16 * 2**30
ALLOWED = (VizError,)
SOURCES = (
    "", "toy", "timm:", "hf:", "hf-hub:", "torchvision:", "open_clip:", "file:", "FILE:", ":", "nobody:", "local-dir:", "http:",
)  # fmt: skip
NAMES = (
    "vit_tiny_patch16_224", "resnet18", "deit_tiny_patch16_224.fb_in1k", "vit_b_16", "ViT-B-32", "google/vit-base-patch16-224",
    "a/b/c", "..", "a/b@c", "a" * 300, "a/" * 200, "a.safetensors", "/dev/zero", "/dev/null", "/proc/self/mem", "/", "~",
    "~nosuch/a.safetensors", "-",
)  # fmt: skip
OPTIONS = (
    "pretrained=no", "pretrained=maybe", "size=0", "size=-16", "size=1e9", "size=99999", "size=17", "size=", "arch=toy", "x=1",
    "arch=../x", "pretrained=no&pretrained=no", "&&", "=", "size=224&size=32", "pretrained", "size=\0", "size=" + "9" * 5000,
)  # fmt: skip


def prepare(folder: Path) -> Callable[[Random, Callable[[str], None]], None]:
    """Cases."""
    import vizapp.model as models

    (folder / "folder.safetensors").mkdir()
    (folder / "a.bin").write_bytes(b"\x80\x04.")
    known = (*NAMES, *TEXTS, str(folder), str(folder / "folder.safetensors"), str(folder / "a.bin"))

    def case(rng: Random, tries: Callable[[str], None]) -> None:
        name = rng.choice(SOURCES) + rng.choice(known)
        if rng.random() < 0.6:
            name += "?" + "&".join(rng.choice(OPTIONS) for _ in range(rng.choice((1, 1, 2))))
        if rng.random() < 0.15:
            name = mutated(rng, name.encode(errors="replace")).decode(errors="surrogateescape")
        if "pretrained" not in name and name.startswith(("timm:", "torchvision:", "open_clip:")):
            name += ("&" if "?" in name else "?") + "pretrained=no"  # no test downloads anything
        tries(repr(name[:500]))
        models.load(name, "cpu")

    return case
