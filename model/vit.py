"""A Vision Transformer from scratch, to be read from top to bottom.

    picture -> patches -> tokens -> [attention + MLP] x depth -> one token (or the mean of all) -> class scores

Dosovitskiy et al. 2021, "An Image is Worth 16x16 Words", https://arxiv.org/abs/2010.11929, with what later papers
added to it: the distillation token of DeiT, registers, layer scale, stochastic depth, query/key norm. Every parameter
has the name it has in timm, so a plain `vit_*`, `deit_*`, DINO or DINOv2 checkpoint of timm, with registers or without,
loads with `strict=True` and gives the same numbers.

    net = ViT(img_size=224, patch_size=16, embed_dim=192, depth=12, num_heads=3).eval()
    net.load_state_dict(safetensors.torch.load_file("deit_tiny_patch16_224.safetensors"))
    logits = net(pixels)               # pixels (B, 3, 224, 224), normalised as in training -> logits (B, 1000)

    net.blocks[11].attn.softmax.register_forward_hook(lambda module, scores, attention: print(attention.shape))

Attention is written out instead of calling the fused kernel, which never materialises the map. This file has no SwiGLU
MLPs, rotary positions, attention pooling or windows; preprocess.py turns a picture into `pixels`.

Shapes in the comments: B pictures, N tokens = prefix (cls, dist, registers) + rows * cols patches, D = embed_dim.
"""

import math
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vizapp.errors import VizError


class PatchEmbed(nn.Module):
    """Cut the picture into squares of `patch_size` pixels and map each linearly to a token (Dosovitskiy 2021, eq. 1).

    A convolution whose stride is its kernel size does this in one call: cut, flatten, one matrix product.
    """

    def __init__(self, patch_size: int, in_chans: int, embed_dim: int, bias: bool) -> None:
        super().__init__()
        self.patch_size = patch_size
        self.proj = nn.Conv2d(in_chans, embed_dim, kernel_size=patch_size, stride=patch_size, bias=bias)

    def forward(self, pixels: Tensor) -> Tensor:
        return self.proj(pixels).flatten(2).transpose(1, 2)  # (B, D, rows, cols) -> (B, rows * cols, D)


class Attention(nn.Module):
    """Multi-head self-attention: each token asks (q), all answer (k), and their values (v) are averaged accordingly.

        attention = softmax(q k^T / sqrt(head_dim)),  out = attention v      (Dosovitskiy 2021, appendix A, eq. 5-8)

    Row i of a map is where token i looks; rows sum to one. The softmax is a module, so that a hook on it sees each map.
    `qk_norm` layer-normalises q and k of each head, which keeps the scores small (Dehghani et al. 2023, ViT-22B,
    https://arxiv.org/abs/2302.05442).
    """

    def __init__(
        self, dim: int, num_heads: int, head_dim: int | None, qkv_bias: bool, qk_norm: bool, norm_eps: float
    ) -> None:
        super().__init__()
        if head_dim is None:
            if dim % num_heads:
                raise VizError(
                    "{dim} channels cannot be shared out evenly among {num_heads} heads.",
                    "Choose num_heads so that it divides embed_dim, or give the width of a head as head_dim.",
                    dim=dim,
                    num_heads=num_heads,
                )
            head_dim = dim // num_heads
        self.num_heads, self.head_dim = num_heads, head_dim
        self.scale = head_dim**-0.5
        self.qkv = nn.Linear(dim, 3 * num_heads * head_dim, bias=qkv_bias)
        self.q_norm = nn.LayerNorm(head_dim, eps=norm_eps) if qk_norm else nn.Identity()
        self.k_norm = nn.LayerNorm(head_dim, eps=norm_eps) if qk_norm else nn.Identity()
        self.softmax = nn.Softmax(dim=-1)
        self.attn_drop = nn.Dropout(0.0)  # drops nothing; here because tools for timm's models hook it by this name
        self.proj = nn.Linear(num_heads * head_dim, dim)

    def forward(self, x: Tensor) -> Tensor:
        B, N, _ = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.num_heads, self.head_dim)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)  # each (B, heads, N, head_dim)
        q, k = self.q_norm(q), self.k_norm(k)
        scores = (q * self.scale) @ k.transpose(-2, -1)  # (B, heads, N query, N key)
        attention = self.attn_drop(self.softmax(scores))  # (B, heads, N query, N key)
        x = attention @ v  # (B, heads, N, head_dim)
        return self.proj(x.transpose(1, 2).reshape(B, N, -1))  # heads side by side, then mixed: (B, N, D)


