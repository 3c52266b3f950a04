"""Every method on six photos, to be looked at: python -m bench.overlays --model timm:deit_tiny_patch16_224

Rows are photos of installed packages, with the class that is explained, columns are methods; writes build/overlays.jpg.
"""

import argparse
from pathlib import Path

import gradio
import skimage

import vizapp
from vizapp.core.methods import methods

GRADIO, SKIMAGE = (Path(str(package.__file__)).parent for package in (gradio, skimage))
PHOTOS = (
    *(GRADIO / "media_assets" / "images" / name for name in ("cheetah.jpg", "lion.jpg", "bus.png")),
    *(SKIMAGE / "data" / name for name in ("chelsea.png", "coffee.png", "rocket.jpg")),
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.overlays", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", default="timm:deit_tiny_patch16_224")
    parser.add_argument("--output", type=Path, default=Path("build/overlays.jpg"))
    asked = parser.parse_args()
    model = vizapp.load(asked.model)
    photos = [vizapp.analyse(model, photo) for photo in PHOTOS]
    able = [name for name, one in methods().items() if not one.why_not(photos[0].trace)]
    names = ["{} {:.0%}".format(*photo.top(1)[0]) for photo in photos]
    asked.output.parent.mkdir(parents=True, exist_ok=True)
    vizapp.grid(photos, able, names=names).savefig(asked.output)
    print(asked.output)


if __name__ == "__main__":
    main()
