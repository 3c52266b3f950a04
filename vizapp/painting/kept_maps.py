"""Keeps the maps of a film in a file beside it while it is made, so that a stopped run can continue.

The file has a header of one line of JSON, then a record per frame: its scores as float32, and a checksum. Each frame is analysed
once, however often the run is stopped, and the largest value of all frames is known before the first is painted.
"""

from __future__ import annotations

import hashlib
import json
import logging
import struct
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from vizapp.errors import writing

LOG = logging.getLogger("vizapp.film")
SUM = struct.Struct("<I")


class KeptMaps:
    """The maps (rows, cols) of all frames, in OUT.part. `key` identifies all that they depend on; another key starts over."""

    def __init__(self, output: Path, key: Mapping[str, Any]) -> None:
        self.file = output.with_name(output.name + ".part")
        self.key = json.loads(json.dumps(key, default=_named))
        self.about: dict[str, Any] = {}  # set with the first map: its shape and description
        self.count = 0
        self._start = 0
        self.low, self.high = 0.0, 0.0
        if self.file.exists():
            with writing(self.file):
                self._read()

    def _read(self) -> None:
        with self.file.open("r+b") as file:
            head = file.readline()
            try:
                said = json.loads(head)
                if not head.endswith(b"\n") or said["key"] != self.key:
                    raise ValueError
                self.about, self._start = said["about"], len(head)
                shape = tuple(map(int, self.about["shape"]))
            except (ValueError, LookupError, TypeError):
                LOG.warning("%s is of another run: all frames are looked at again", self.file)
                return
            whole = 0
            while (record := file.read(self._size(shape))) and (scores := _scores(record, shape)) is not None:
                self._heard(scores)
                whole += len(record)
            file.truncate(self._start + whole)  # drops a half-written or damaged record

    def _size(self, shape: tuple[int, ...]) -> int:
        return SUM.size + 4 * int(np.prod(shape))

    def _heard(self, scores: np.ndarray) -> None:
        self.count += 1
        self.low, self.high = min(self.low, float(scores.min())), max(self.high, float(scores.max()))

    def add(self, scores: np.ndarray, about: Mapping[str, Any]) -> None:
        """Keep the map of one more frame; `about` (as JSON takes it) is kept with the first."""
        data = np.ascontiguousarray(scores, np.float32)
        with writing(self.file):
            if not self.count:
                self.about = json.loads(json.dumps({**about, "shape": data.shape}, default=str))
                head = json.dumps({"key": self.key, "about": self.about}).encode() + b"\n"
                self._start = len(head)
                self.file.write_bytes(head)
            with self.file.open("ab") as file:
                file.write(SUM.pack(zlib.crc32(data.tobytes())) + data.tobytes())
        self._heard(data)

    def __iter__(self) -> Iterator[np.ndarray]:
        """All maps (rows, cols), in the order of the frames, one in memory at a time."""
        shape = tuple(self.about["shape"])
        with self.file.open("rb") as file:
            file.seek(self._start)
            for _ in range(self.count):
                scores = _scores(file.read(self._size(shape)), shape)
                assert scores is not None, f"{self.file} was changed while it was read"
                yield scores

    def done(self) -> None:
        """Remove the file."""
        with suppress(OSError):
            self.file.unlink(missing_ok=True)


def _named(value: Any) -> str:
    """A text for a key of something that JSON cannot hold. For an array it covers all values, which `str` abbreviates."""
    if hasattr(value, "detach"):  # a tensor, in any precision, on any device
        value = value.detach().cpu().double().numpy()
    if not isinstance(value, np.ndarray):
        return str(value)
    return f"{value.dtype} {value.shape} {hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"


def _scores(record: bytes, shape: tuple[int, ...]) -> np.ndarray | None:
    """Read the scores of a record; None for half a record, or a damaged one."""
    data = record[SUM.size :]
    if len(data) != 4 * int(np.prod(shape)) or SUM.unpack(record[: SUM.size])[0] != zlib.crc32(data):
        return None
    return np.frombuffer(data, np.float32).reshape(shape)
