"""Methods that look at pixels only, as captum does them: any network with a classifier, whatever is inside."""

from collections.abc import Callable
from typing import Annotated, Any

import torch
from torch import Tensor

from vizapp.core.attention.cells import Cells
from vizapp.core.context import ExplainContext
from vizapp.core.methods import Found, method, within
from vizapp.core.network import dtype_of
from vizapp.core.pauses import may_pause
from vizapp.core.setting import Seed, Setting
from vizapp.core.signals.gradients import differentiated, slope_in
from vizapp.core.signals.patches import cells_of
from vizapp.core.target import scores_of
from vizapp.model.spec import TokenLayout
from vizapp.wording import Text

AT_ONCE = 8  # pictures in one pass


def _patches(seen: ExplainContext, attribute: Callable[[Any, Callable[[Tensor], Tensor], Tensor], Tensor]) -> Any:
    """(patch,) sums of what `attribute(captum, logit of the class, pixels)` gives for each pixel, and their layout."""
    import captum.attr  # an extra; `Method` says so where it is missing

    model, target = seen.model, seen.explained
    pixels = seen.pixels.detach().to(model.device, dtype_of(model.net))

    def logit(several: Tensor) -> Tensor:
        may_pause()
        given = several.to(dtype_of(model.net))  # captum's noise is float32
        if callable(target) and given.requires_grad:
            return torch.stack([slope_in(model, model.net(one), target).to(given.device) for one in given.split(1)])
        return scores_of(model.net, given, target)

    with differentiated(model), torch.enable_grad():
        found = attribute(captum.attr, logit, pixels.requires_grad_(True))
    return cells_of(model, seen.pixels, seen.trace).summed(found.detach()[0].sum(0))


@method(
    title="Input \u00d7 gradient",
    sentence="How the score would change with each pixel, times the pixel.",
    paper="Shrikumar et al. 2016, Not Just a Black Box (arXiv 1605.01713)",
    unit=lambda settings: Text("part of the class's logit, to first order"),
    class_specific=True,
    signed=True,
    by_query=False,
    needs=("gradient",),
    package="captum",
)
def input_gradient(seen: ExplainContext, query: Tensor) -> tuple[Tensor, TokenLayout]:
    """(patch,): sum over its pixels of pixel value x gradient of the class's logit.

    Pixel values are counted from the colour that preprocessing makes zero: the training pictures' mean colour, or mid-grey.
    """
    return _patches(seen, lambda captum, logit, pixels: captum.InputXGradient(logit).attribute(pixels))


@method(
    title="Integrated gradients",
    sentence="Input \u00d7 gradient, summed on the way from an empty picture.",
    paper="Sundararajan et al. 2017, Axiomatic Attribution for Deep Networks, eq. 1 (arXiv 1703.01365)",
    unit=lambda settings: Text("part of the class's logit above that of a picture of one colour"),
    class_specific=True,
    signed=True,
    by_query=False,
    cost="slow",
    needs=("gradient",),
    package="captum",
)
def integrated_gradients(
    seen: ExplainContext,
    query: Tensor,
    *,
    steps: Annotated[int, Setting("Steps", "On the way from the empty picture; more are slower and more exact.")] = 32,
) -> Found:
    """(patch,): sum over its pixels of their value x the mean gradient on the way from one colour to the picture.

    steps  on that way; more make it more exact
    The colour is the one that preprocessing makes zero: the training pictures' mean, or mid-grey. All patches together sum to
    the logit less the logit of the colour alone. Too few steps miss a part of it, and a note with the map says how much.
    """
    within(1, 10_000, steps=steps)
    wanted = [0.0]

    def attribute(captum: Any, logit: Callable[[Tensor], Tensor], pixels: Tensor) -> Tensor:
        with torch.no_grad():
            wanted[0] = float(logit(pixels.detach())[0]) - float(logit(torch.zeros_like(pixels))[0])
        found: Tensor = captum.IntegratedGradients(logit).attribute(pixels, n_steps=steps, internal_batch_size=AT_ONCE)
        return found

    values, layout = _patches(seen, attribute)
    kept = Text(
        "All patches together have {total}; the logit less that of one colour is {wanted}.",
        total=f"{float(values.sum()):.3g}",
        wanted=f"{wanted[0]:.3g}",
    )
    return values, layout, (kept,)