class Mlp(nn.Module):
    """The step of each token by itself: widen, GELU, narrow."""

    def __init__(self, dim: int, hidden: int) -> None:
        super().__init__()
        self.fc1 = nn.Linear(dim, hidden)
        self.act = nn.GELU()
        self.fc2 = nn.Linear(hidden, dim)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(self.act(self.fc1(x)))  # (B, N, D) -> (B, N, hidden) -> (B, N, D)


class LayerScale(nn.Module):
    """A learned factor per channel on a residual branch, small at first (Touvron et al. 2021, CaiT).

    https://arxiv.org/abs/2103.17239
    """

    def __init__(self, dim: int, init_value: float) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.full((dim,), init_value))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.gamma


class DropPath(nn.Module):
    """Stochastic depth: in training, drop the whole residual branch of a picture with probability `rate`.

    A branch that is kept is divided by `1 - rate`, so the expectation stays; in eval mode nothing happens.
    Huang et al. 2016, https://arxiv.org/abs/1603.09382.
    """

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or self.rate == 0.0:
            return x
        keep = 1.0 - self.rate
        kept = x.new_empty((x.shape[0],) + (1,) * (x.ndim - 1)).bernoulli_(keep)  # (B, 1, 1): one coin per picture
        return x * (kept / keep)


class Block(nn.Module):
    """One layer: tokens exchange (attention), each thinks for itself (MLP); both add to what was there (eq. 2-3)."""

    def __init__(
        self, dim: int, attn: Attention, mlp_ratio: float, init_values: float | None, drop_path: float, norm_eps: float
    ) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(dim, eps=norm_eps)
        self.attn = attn
        self.ls1 = LayerScale(dim, init_values) if init_values is not None else nn.Identity()
        self.drop_path1 = DropPath(drop_path)
        self.norm2 = nn.LayerNorm(dim, eps=norm_eps)
        self.mlp = Mlp(dim, int(dim * mlp_ratio))
        self.ls2 = LayerScale(dim, init_values) if init_values is not None else nn.Identity()
        self.drop_path2 = DropPath(drop_path)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.drop_path1(self.ls1(self.attn(self.norm1(x))))
        return x + self.drop_path2(self.ls2(self.mlp(self.norm2(x))))


