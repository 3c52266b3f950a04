"""A network that runs under an edit, each time it is called: to its callers it is an ordinary network.

Gradients, relevance propagation, occlusion and the rest call `model.net` again and again. The edit lives in the network and not
in each of them, so none of them can forget it, those of other packages included.

One way round it is known. `torch.utils.checkpoint` with use_reentrant=True runs a block again in the backward pass, after this
forward has returned, and there it is the plain block: the gradient of another network. vizapp's own gradient methods raise
there; so does PyTorch with use_reentrant=False. Gradients of your own need a network without checkpoints.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from torch import Tensor, nn

from vizapp.core.capture.call import Call
from vizapp.core.capture.watch import Watch
from vizapp.model.spec import VisionModel


class PassEdit(Protocol):
    """Edits one forward pass: called with each attention call, then asked whether all was done that was asked for."""

    def __call__(self, call: Call) -> Call | None: ...

    def finish(self) -> None:
        """Raise `VizError` if anything that was asked for was not done exactly once."""


Begin = Callable[[int], PassEdit]  # pictures in the pass -> what edits it


class EditedNetwork(nn.Module):
    """The network of `model` under edits: the same modules, the same parameters, the same names, nothing copied.

    The modules are shared by sharing the dictionaries that hold them, so `get_submodule("blocks.3")` gives the very block that
    the plain network runs. Others may run the plain network at the same time, in this or another thread: an edit is not in the
    modules but in the pass, and a pass belongs to the thread that runs it.
    """

    def __init__(self, model: VisionModel, begin: Begin, only: tuple[str, ...]) -> None:
        super().__init__()
        shared = ("_modules", "_parameters", "_buffers", "_non_persistent_buffers_set")
        self.__dict__.update({name: model.net.__dict__[name] for name in shared})
        self.__dict__.update(plain_model=model, begin=begin, only=only, training=model.net.training)

    def forward(self, pixels: Tensor, *args: Any, **kwargs: Any) -> Any:
        """The plain network's output for `pixels` (B, 3, h, w), edited. Raises `VizError` if an edit was not applied."""
        plain: VisionModel = self.__dict__["plain_model"]
        # Anew for each pass: it counts what it has done, and several threads may run the network at once.
        edit: PassEdit = self.__dict__["begin"](len(pixels))
        # A watch of this network must see the calls as they are after the edit. Two watches, one inside the other, would show
        # one of them the calls as they were. So a watch that is there already does the editing.
        around = Watch.around(self)
        with around.editing(edit) if around else Watch(plain.net, _ignored, only=self.__dict__["only"], edit=edit):
            output = plain.net(pixels, *args, **kwargs)
        edit.finish()
        return output


def _ignored(call: Call) -> None:
    """Take a call that was edited, and tell nobody."""


def unedited(model: VisionModel) -> VisionModel:
    """Give the model with its plain network; all else that is said of it stays."""
    return replace(model, net=model.net.__dict__["plain_model"].net) if isinstance(model.net, EditedNetwork) else model


def edited_like(other: VisionModel, model: VisionModel) -> VisionModel:
    """Put `model`, which is built like `other`, under the edits of `other`; give `model` itself if that has none."""
    if not isinstance(other.net, EditedNetwork):
        return model
    return replace(model, net=EditedNetwork(model, other.net.__dict__["begin"], other.net.__dict__["only"]))
