"""Let the classifier read the output of each layer, as if the network ended there ("logit lens"), in one pass.

nostalgebraist 2020, interpreting GPT: the logit lens. The outputs of all layers go, side by side like a batch, to the modules
after the last layer. Later layers are trained for these outputs and the classifier is not: early readings are rough.
"""

import torch
from torch import Tensor

from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.memory import explained
from vizapp.core.network import dtype_of, output_of
from vizapp.core.signals.blocks import blocks_of, changing
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel

SAME = 1e-3  # of the largest logit: a batch may be summed in another order


def lens(model: VisionModel, pixels: Tensor, trace: AttentionTrace) -> dict[int, Tensor]:
    """{n: (classes,) logits} as if the network ended after its first n layers; n = 0 is the input of the first.

    Only layers whose tokens have the last one's shape: in networks that shrink their grid, those after the last shrinking.
    Raises `VizError` without a classifier, and if the modules after the last layer take no batch, or more than its tokens.
    """
    if trace.logits is None:
        raise VizError("{name} has no classifier.", name=model.name)
    blocks = blocks_of(model.net, trace)
    streams: dict[int, Tensor] = {}
    counts: list[int] = []

    def all_at_once(name: str, given: Tensor, made: Tensor) -> Tensor:
        index = blocks.index(name)
        if index == 0:
            streams[0] = given.detach().clone()
        streams[index + 1] = made.detach().clone()
        if index < len(blocks) - 1:
            return made
        # Side by side as a batch, and not one by one: the modules after the last layer run once.
        counts.extend(n for n, stream in sorted(streams.items()) if stream.shape == made.shape)
        return torch.cat([streams[n] for n in counts])

    try:
        with explained(model, model.device), torch.no_grad(), changing(model.net, blocks, all_at_once):
            output = output_of(model.net(pixels.detach().to(model.device, dtype_of(model.net)))).float()
    except RuntimeError as error:
        raise _not_read(model) from error
    expected = trace.logits.to(output.device)
    if output.shape != (len(counts), *expected.shape):
        raise _not_read(model)
    # The proof: read after all layers, the answer must be the network's own.
    if float((output[-1] - expected).abs().max()) > SAME * float(expected.abs().max()):
        raise _not_read(model)
    return dict(zip(counts, output.cpu(), strict=True))


def _not_read(model: VisionModel) -> VizError:
    return VizError(
        "The answer of {name} after fewer layers is not known: it depends on more than the tokens of the last layer.",
        name=model.name,
    )