class ViT(nn.Module):
    """The whole network: `net(pixels)` gives logits (B, num_classes), or features (B, D) if `num_classes` is 0.

    img_size             pixels of the input, one number or (height, width); whole patches must fit
    head_dim             width of a head, if it is not embed_dim / num_heads
    init_values          start value of layer scale; None: no layer scale
    class_token          a token that belongs to no patch, for the classifier to read
    distilled            a second one with its own head (Touvron et al. 2021, DeiT, https://arxiv.org/abs/2012.12877);
                         `forward` gives the mean of both heads' logits, as DeiT's code does (its paper adds softmaxes)
    reg_tokens           registers: extra tokens to think with (Darcet et al. 2023, https://arxiv.org/abs/2309.16588)
    no_embed_class       the position embedding covers patches only, not the prefix (DeiT III, DINOv2 with registers)
    global_pool          input of the classifier: "token", the normed cls token; "avg", the norm of the patches' mean
    pre_norm             a norm before the first block, and patches without bias (CLIP)
    drop_path_rate       stochastic depth of the last block; it grows linearly from 0 in the first

    `prefix` names the tokens before the patches in their order, `grid` is (rows, cols) of patches.
    """

    def __init__(
        self,
        img_size: int | tuple[int, int] = 224,
        patch_size: int = 16,
        in_chans: int = 3,
        num_classes: int = 1000,
        embed_dim: int = 768,
        depth: int = 12,
        num_heads: int = 12,
        *,
        head_dim: int | None = None,
        mlp_ratio: float = 4.0,
        qkv_bias: bool = True,
        qk_norm: bool = False,
        init_values: float | None = None,
        class_token: bool = True,
        distilled: bool = False,
        reg_tokens: int = 0,
        no_embed_class: bool = False,
        global_pool: Literal["token", "avg"] = "token",
        pre_norm: bool = False,
        drop_path_rate: float = 0.0,
        norm_eps: float = 1e-6,
    ) -> None:
        super().__init__()
        height, width = (img_size, img_size) if isinstance(img_size, int) else img_size
        refuse_sizes(height, width, patch_size)
        _refuse_reading(global_pool, class_token, distilled)
        _refuse_values(drop_path_rate, global_pool)

        self.img_size = (height, width)
        self.grid = (height // patch_size, width // patch_size)
        self.in_chans, self.num_classes, self.embed_dim = in_chans, num_classes, embed_dim
        self.no_embed_class, self.global_pool = no_embed_class, global_pool
        names = ["cls"] * class_token + ["dist"] * distilled + [f"reg{i}" for i in range(reg_tokens)]
        self.prefix: tuple[str, ...] = tuple(names)

        self.patch_embed = PatchEmbed(patch_size, in_chans, embed_dim, bias=not pre_norm)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, embed_dim)) if class_token else None
        self.dist_token = nn.Parameter(torch.zeros(1, 1, embed_dim)) if distilled else None
        self.reg_token = nn.Parameter(torch.zeros(1, reg_tokens, embed_dim)) if reg_tokens else None
        self.pos_embed = nn.Parameter(torch.zeros(1, self.n_embed_prefix + math.prod(self.grid), embed_dim))
        self.norm_pre = nn.LayerNorm(embed_dim, eps=norm_eps) if pre_norm else nn.Identity()

        rates = [drop_path_rate * i / max(depth - 1, 1) for i in range(depth)]
        blocks = []
        for rate in rates:
            attn = Attention(embed_dim, num_heads, head_dim, qkv_bias, qk_norm, norm_eps)
            blocks.append(Block(embed_dim, attn, mlp_ratio, init_values, rate, norm_eps))
        self.blocks = nn.Sequential(*blocks)

        self._make_head(norm_eps, distilled)
        self.init_weights()

    def _make_head(self, norm_eps: float, distilled: bool) -> None:
        # With "token", all tokens are normed, then one is read; with "avg", the mean is taken first and normed then.
        token = self.global_pool == "token"
        self.norm = nn.LayerNorm(self.embed_dim, eps=norm_eps) if token else nn.Identity()
        self.fc_norm = nn.Identity() if token else nn.LayerNorm(self.embed_dim, eps=norm_eps)
        self.head = nn.Linear(self.embed_dim, self.num_classes) if self.num_classes else nn.Identity()
        if distilled:
            self.head_dist = nn.Linear(self.embed_dim, self.num_classes) if self.num_classes else nn.Identity()

    @property
    def n_embed_prefix(self) -> int:
        """The number of prefix tokens that have a position in `pos_embed`: all or none."""
        return 0 if self.no_embed_class else len(self.prefix)

    def init_weights(self) -> None:
        """Truncated normal of std 0.02 for matrices and tokens, zero for biases.

        The patch embedding gets std 1 / sqrt(fan-in), so that it keeps the variance of uncorrelated pixels.
        """
        for module in self.modules():
            if isinstance(module, (nn.Linear, nn.Conv2d)):
                std = 0.02 if isinstance(module, nn.Linear) else module.weight[0].numel() ** -0.5
                nn.init.trunc_normal_(module.weight, std=std)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
        for token in (self.cls_token, self.dist_token, self.reg_token, self.pos_embed):
            if token is not None:
                nn.init.trunc_normal_(token, std=0.02)

    def forward_features(self, pixels: Tensor) -> Tensor:
        """All tokens after the last block, (B, N, D); not yet normed if `global_pool` is "avg"."""
        refuse_pixels(pixels, self.in_chans, self.img_size)
        x = self.patch_embed(pixels)  # (B, rows * cols, D)
        prefix = [t.expand(len(x), -1, -1) for t in (self.cls_token, self.dist_token, self.reg_token) if t is not None]
        if self.no_embed_class:
            x = torch.cat([*prefix, x + self.pos_embed], dim=1)  # (B, N, D); positions for patches only
        else:
            x = torch.cat([*prefix, x], dim=1) + self.pos_embed  # (B, N, D); positions for all
        return self.norm(self.blocks(self.norm_pre(x)))  # (B, N, D)

    def forward_head(self, x: Tensor) -> Tensor:
        """Tokens (B, N, D) -> logits (B, num_classes)."""
        if self.dist_token is not None:
            return (self.head(x[:, 0]) + self.head_dist(x[:, 1])) / 2
        x = x[:, 0] if self.global_pool == "token" else x[:, len(self.prefix) :].mean(dim=1)  # (B, D)
        return self.head(self.fc_norm(x))

    def forward(self, pixels: Tensor) -> Tensor:
        return self.forward_head(self.forward_features(pixels))


