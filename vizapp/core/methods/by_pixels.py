"""Methods that look at pixels only, as captum does them: any network with a classifier, whatever is inside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from model.spec import TokenLayout
from vizapp.core.capture import dtype_of, output_of
from vizapp.core.gradients import differentiated
from vizapp.core.grids import in_patches
from vizapp.core.methods import method, within
from vizapp.core.specimen import Specimen
from vizapp.errors import VizError

AT_ONCE = 8  # pictures in one pass


def _captum() -> Any:
    try:
        import captum.attr
    except ImportError:
        raise VizError("This method is done by captum, which is not installed.", "pip install captum") from None
    return captum.attr


def _patches(seen: Specimen, attribute: Callable[[Any, Callable[[Tensor], Tensor], Tensor], Tensor]) -> Any:
    """(patch,) sums of what `attribute(captum, logit of the class, pixels)` gives for each pixel, and their layout."""
    model, target = seen.model, seen.explained
    layout = TokenLayout((), seen.trace.layout.grid)
    pixels = seen.pixels.detach().to(model.device, dtype_of(model.net))

    def logit(several: Tensor) -> Tensor:
        return output_of(model.net(several.to(dtype_of(model.net))))[:, target]  # captum's noise is float32

    with differentiated(model), torch.enable_grad():
        found = attribute(_captum(), logit, pixels.requires_grad_(True))
    return in_patches(found.detach()[0].sum(0), layout), layout


@method(
    paper="Shrikumar et al. 2016, Not Just a Black Box (arXiv 1605.01713)",
    unit=lambda settings: "part of the class's logit, to first order",
    class_specific=True,
    signed=True,
    by_query=False,
)
def input_gradient(seen: Specimen, query: Tensor) -> tuple[Tensor, TokenLayout]:
    """(patch,): sum over its pixels of pixel value x gradient of the class's logit.

    Pixel values are counted from what is zero after preprocessing: the mean colour of the training pictures, or mid-grey.
    """
    return _patches(seen, lambda captum, logit, pixels: captum.InputXGradient(logit).attribute(pixels))


@method(
    paper="Sundararajan et al. 2017, Axiomatic Attribution for Deep Networks, eq. 1 (arXiv 1703.01365)",
    unit=lambda settings: "part of the class's logit above that of a picture of one colour",
    class_specific=True,
    signed=True,
    by_query=False,
)
def integrated_gradients(seen: Specimen, query: Tensor, *, steps: int = 32) -> tuple[Tensor, TokenLayout]:
    """(patch,): sum over its pixels of their value x the mean gradient on the way from one colour to the picture.

    steps  on that way; more make it more exact
    The colour is what is zero after preprocessing: the training pictures' mean, or mid-grey. All patches together sum to the
    logit less that of the colour alone.
    """
    within(1, 10_000, steps=steps)
    return _patches(
        seen,
        lambda captum, logit, pixels: captum.IntegratedGradients(logit).attribute(
            pixels, n_steps=steps, internal_batch_size=AT_ONCE
        ),
    )


@method(
    paper="Smilkov et al. 2017, SmoothGrad: removing noise by adding noise (arXiv 1706.03825)",
    unit=lambda settings: "sensitivity of the class's logit",
    class_specific=True,
    by_query=False,
)
def smooth_grad(
    seen: Specimen, query: Tensor, *, noise: float = 0.15, samples: int = 24, seed: int = 0
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
    paper="Zeiler & Fergus 2014, Visualizing and Understanding Convolutional Networks, section 4.2 (arXiv 1311.2901)",
    unit=lambda settings: "what the class's logit loses without the patch",
    class_specific=True,
    signed=True,
    by_query=False,
    needs_gradient=False,
)
def occlusion(seen: Specimen, query: Tensor) -> tuple[Tensor, TokenLayout]:
    """(patch,): what the class's logit loses when this patch alone has the mean colour of the picture."""
    grid = seen.trace.layout.grid
    height, width = (side // cells for side, cells in zip(seen.pixels.shape[-2:], grid, strict=True))

    def attribute(captum: Any, logit: Callable[[Tensor], Tensor], pixels: Tensor) -> Tensor:
        with torch.no_grad():
            found: Tensor = captum.Occlusion(logit).attribute(
                pixels.detach(),
                sliding_window_shapes=(pixels.shape[1], height, width),
                strides=(pixels.shape[1], height, width),
                baselines=pixels.detach().mean((2, 3), keepdim=True).expand_as(pixels),
                perturbations_per_eval=AT_ONCE,
            )
        return found / (pixels.shape[1] * height * width)  # captum gives each pixel of a patch the whole

    return _patches(seen, attribute)
