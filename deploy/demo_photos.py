"""Write a page without a server that knows photographs: a network of your choice, and four photos that anybody may pass on.

pip install scikit-image
python deploy/demo_photos.py timm:deit_tiny_patch16_224.fb_in1k -o demo-photos.html

The photos are sample data of scikit-image, whose documentation (`skimage.data`) states their licences. Each goes into the page as
a JPEG whose EXIF names its author and licence, so the page names them too, and so does a photo that somebody takes out of it.
"""

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import skimage
from PIL import Image

sys.path.insert(0, str(Path(__file__).parents[1]))  # the checkout, where vizapp is not installed

from vizapp.browser.content import Wanted, content
from vizapp.browser.one_file import one_file
from vizapp.browser.shelf import COPYRIGHT

FOLDER = Path(str(skimage.__file__)).parent / "data"
CREDITS = {
    "chelsea.png": "Chelsea, Stefan van der Walt, CC0, from scikit-image",
    "coffee.png": "Coffee, Rachel Michetti, CC0, from scikit-image",
    "camera.png": "Camera, Lav Varshney, CC0, from scikit-image",
    "rocket.jpg": "DSCOVR on Falcon 9, SpaceX, public domain, from scikit-image",
}
QUALITY = 90  # 0.2 MB for all four; as PNG they take 0.9


def photos(folder: Path) -> list[Path]:
    """Write the photos into `folder`, each with its credit inside."""
    made = []
    for name, credit in CREDITS.items():
        about = Image.Exif()
        about[COPYRIGHT] = credit
        made.append(folder / f"{Path(name).stem}.jpg")
        with Image.open(FOLDER / name) as photo:
            photo.convert("RGB").save(made[-1], quality=QUALITY, exif=about)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("model", help="a network that runs in a browser, as for vizapp export --model")
    parser.add_argument("-o", "--output", type=Path, default=Path("demo-photos.html"), metavar="PAGE.html")
    asked = parser.parse_args()
    with TemporaryDirectory() as folder:
        cargo = content(Wanted((asked.model,), photos(Path(folder))))
    (model,) = cargo.about["models"]
    if model["why"]:
        sys.exit(next(iter(model["why"].values())))  # maps of four photos are no demo of a network
    print(f"{asked.output}: {one_file(cargo, asked.output) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
