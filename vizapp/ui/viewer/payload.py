"""Writes an `Analysis` as one binary file for the browser. The top of payload.js, which reads it, describes the format."""

import hashlib
import json
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import torch

from vizapp.analysis import Analysis
from vizapp.core.trust.sinks import Sink, among
from vizapp.picture.pages import told
from vizapp.ui.lesson_pictures import PER_LESSON, Asked
from vizapp.ui.viewer.attention_blocks import attention_blocks
from vizapp.vocabulary import DRAWN_PIXELS, JPEG_QUALITY, LONGEST_SIDE, TOP_CLASSES, BlockKind

SinkRow = tuple[int, int, float, int, int]
MAGIC = b"VIZ1"
LARGEST_FILE = 256_000_000
KIND: dict[np.dtype, BlockKind] = {
    np.dtype(np.uint8): "bytes",
    np.dtype(np.float16): "f16",
    np.dtype(np.float32): "f32",
    np.dtype(np.int32): "i32",
}


def pack(
    seen: Analysis,
    lesson: Asked | None = None,
    say: Callable[[str], str] = str,
    caution: str = "",
    *,
    room: int = LARGEST_FILE,
    room_for_means: int = 0,
    file: tuple[bytes, str] | None = None,
    turns: bool = False,
) -> bytes:
    """Pack an analysis for the browser; `say` translates its sentences.

    lesson    the question of a lesson about the picture
    caution   why the network's labels mean nothing for this picture; "" if they may
    room      bytes for the layers' numbers. The browser asks for rows of layers that do not fit; without a server it shows only
              the query that the classifier reads in such a layer
    room_for_means  compressed bytes for the mean of the heads of layers that do not fit into `room`, so that any query's mean can
              be shown. Each value is within 2 % and 0.0005 of the exact one
    file      the picture's bytes and type, instead of the usual encoding
    turns     whether the page around it can show other pages of the picture's file

    The header comes first, then the blocks that a first heatmap needs, then the rest, which the browser requests piece by
    piece (see numbers/wanted.js).
    """
    attention = attention_blocks(seen.trace, room, room_for_means)
    picture, picture_type = file or _encode(seen.picture)
    blocks: dict[str, np.ndarray] = {"picture": np.frombuffer(picture, np.uint8)}
    # One bit per pixel: a mask has as many as the picture, and a scene has a mask for each thing.
    blocks |= {f"truth.{i}": np.packbits(seen.frame.mask_of(one.mask)) for i, one in enumerate(seen.truth)}
    blocks |= attention.first
    cells = seen.trace.cells
    header: dict[str, object] = {
        "model": seen.model_name,
        **sentences(seen, lesson, say, caution, turns=turns),
        **attention.about,
        "sinks": _sinks(seen, attention.rows),
        "picture": {"type": picture_type},
        # Under another model the same picture keeps the chosen patch, its marks and its outline. A hash recognises it, as the
        # same picture may come under several names.
        "id": hashlib.sha256(picture).hexdigest(),
        "input": seen.frame.input,
        **({} if cells is None or cells.sees is None else {"sees": cells.sees}),
        "film": _film(seen),
        "window": seen.frame.window_shares,
    }
    return _assemble(header, blocks | attention.rest, len(blocks))


def sentences(
    seen: Analysis,
    lesson: Asked | None = None,
    say: Callable[[str], str] = str,
    caution: str = "",
    *,
    turns: bool = False,
) -> dict[str, object]:
    """The part of the header that depends on the language; the arguments as for `pack`."""
    said = seen.context.model.notes if caution and seen.context else ()  # the caution says the same, and at the labels
    page = told(seen.notes)  # said where the page is chosen
    return {
        "notes": [say(note) for note in seen.notes if note not in said and not (page and note is page.note)],
        "pages": page and {"page": page.page, "pages": page.pages, "isAll": page.is_all, "turns": turns},
        "lesson": lesson and about_lesson(lesson, say),
        "noChain": say(seen.trace.no_chain),
        "aside": [(name, say(reason)) for name, reason in seen.trace.skipped.items()],
        "caution": caution,
        "top": [(say(label), share) for label, share in seen.top(TOP_CLASSES)],
        "truth": [{"name": say(one.name), "object": one.is_object} for one in seen.truth],
    }


