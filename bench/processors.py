"""Every image processor of transformers: are pictures prepared by it, or refused?

    python -m bench.processors                 writes docs/processors.md
    python -m bench.processors KIND ...        these only, printed

Each is made with its own defaults, and prepares a photo. *Exact*: the pixels are the processor's own, and a white spot in a
black picture lies where the Frame says, to a pixel. *Refused*: in words, and the pixels can still be given as a tensor.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
import torch
from PIL import Image

from vizapp.errors import VizError
from vizapp.model.processor import Processor

PAGE = Path(__file__).parent.parent / "docs" / "processors.md"
SPOT = 0.04  # of a side
SEVERAL = "Pil"  # the second of two that do the same, by Pillow


def kinds() -> list[str]:
    """The classes that the installed transformers lists as image processors."""
    from transformers.models.auto.image_processing_auto import IMAGE_PROCESSOR_MAPPING_NAMES as NAMES

    found = {name for several in NAMES.values() for name in dict(several).values() if name}
    return sorted(name for name in found if not name.endswith(SEVERAL))


def measured(kind: str, photo: np.ndarray) -> str:
    """What becomes of a photo: "exact, ...", "refused: ..." or "not made: ..."."""
    import transformers

    try:
        processor = getattr(transformers, kind)()
    except (TypeError, ValueError, ImportError, AttributeError) as error:
        return f"not made: {type(error).__name__}"
    does = Processor(processor)
    try:
        pixels, frame = does(photo)
    except VizError as error:
        return f"refused: {str(error).partition('cannot follow: ')[2].partition('. Give')[0]}"
    own = processor(Image.fromarray(photo), return_tensors="pt")["pixel_values"]
    own = own.flip(1) if does.flips else own
    if not torch.equal(pixels, own.float()):
        return "WRONG: other pixels"
    off = _off(does, photo.shape[:2])
    return f"exact, {frame.input[0]} x {frame.input[1]}" if off < 1 else f"WRONG: a spot is {off:.1f} pixels off"


def _off(does: Processor, shape: tuple[int, int]) -> float:
    """How far, in pixels, spots in the picture lie from where they are said to lie."""
    worst = 0.0
    for at in ((0.45, 0.6), (0.55, 0.4)):
        picture, half = np.zeros((*shape, 3), np.uint8), (round(SPOT * shape[0]), round(SPOT * shape[1]))
        row, col = round(at[0] * shape[0]), round(at[1] * shape[1])
        picture[row - half[0] : row + half[0], col - half[1] : col + half[1]] = 255
        bare, frame = does(np.zeros_like(picture))
        spot = (does(picture)[0] - bare)[0].double().mean(0).clamp_min(0)
        x, y = frame.to_model(col, row)
        rows, cols = (torch.arange(side).double() + 0.5 for side in spot.shape)
        found = float(spot.sum(1) @ rows / spot.sum()), float(spot.sum(0) @ cols / spot.sum())
        worst = max(worst, abs(found[0] - y), abs(found[1] - x))
    return worst


def main() -> None:
    import transformers

    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    noise = np.random.default_rng(0).integers(0, 256, (30, 40, 3), dtype=np.uint8)
    photo = np.asarray(Image.fromarray(noise).resize((401, 300), Image.Resampling.BICUBIC))
    asked = sys.argv[1:] or kinds()
    lines = []
    for kind in asked:
        said = measured(kind, photo)
        print(kind, said, flush=True)
        lines.append(f"| {kind} | {said} |")
    if sys.argv[1:]:
        return
    exact = sum("| exact" in line for line in lines)
    text = (
        "# Which image processors of transformers are followed\n\n"
        f"Made by `python -m bench.processors` with transformers {transformers.__version__}. "
        f"{exact} of {len(lines)} are exact.\n\n"
        f"{(__doc__ or '').rpartition(chr(10) * 2)[2]}\n| processor | a photo of 401 x 300 |\n|---|---|\n"
    )
    PAGE.write_text(text + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
