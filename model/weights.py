"""Read checkpoints of safetensors, with a message for each way a file can be wrong. torch_file.py reads pickles."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import nn

from vizapp.errors import VizError
from vizapp.memory import require_bytes
from vizapp.model.bounds import CROP, checked_architecture, real, sentence, whole, words
from vizapp.model.crate import CRATE
from vizapp.model.film import FILM, read_film, unpack
from vizapp.model.preprocess import FITS, Preprocess
from vizapp.model.spec import VisionModel
from vizapp.model.vit import ViT, resize_pos_embed
from vizapp.wording import Text, listed

METADATA_KEY = "vizapp"  # safetensors metadata: JSON that describes one of NETWORKS, written by our own training
MOST_HEADER = 8 * 2**20  # bytes of a safetensors header; 20,000 tensors take 2 MB, the labels of 21,000 classes 1 MB
MOST_TENSORS = 20_000  # the deepest network that is built (`MOST_LAYERS`) has 16 in each layer
NETWORKS: dict[str, type[ViT] | type[CRATE]] = {"vit": ViT, "crate": CRATE}


def weights_at(path: str | Path) -> Path:
    """Return the file of a path. Raises `VizError` if there is none, or if memory has no room for it."""
    try:
        path = Path(path).expanduser()
        size = path.stat().st_size if path.is_file() else None
    except (OSError, RuntimeError, ValueError):  # a name that is too long, an unknown home
        size = None
    if size is None:
        raise VizError("There is no file '{path}'.", "Give the path of a .safetensors or .pth file.", path=path)
    require_bytes(Path(path).name, size)
    return Path(path)


def read_checkpoint(path: str | Path) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    """(tensors by name, metadata) of a safetensors file. The metadata is {} unless the file was written by our own training."""
    path = weights_at(path)
    try:
        is_pickle = _is_pickle(path)
    except OSError as error:
        raise VizError("'{name}' cannot be read: {why}.", name=path.name, why=error.strerror or error) from None
    if is_pickle:
        raise VizError(
            "'{name}' is a pickle, which can run code when it is opened; it was not opened.",
            "If you trust it, convert it once: safetensors.torch.save_file(torch.load(PATH, weights_only=True), NEW_PATH).",
            name=path.name,
        )
    try:
        _require_small_header(path)
        with safe_open(path, framework="pt") as file:
            _require_few(path, len(file.keys()))
            description = json.loads((file.metadata() or {}).get(METADATA_KEY, "{}"))
            if not isinstance(description, dict):
                raise ValueError("its metadata are no JSON object")
            state = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (it is no dict)
            return state, description
    except (SafetensorError, OSError, ValueError, LookupError, TypeError, AttributeError, RuntimeError) as error:
        # The last errors come from numbers that torch has no type for, and from JSON that never ends.
        raise VizError(
            "'{name}' is not a whole safetensors file ({why}).",
            "Was the download cut off? Fetch it again.",
            name=path.name,
            why=error,
        ) from None


def _is_pickle(path: Path) -> bool:
    """Tell whether the file is a pickle, which runs code when it is opened: its maker could do anything with this machine."""
    with path.open("rb") as file:
        start = file.read(9)
    is_safe = start[8:] == b"{"  # safetensors: 8 bytes of any length, then JSON
    by_name = path.suffix in {".pt", ".pth", ".bin", ".pkl", ".ckpt"}
    return by_name or (start.startswith((b"PK", b"\x80")) and not is_safe)


def _require_small_header(path: Path) -> None:
    """Raise `VizError` for a header that takes seconds to read. Its tensors are counted in the form that all programs write."""
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        if size > path.stat().st_size:  # cut off, or another kind of file: another error says so
            return
        if size > MOST_HEADER:
            raise VizError(
                "'{name}' has a header of {mb} MB; {most} MB are read.",
                "It describes more than a network: save only the weights.",
                name=path.name,
                mb=size // 2**20,
                most=MOST_HEADER // 2**20,
            )
        _require_few(path, file.read(size).count(b'"data_offsets"'))


def _require_few(path: Path, count: int) -> None:
    if count > MOST_TENSORS:
        raise VizError(
            "'{name}' has a header of {count} tensors; {most} are read.",
            "It describes more than a network: save only the weights.",
            name=path.name,
            count=count,
            most=MOST_TENSORS,
        )


def load_strictly(net: nn.Module, state: Mapping[str, torch.Tensor], what: str) -> None:
    """Fill `net`, the network called `what`, with `state`. Raises `VizError` that names the first tensors that do not fit."""
    check_fit(net, state, what)
    net.load_state_dict(state, strict=True)


def check_fit(net: nn.Module, state: Mapping[str, torch.Tensor], what: str) -> None:
    """Raise `VizError` unless the tensors of both match one to one."""
    own = net.state_dict()
    missing, surplus = sorted(own.keys() - state.keys()), sorted(state.keys() - own.keys())
    wrong = [name for name in own.keys() & state.keys() if own[name].shape != state[name].shape]
    if missing or surplus or wrong:
        details = []
        if missing:
            details.append(Text("{count} missing (such as {name})", count=len(missing), name=missing[0]))
        if surplus:
            details.append(Text("{count} unexpected (such as {name})", count=len(surplus), name=surplus[0]))
        if wrong:
            details.append(Text("{count} of another shape (such as {name})", count=len(wrong), name=min(wrong)))
        hint = Text("Name the architecture they were made for: ?arch=NAME. Names must be timm's.")
        if wrong:
            hint = Text("Name the architecture they were made for: ?arch=NAME.")
        raise VizError("The weights do not fit {what}: {details}.", hint, what=what, details=listed(details))


def network_of_checkpoint(
    name: str,
    state: Mapping[str, torch.Tensor],
    description: Mapping[str, Any],
    size: tuple[int, int] | None = None,
    step: int | None = None,
) -> VisionModel:
    """Make a `VisionModel` of our own ViT or CRATE from a checkpoint of our own training; at another `size` if given.

    step  of a film (`vizapp.model.film`); None: its last
    """
    try:
        return _described(name, state, description, size, step)
    except (LookupError, TypeError, AttributeError) as error:
        raise VizError(
            "'{name}' describes its network in an unknown way ({kind}: {why}).",
            "Another version of vizapp may have written it; or name a timm architecture: ?arch=NAME.",
            name=name,
            kind=type(error).__name__,
            why=error,
        ) from error


def _described(
    name: str,
    state: Mapping[str, torch.Tensor],
    description: Mapping[str, Any],
    size: tuple[int, int] | None,
    step: int | None,
) -> VisionModel:
    kind, architecture = NETWORKS[description.get("network", "vit")], checked_architecture(description["architecture"])
    own_size = _pair(description["size"])
    labels = words("labels", description["labels"])
    if len(labels) not in {0, architecture.get("num_classes", len(labels))}:
        raise VizError(
            "The file names {count} classes, and its network has {classes}.",
            "It is damaged.",
            count=len(labels),
            classes=architecture["num_classes"],
        )
    # First with shapes and no data: a description that does not fit the file could ask for any amount of memory.
    with torch.device("meta"):
        net = kind(**{**architecture, "img_size": own_size})
    film = read_film(description[FILM], step) if FILM in description else None
    if step is not None and film is None:
        raise VizError("'{name}' is no film: it has one set of weights.", "Leave step out.", name=name)
    if film:
        state = unpack(state, film, {name: one.shape for name, one in net.state_dict().items()})
    check_fit(net, state, Text("the architecture that the file names"))
    net = kind(**{**architecture, "img_size": size or own_size})
    if size is not None and size != own_size:
        state = {**state, "pos_embed": resize_pos_embed(state["pos_embed"], net.grid, n_prefix=net.n_embed_prefix)}
    load_strictly(net, state, Text("the architecture that the file names"))
    patch = net.patch_embed.patch_size
    fit: Any = sentence("fit", description["fit"])
    if fit not in FITS:
        raise VizError("'{fit}' is no way to fit a picture.", "Choose one of: {fits}.", fit=fit, fits=", ".join(FITS))
    return VisionModel(
        name=name,
        net=net,
        attention=tuple(f"blocks.{i}.attn" for i in range(len(net.blocks))),
        prefix=net.prefix,
        patch=(patch, patch),
        preprocess=Preprocess(
            size=size or own_size,
            mean=tuple(real("mean", one, -1e3, 1e3) for one in description["mean"]),
            std=tuple(real("std", one, 1e-6, 1e3) for one in description["std"]),
            interpolation=sentence("interpolation", description["interpolation"]),
            crop=real("crop", description["crop"], *CROP),
            fit=fit,
        ),
        labels=labels,
        readout="mean" if net.global_pool == "avg" else "cls+dist" if "dist" in net.prefix else "cls",
        subject=sentence("subject", description["subject"]),
        notes=tuple(map(Text, words("notes", description["notes"]))),
        facts={sentence("facts", key): sentence(str(key), said) for key, said in description["facts"].items()},
        film=film,
    )


def _pair(size: Any) -> tuple[int, int]:
    sides = size if isinstance(size, list) and len(size) == 2 else (size, size)
    return whole("size", sides[0], 1, 4096), whole("size", sides[1], 1, 4096)