def about_lesson(asked: Asked, say: Callable[[str], str]) -> dict[str, object]:
    """The lesson in the header: the name by which a link finds its pictures, its question, and the right labels."""
    return {
        "name": asked.place.name,
        "number": asked.place.number,
        "of": PER_LESSON,
        "isBare": asked.place.is_bare,
        "title": say(asked.lesson.title),
        "question": say(asked.lesson.question),
        "answers": [say(one) for one in asked.answers],
    }


@dataclass(frozen=True)
class Packed:
    """The header of a packed analysis, read from its bytes, because packing again would take as long again.

    start  where its blocks begin
    """

    header: dict[str, Any]
    start: int

    @classmethod
    def of(cls, packed: bytes) -> "Packed":
        (length,) = struct.unpack("<I", packed[4:8])
        return cls(json.loads(packed[8 : 8 + length]), 8 + length)

    @property
    def first(self) -> int:
        """Bytes of the header and the blocks that a first heatmap needs."""
        return self.start + int(self.header["first"])

    @property
    def is_complete(self) -> bool:
        """Whether the file has all layers."""
        return all(layer["kind"] != "asked" for layer in self.header["layers"])


def _film(seen: Analysis) -> dict[str, object] | None:
    """For a network shown at a step of its training: all steps, and what was measured at each; None for other networks."""
    film = seen.context.model.film if seen.context else None
    return film.said() | {"at": film.at, "classes": len(seen.labels)} if film else None


def _sinks(seen: Analysis, rows: dict[str, list[torch.Tensor]]) -> list[SinkRow] | None:
    """The sinks of a picture whose norms are known; None for others, for which the browser asks later (answers/sinks.py)."""
    if seen.context is None or not seen.context.norms:
        return None
    trace, layout, received = seen.trace, seen.trace.layout, []
    # The attention that each token receives, without computing all rows again: the mean over the patches is known, and each of
    # the few prefix tokens has a row.
    for index, layer in enumerate(trace.layers):
        ready = {name: some[index] for name, some in rows.items()}
        prefix = [
            ready[name] if name in ready else layer.attend(trace.query(name, index)).cpu() for name in layout.prefix
        ]
        weighed = [layout.n_patches * ready["mean"], *prefix]
        received.append(torch.stack(weighed).sum(0).mean(0) / layout.n_tokens)
    return sink_rows(among(layout, seen.context.norms, received))


def sink_rows(found: Sequence[Sink]) -> list[SinkRow]:
    """Sinks as the browser reads them: row, col, the largest share of a layer's attention, first and last layer, from 0."""
    return [(one.row, one.col, one.share, min(one.layers), max(one.layers)) for one in found]


def _encode(picture: np.ndarray) -> tuple[bytes, str]:
    """Encode the picture for the page: small ones without loss, photographs as JPEG."""
    scale = LONGEST_SIDE / max(picture.shape[:2])
    if scale < 1:
        size = (max(1, round(picture.shape[1] * scale)), max(1, round(picture.shape[0] * scale)))
        picture = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    # Scenes of the toy world are small and drawn: JPEG would blur what is one pixel wide, and PNG is smaller there anyway.
    small = picture.shape[0] * picture.shape[1] <= DRAWN_PIXELS
    options = [] if small else [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY]
    _, encoded = cv2.imencode(".png" if small else ".jpg", picture[:, :, ::-1], options)  # opencv writes BGR
    return encoded.tobytes(), "image/png" if small else "image/jpeg"


def _assemble(header: dict[str, object], blocks: dict[str, np.ndarray], n_first: int) -> bytes:
    """Join magic number, header and blocks. The header says where each block begins, and where the first `n_first` end."""
    # Offsets count from the end of the header, because the header's length depends on this table.
    table: dict[str, tuple[int, str, tuple[int, ...]]] = {}
    parts: list[bytes] = []
    offset = first = 0
    for name, block in blocks.items():
        table[name] = (offset, KIND[block.dtype], block.shape)
        data = block.tobytes()
        parts.append(data + b"\0" * (-len(data) % 8))
        offset += len(parts[-1])
        first = offset if len(table) <= n_first else first
    text = json.dumps(header | {"first": first, "blocks": table}).encode()
    text += b" " * (-len(text) % 8)  # blocks start at a multiple of 8, as typed arrays need
    return b"".join([MAGIC, struct.pack("<I", len(text)), text, *parts])
