"""Methods that look at pixels only, by their definitions."""

import numpy as np
import torch

from bench.references.seen import Picture, reference
from vizapp.core.methods.rise import random_masks


@reference("input_gradient", "Shrikumar et al. 2016: pixel x gradient")
def input_gradient(picture: Picture) -> np.ndarray:
    return picture.by_patch((picture.pixels * picture.gradient(picture.pixels))[0])


@reference("integrated_gradients", "Sundararajan et al. 2017, eq. 1, the 32 places of Gauss and Legendre", steps=32)
def integrated_gradients(picture: Picture) -> np.ndarray:
    places, weights = np.polynomial.legendre.leggauss(32)
    mean = sum(
        weight / 2 * picture.gradient((1 + place) / 2 * picture.pixels)
        for place, weight in zip(places, weights, strict=True)
    )
    return picture.by_patch((picture.pixels * mean)[0])


@reference("occlusion", "Zeiler & Fergus 2014, section 4.2: patch by patch")
def occlusion(picture: Picture) -> np.ndarray:
    net, pixels, side = picture.net, picture.pixels, picture.net.patch_embed.patch_size
    lost = []
    with torch.no_grad():
        whole = float(net(pixels)[0, picture.target])
        for r in range(0, pixels.shape[2], side):
            for c in range(0, pixels.shape[3], side):
                covered = pixels.clone()
                covered[:, :, r : r + side, c : c + side] = pixels.mean((2, 3), keepdim=True)
                lost.append(whole - float(net(covered)[0, picture.target]))
    return np.array(lost)


@reference("smooth_grad", "Smilkov et al. 2017 without noise: |gradient|", noise=0.0, samples=1)
def smooth_grad(picture: Picture) -> np.ndarray:
    return picture.by_patch(picture.gradient(picture.pixels)[0].abs())


@reference("rise", "Petsiuk et al. 2018, eq. 6, mask after mask", masks=16, seed=7)
def rise(picture: Picture) -> np.ndarray:
    size = tuple(picture.pixels.shape[-2:])
    masks = random_masks(16, size, 7, 0.5, torch.Generator().manual_seed(7))
    total = torch.zeros(1, *size, dtype=torch.float64)
    with torch.no_grad():
        for mask in masks:
            total += picture.net(picture.pixels * mask.double()).softmax(-1)[0, picture.target] * mask / (16 * 0.5)
    return picture.by_patch(total) / picture.net.patch_embed.patch_size**2