@method(
    title="SmoothGrad",
    sentence="How strongly the score reacts to each pixel, as a mean over noisy copies.",
    paper="Smilkov et al. 2017, SmoothGrad: removing noise by adding noise (arXiv 1706.03825)",
    unit=lambda settings: Text("sensitivity of the class's logit"),
    class_specific=True,
    by_query=False,
    cost="slow",
    needs=("gradient",),
    package="captum",
)
def smooth_grad(
    seen: ExplainContext,
    query: Tensor,
    *,
    noise: Annotated[float, Setting("Noise", "Its size, in shares of the range of the picture\u2019s values.")] = 0.15,
    samples: Annotated[int, Setting("Samples", "Noisy copies; more are slower and smoother.")] = 24,
    seed: Seed = 0,
) -> tuple[Tensor, TokenLayout]:
    """(patch,): sum over its pixels of |mean gradient of the class's logit| over noisy copies of the picture.

    noise    standard deviation of the noise, as a share of the picture's range of values
    samples  noisy copies
    seed     of the noise
    """

    within(0, 10, noise=noise)
    within(1, 10_000, samples=samples)
    within(0, 2**63 - 1, seed=seed)

    def attribute(captum: Any, logit: Callable[[Tensor], Tensor], pixels: Tensor) -> Tensor:
        deviation = noise * float(pixels.detach().max() - pixels.detach().min())
        with torch.random.fork_rng([]):
            torch.manual_seed(seed)
            tunnel = captum.NoiseTunnel(captum.Saliency(logit))
            options = {"nt_samples": samples, "nt_samples_batch_size": AT_ONCE, "stdevs": deviation, "abs": False}
            found: Tensor = tunnel.attribute(pixels, nt_type="smoothgrad", **options)
        return found.abs()

    return _patches(seen, attribute)


@method(
    title="Occlusion",
    sentence="What the score loses when the patch is covered.",
    paper="Zeiler & Fergus 2014, Visualizing and Understanding Convolutional Networks, section 4.2 (arXiv 1311.2901)",
    unit=lambda settings: Text("what the class's logit loses without the patch"),
    class_specific=True,
    signed=True,
    by_query=False,
    cost="slow",
    package="captum",
)
def occlusion(seen: ExplainContext, query: Tensor) -> tuple[Tensor, TokenLayout]:
    """(patch,): what the class's logit loses when this patch alone has the mean colour of the picture."""
    cells = cells_of(seen.model, seen.pixels, seen.trace)
    if not (cells.is_even and all(float(side).is_integer() for side in cells.step)):
        return _hidden(seen, cells)

    def attribute(captum: Any, logit: Callable[[Tensor], Tensor], pixels: Tensor) -> Tensor:
        pixels = pixels.detach()
        height, width = (int(side) for side in cells.step)
        with torch.no_grad():
            found: Tensor = captum.Occlusion(logit).attribute(
                pixels,
                sliding_window_shapes=(pixels.shape[1], height, width),
                strides=(pixels.shape[1], height, width),
                baselines=pixels.mean((2, 3), keepdim=True).expand_as(pixels),
                perturbations_per_eval=AT_ONCE,
            )
        return found / (pixels.shape[1] * height * width)  # captum gives each pixel of a patch the whole

    return _patches(seen, attribute)


def _hidden(seen: ExplainContext, cells: Cells) -> tuple[Tensor, TokenLayout]:
    """Occlusion for patches whose cells do not lie evenly on the picture: the pixels of each cell are covered."""
    owners = cells.owners(beyond=cells.grid[0] * cells.grid[1])
    lost = torch.zeros(cells.grid[0] * cells.grid[1] + 1, dtype=torch.float64)

    def attribute(captum: Any, logit: Callable[[Tensor], Tensor], pixels: Tensor) -> Tensor:
        pixels = pixels.detach()
        with torch.no_grad():
            found: Tensor = captum.FeatureAblation(logit).attribute(
                pixels,
                baselines=pixels.mean((2, 3), keepdim=True).expand_as(pixels),
                feature_mask=owners.to(pixels.device).expand_as(pixels),
                perturbations_per_eval=AT_ONCE,
            )
        lost[owners.flatten()] = found[0, 0].flatten().double().cpu()  # captum gives each pixel of a patch the whole
        return found

    _patches(seen, attribute)
    return lost[:-1].to(seen.trace.dtype), TokenLayout((), cells.grid)