def resize_pos_embed(
    pos_embed: Tensor, new_grid: tuple[int, int], old_grid: tuple[int, int] | None = None, *, n_prefix: int
) -> Tensor:
    """Stretch a position embedding (1, n_prefix + rows * cols, D) to another grid (rows, cols) of patches.

    Bicubic with antialias, in float32, as timm does by default. The first `n_prefix` entries belong to no place and
    stay untouched (0 for a model with `no_embed_class`). Without `old_grid` a square one is assumed: a checkpoint does
    not name its grid.

    Raises VizError if the number of entries does not fit `old_grid`, or, without it, is not a square number.
    """
    prefix, patches = pos_embed[:, :n_prefix], pos_embed[:, n_prefix:]
    n = patches.shape[1]
    rows, cols = old_grid or (math.isqrt(n), math.isqrt(n))
    if rows * cols != n:
        message = "{n} position embeddings after a prefix of {n_prefix} are no square number of patches."
        if old_grid:
            message = "{n} position embeddings after a prefix of {n_prefix} do not fit {rows}x{cols} = {count} patches."
        hint = "Check the prefix and give old_grid=(rows, cols), the checkpoint's input size divided by its patch size."
        raise VizError(message, hint, n=n, n_prefix=n_prefix, rows=rows, cols=cols, count=rows * cols)
    if (rows, cols) == tuple(new_grid):
        return pos_embed
    image = patches.float().reshape(1, rows, cols, -1).permute(0, 3, 1, 2)  # (1, D, rows, cols)
    image = F.interpolate(image, size=tuple(new_grid), mode="bicubic", antialias=True)  # (1, D, *new_grid)
    patches = image.flatten(2).transpose(1, 2).to(pos_embed.dtype)  # (1, rows * cols, D)
    return torch.cat([prefix, patches], dim=1)


def refuse_pixels(pixels: Tensor, in_chans: int, img_size: tuple[int, int]) -> None:
    """Raise `VizError` for pixels of another shape than the network was built for."""
    if pixels.ndim != 4 or tuple(pixels.shape[1:]) != (in_chans, *img_size):
        raise VizError(
            "The network takes pixels of shape (batch, {in_chans}, {height}, {width}), but got {shape}.",
            "Resize the picture, or build the network with its img_size, and stretch the weights' pos_embed by "
            "resize_pos_embed of model/vit.py.",
            in_chans=in_chans,
            height=img_size[0],
            width=img_size[1],
            shape=tuple(pixels.shape),
        )


def refuse_sizes(height: int, width: int, patch_size: int) -> None:
    """Raise `VizError` for a picture that cannot be cut into whole patches."""
    if height < 1 or width < 1 or height % patch_size or width % patch_size:
        fits = [max(patch_size, round(side / patch_size) * patch_size) for side in (height, width)]
        raise VizError(
            "A picture of {height}x{width} pixels cannot be cut into whole patches of {patch_size}x{patch_size}.",
            "The nearest size that fits is img_size=({fits_height}, {fits_width}) (height, width).",
            height=height,
            width=width,
            patch_size=patch_size,
            fits_height=fits[0],
            fits_width=fits[1],
        )


def _refuse_reading(global_pool: str, class_token: bool, distilled: bool) -> None:
    """Raise `VizError` if the tokens that the classifier should read do not exist."""
    if global_pool == "token" and not class_token:
        raise VizError("There is no cls token to read.", 'Use class_token=True, or global_pool="avg".')
    if distilled and (not class_token or global_pool != "token"):
        raise VizError(
            "A distilled ViT reads its cls and its dist token, each with a linear head.",
            'It needs class_token=True and global_pool="token".',
        )


def _refuse_values(drop_path_rate: float, global_pool: str) -> None:
    if not 0.0 <= drop_path_rate < 1.0:
        raise VizError(
            "drop_path_rate is a probability below 1, but got {drop_path_rate}.",
            "Use 0.1 or so.",
            drop_path_rate=drop_path_rate,
        )
    if global_pool not in ("token", "avg"):
        raise VizError(
            "global_pool={global_pool} is not known here.", 'It is "token" or "avg".', global_pool=repr(global_pool)
        )
