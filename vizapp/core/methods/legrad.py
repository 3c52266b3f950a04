"""LeGrad: in each layer, to which tokens the class would like more attention to go."""

import torch

from vizapp.core.attention.chain import check_start
from vizapp.core.context import ExplainContext
from vizapp.core.methods import method, one_grid
from vizapp.core.pauses import may_pause
from vizapp.core.setting import StartLayer
from vizapp.core.signals.gradients import attention_gradients
from vizapp.core.signals.stream import stream_of
from vizapp.model.spec import TokenLayout
from vizapp.wording import Text


@method(
    title="LeGrad",
    sentence="To which patches the class would like more attention to go, in each layer.",
    paper="Bousselham et al. 2025, LeGrad: An Explainability Method for Vision Transformers, section 3 (arXiv 2404.03214)",
    unit=lambda settings: Text("sensitivity of the class to attention"),
    class_specific=True,
    by_query=False,
    why_not=one_grid,
    chosen=True,
    needs=("gradient",),
)
def legrad(
    seen: ExplainContext, query: torch.Tensor, *, start_layer: StartLayer = 0
) -> tuple[torch.Tensor, TokenLayout]:
    """(token,): mean over layers, heads and query tokens of (ds_l / dA_l)^+, one value per key token.

    start_layer  layers before it are left out
    Attention that a mask hides stays zero whatever the class would like, and counts as nothing.
    s_l is the class's logit when the classifier reads the output of layer l: the blocks after it are left out, or the residual
    stream is read there. A check proves that nothing goes round that place; if it fails, the network is refused. The paper
    scales the map to 0..1 in the end; here it is not scaled.
    The authors' code differs in two ways from its paper. By default it takes the last two layers only (here: the number of
    layers less 2 as start_layer). For CLIP it reads the mean of all tokens of a layer, although the network reads CLS.
    The map sees every layer by itself, and only attention: where more of it would help, not where it is.
    """
    trace, model = seen.trace, seen.model
    total = torch.zeros(trace.layout.n_tokens, device=trace.device, dtype=trace.dtype)
    check_start(start_layer, len(trace.layers) - 1)
    stream = stream_of(model, seen.pixels, trace, seen.explained)
    for index in range(start_layer, len(trace.layers)):
        may_pause()
        with stream.read_after(index):
            (gradient,) = attention_gradients(model, seen.pixels, trace, seen.explained, [index])
        every = torch.arange(gradient.n_queries, device=trace.device)
        for some in gradient.chunks(every):
            liked, shut = gradient.rows(some).clamp_min(0), trace.layers[index].shut(some)
            liked = liked if shut is None else liked.masked_fill(shut, 0)
            total += liked.sum(1).mean(0).to(total.dtype) / len(every)
    return total / (len(trace.layers) - start_layer), trace.layout
