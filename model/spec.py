"""The facts that vizapp knows about a network: its tokens (`TokenLayout`) and how to run it (`VisionModel`)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import torch
from torch import nn

from vizapp.errors import VizError
from vizapp.model.film import Film
from vizapp.model.inputs import completed
from vizapp.model.preprocess import Preprocess
from vizapp.model.text_tower import TextTower
from vizapp.wording import Text, listed

ACTIVATIONS = ("", "softmax", "sigmoid", "none")


@dataclass(frozen=True)
class TokenLayout:
    """The meaning of each token of the sequence: named prefix tokens first, then one token per patch, row by row.

    `prefix` holds "cls", "dist" or "reg0", "reg1", ... in the order of the sequence; it may be empty.
    `grid` is (rows, cols) of patches; it need not be square.
    """

    prefix: tuple[str, ...]
    grid: tuple[int, int]

    def __post_init__(self) -> None:
        object.__setattr__(self, "prefix", tuple(self.prefix))
        if len(self.grid) != 2 or min(self.grid) < 0:
            raise VizError("A grid of {grid} patches is not possible.", "Give (rows, columns).", grid=self.grid)

    @property
    def n_prefix(self) -> int:
        return len(self.prefix)

    @property
    def n_patches(self) -> int:
        return self.grid[0] * self.grid[1]

    @property
    def n_tokens(self) -> int:
        return self.n_prefix + self.n_patches

    def token_of(self, row: int, col: int) -> int:
        """Return the index in the sequence of the patch in `row`, `col` (both from 0)."""
        rows, cols = self.grid
        if not (0 <= row < rows and 0 <= col < cols):
            raise VizError(
                "There is no patch ({row}, {col}): the picture was cut into {rows} rows and {cols} columns.",
                "Rows go from 0 to {last_row}, columns from 0 to {last_col}.",
                row=row,
                col=col,
                rows=rows,
                cols=cols,
                last_row=rows - 1,
                last_col=cols - 1,
            )
        return self.n_prefix + row * cols + col

    def named(self, chosen: torch.Tensor) -> str:
        """Name the tokens that `chosen` (token,) bool holds, as a query: "cls+3,4", and patches in a row as "0,0..0,3"."""
        names = [*self.prefix, *(f"{row},{col}" for row in range(self.grid[0]) for col in range(self.grid[1]))]
        runs = list[list[int]]()
        for token in chosen.nonzero().flatten().tolist():
            if runs and token > self.n_prefix and runs[-1][-1] == token - 1:
                runs[-1][1:] = [token]
            else:
                runs.append([token])
        return "+".join("..".join(names[end] for end in run) for run in runs)

    def __str__(self) -> str:
        rows, cols = self.grid
        parts = listed([*self.prefix, Text("{rows}x{cols} patches", rows=rows, cols=cols)], " + ")
        return Text("{count} tokens ({parts})", count=self.n_tokens, parts=parts)


@dataclass(frozen=True)
class VisionModel:
    """A network and the facts about it that no code should guess.

    net         the network, in eval mode, on the device where it will run; `net(pixels)` gives logits or features
    attention   dotted names of the modules that hold one token-to-token attention each, first layer first; (): found
    prefix      the tokens before the patches, see `TokenLayout`
    patch       (height, width) of a patch in model pixels; None: the grid is found, and may differ from layer to layer
    preprocess  picture -> pixels, as the checkpoint was trained; without colours, it gets those that the network names, or
                ImageNet's, and a note says so
    labels      one per logit; empty for a network without a classifier; `labels_read`: the network itself declares them, and
                they are dropped if it gives another number of outputs
    readout     the tokens that the classifier reads: the name of a prefix token, several alike ("cls+dist"), "mean" (of all
                patches), "3,3" of a patch, or "pool" (an attention pooling, whose module may be named by `pool`); "": found
    activation  turns outputs into probabilities: "softmax", "sigmoid" (each by itself), or "none" (a regression has no
                probabilities); "": softmax of several, sigmoid of one
    expected    the layout that the owner declares: a picture is refused if another one is found; None: any
    texts       gives the tower that reads sentences, if the network was trained on pictures with captions; None: it has none
    subject     the subject of its training pictures: "photos" or "scenes" (our rendered toy world); it picks the examples
    notes       facts that a person must know before believing a map, in plain words ("the weights are random")
    facts       for display and for exported files: parameters, licence, training, ...
    film        weights at other steps of the training, if they are known; None: only these are
    """

    name: str
    net: nn.Module = field(repr=False)
    attention: tuple[str, ...]
    prefix: tuple[str, ...]
    patch: tuple[int, int] | None
    preprocess: Preprocess
    labels: tuple[str, ...] = field(default=(), repr=False)
    labels_read: bool = field(default=False, repr=False, kw_only=True)
    readout: str = "cls"
    pool: str | None = None
    activation: str = ""
    expected: TokenLayout | None = None
    texts: Callable[[], TextTower] | None = field(default=None, repr=False)
    subject: str = "photos"
    notes: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    film: Film | None = field(default=None, repr=False, kw_only=True)

    def __post_init__(self) -> None:
        if self.activation not in ACTIVATIONS:
            raise VizError(
                "activation='{got}' is not possible.",
                "Choose one of: {known}.",
                got=self.activation,
                known=", ".join(filter(None, ACTIVATIONS)),
            )
        if self.preprocess.mean is None:
            preprocess, notes = completed(self.net, self.preprocess)
            object.__setattr__(self, "preprocess", preprocess)
            object.__setattr__(self, "notes", (*self.notes, *notes))

    @property
    def device(self) -> str:
        """The device for pixels: that of the first weights, now or when they are needed (accelerate's offload)."""
        first = next((one.device for one in self.net.parameters()), torch.device("cpu"))
        if first.type == "meta":
            hooks = (getattr(part, "_hf_hook", None) for part in self.net.modules())
            runs = (getattr(hook, "execution_device", None) for hook in hooks)
            first = next((torch.device(one) for one in runs if one is not None), first)
        return str(first)

    def layout(self) -> TokenLayout | None:
        """The tokens of a picture of the model's input size, if they are the same in all layers and known beforehand."""
        if self.patch is None:
            return None
        height, width = self.preprocess.size
        return TokenLayout(self.prefix, (height // self.patch[0], width // self.patch[1]))


def refuse_unready(model: VisionModel) -> None:
    """Raise `VizError` if `model` cannot be used as it is now: its weights have no values, or it is in training mode.

    It was loaded in eval mode, but its owner may have changed that.
    """
    refuse_training(model.net)
    # Empty weights are found before the pass, since not every function refuses one: a convolution reads whatever lies in memory.
    later = tuple[str, ...]()
    for name, part in model.net.named_modules():
        if (hook := getattr(part, "_hf_hook", None)) is not None:  # accelerate's offload: values come when it runs
            later += (f"{name}." if name else "",) if getattr(hook, "place_submodules", False) else ()
            continue
        if name.startswith(later):
            continue
        for own, tensor in (*part.named_parameters(recurse=False), *part.named_buffers(recurse=False)):
            if tensor.is_meta:
                raise VizError(
                    "{weight} of {name} is on the device 'meta', where it has no values.",
                    "Load them: net.load_state_dict(weights, assign=True).",
                    weight=f"{name}.{own}".lstrip("."),
                    name=model.name,
                )
            if tensor.is_inference():
                raise VizError(
                    "{weight} of {name} was made under torch.inference_mode, and no gradient can be computed with it.",
                    "Make the network outside of it, and use torch.no_grad instead.",
                    weight=f"{name}.{own}".lstrip("."),
                    name=model.name,
                )


def refuse_exported(net: object) -> None:
    """Raise `VizError` for a program of torch.export, in any of its forms; it has no modules that compute."""
    if any(one.__module__.startswith("torch.export.") for one in type(net).__mro__):
        raise VizError(
            "{kind} is an exported program (torch.export), which hides its modules.",
            "Give the network that it was exported from.",
            kind=type(net).__name__,
        )


def refuse_training(net: nn.Module) -> None:
    """Raise `VizError` if a part of `net` is in training mode: two passes on one picture would differ."""
    training = [part for part in net.named_modules() if part[1].training and not _is_quantised(part[1])]
    if not training:
        return
    for _, part in training:
        refuse_exported(part)  # it has no eval(), so that whatever it is a part of has none
    name = training[0][0]
    which = Text("{part} of {name}", part=name, name=type(net).__name__) if name else type(net).__name__
    raise VizError(
        "{which} is in training mode, where dropout changes the maps.",
        "Call .eval() on the network first.",
        which=which,
    )


def _is_quantised(part: nn.Module) -> bool:
    """Tell whether PyTorch quantised the layer: such a layer reports training mode until it is set, and behaves alike in both."""
    return type(part).__module__.startswith("torch.ao.nn.quantized")
