"""One forward pass, watched. Forward hooks say *where* attention happens, the intercepted operation says *what* it was.

Fused kernels never build the attention map, so a hook on `attn_drop` or on a softmax module sees nothing. We do not
switch them off. While an attention module runs, a `TorchFunctionMode` sees the call of
`scaled_dot_product_attention` with its q, k, mask and scale, or, in networks that spell attention out, the product of
q and k on its way into a softmax. The factors are copied; the network's own computation is left as it is, bit by bit.

Several threads may watch one network at the same time: the function mode is thread-local by nature, and a hook
listens only to the thread that entered its `Watch`. Whatever happens inside, leaving takes the hooks away.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils.hooks import RemovableHandle

from model.spec import TokenLayout, VisionModel
from vizapp.core.trace import AttentionTrace, DenseAttention, FactoredAttention, LayerAttention
from vizapp.errors import VizError

_MATMUL = {torch.matmul, torch.Tensor.matmul, torch.Tensor.__matmul__}
_SOFTMAX = {F.softmax, torch.softmax, torch.Tensor.softmax}


class _Product:
    """result = q @ k_transposed, as long as nobody wrote into one of the three. Holding them keeps their ids from reuse."""

    def __init__(self, result: torch.Tensor, q: torch.Tensor, k_transposed: torch.Tensor) -> None:
        self.result, self.q, self.k_transposed = result, q, k_transposed
        self._versions = self._now()

    @property
    def is_unchanged(self) -> bool:
        return self._versions is not None and self._versions == self._now()

    def _now(self) -> list[int] | None:
        """How often each was written to; unknown in inference mode."""
        tensors = (self.result, self.q, self.k_transposed)
        return None if any(tensor.is_inference() for tensor in tensors) else [tensor._version for tensor in tensors]


class Watch(TorchFunctionMode):
    """Watch the attention of the named modules for as long as the `with` block lasts.

    with Watch(net, ["blocks.0.attn", "blocks.1.attn"]) as watch:
        output = net(pixels)
    watch.seen          # {"blocks.0.attn": [FactoredAttention], ...}: each call, of the first picture of the batch
    """

    def __init__(self, net: nn.Module, names: Sequence[str]) -> None:
        super().__init__()
        self.seen: dict[str, list[LayerAttention]] = {name: [] for name in names}
        self._modules = {name: net.get_submodule(name) for name in names}
        self._handles: list[RemovableHandle] = []
        self._thread = 0
        self._inside: list[str] = []  # names of the attention modules that are running now, innermost last
        self._products: dict[int, _Product] = {}  # by the id of the result

    def __enter__(self) -> Watch:
        self._thread = threading.get_ident()
        try:
            for name, module in self._modules.items():
                self._handles.append(module.register_forward_pre_hook(self._entering(name)))
                self._handles.append(module.register_forward_hook(self._leaving, always_call=True))
            super().__enter__()
        except BaseException:
            self._remove_hooks()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        try:
            super().__exit__(*exception)
        finally:
            self._remove_hooks()

    def _remove_hooks(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles.clear()
        self._products.clear()
        self._inside.clear()

    # Where: hooks that follow the forward pass into and out of the attention modules.

    def _entering(self, name: str) -> Callable[..., None]:
        def enter(module: nn.Module, inputs: object) -> None:
            if threading.get_ident() == self._thread:
                self._inside.append(name)

        return enter

    def _leaving(self, module: nn.Module, inputs: object, output: object) -> None:
        if threading.get_ident() == self._thread and self._inside:
            self._inside.pop()
            self._products.clear()

    # What: the operations that run inside them. PyTorch leaves the mode while this method runs, so nothing recurses.

    def __torch_function__(
        self, func: Callable[..., Any], types: object, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        given = kwargs or {}
        result = func(*args, **given)
        if self._inside:
            if func is F.scaled_dot_product_attention:
                self._saw_fused(*args, **given)
            elif func in _MATMUL:
                other = args[1] if len(args) > 1 else given["other"]
                self._products[id(result)] = _Product(result, args[0] if args else given["input"], other)
            elif func in _SOFTMAX:
                dim = args[1] if len(args) > 1 else given.get("dim")
                self._saw_softmax(args[0] if args else given["input"], dim, result)
        return result

    def _saw_fused(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        attn_mask: torch.Tensor | None = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        scale: float | None = None,
        enable_gqa: bool = False,
    ) -> None:
        bias = attn_mask
        if bias is not None and bias.dtype == torch.bool:
            bias = torch.zeros_like(bias, dtype=torch.float32).masked_fill(~bias, -torch.inf)
        if is_causal:
            keep = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool, device=query.device).tril()
            bias = torch.zeros_like(keep, dtype=torch.float32).masked_fill(~keep, -torch.inf)
        if enable_gqa and key.shape[-3] != query.shape[-3]:
            key = key.repeat_interleave(query.shape[-3] // key.shape[-3], -3)
        self._keep_factors(query, key, query.shape[-1] ** -0.5 if scale is None else scale, bias)

    def _saw_softmax(self, scores: torch.Tensor, dim: int | None, attention: torch.Tensor) -> None:
        if attention.ndim != 4 or dim not in (-1, 3):
            return
        product = self._products.get(id(scores))
        if product is not None and product.is_unchanged:
            self._keep_factors(product.q, product.k_transposed.transpose(-2, -1), 1.0, None)
        else:
            name = self._inside[-1]
            self.seen[name].append(DenseAttention(name, attention[0].detach().clone()))

    def _keep_factors(self, q: torch.Tensor, k: torch.Tensor, scale: float, bias: torch.Tensor | None) -> None:
        if q.ndim != 4:  # heads folded into the batch: which is which cannot be told
            return
        name = self._inside[-1]
        if bias is not None:
            bias = (bias[0] if bias.ndim == 4 else bias).detach().clone()
        # q and k are views of one (3, ...) buffer in most networks: a copy lets the rest of that buffer go. The scale is
        # applied in float32, as a half precision network would round it.
        q = q[0].detach().to(torch.promote_types(q.dtype, torch.float32)) * scale
        self.seen[name].append(FactoredAttention(name, q, k[0].detach().clone(), bias))


def capture(model: VisionModel, pixels: torch.Tensor) -> AttentionTrace:
    """Run `model` once on `pixels` (1, 3, h, w) and keep the attention of every layer and head.

    The network's output, mode, hooks, flags and gradients are as they were. Raises `VizError` where a named attention
    module showed no attention, or showed one that does not fit the token layout.
    """
    names = [*model.attention, *([model.pool] if model.pool else [])]
    if not names:
        raise VizError(f"{model.name} has no attention that could be shown.", "Choose a Vision Transformer.")
    layout = model.layout()
    with torch.no_grad(), Watch(model.net, names) as watch:
        output = model.net(pixels.to(model.device, next(model.net.parameters()).dtype))
    if model.labels and not bool(output.isfinite().all()):
        raise VizError(f"{model.name} gives values that are no numbers (NaN or infinity).", "Run it in float32.")
    seen = {name: _only(name, watch.seen[name], 1 if name == model.pool else layout.n_tokens, layout) for name in names}
    return AttentionTrace(
        layers=tuple(seen[name] for name in model.attention),
        layout=layout,
        logits=output[0].float() if model.labels else None,
        readout=model.readout,
        pool=seen[model.pool] if model.pool else None,
    )


def _only(name: str, calls: list[LayerAttention], n_queries: int, layout: TokenLayout) -> LayerAttention:
    """The one attention of a module, if it is one and fits the tokens."""
    if not calls:
        raise VizError(
            f"Expected attention in '{name}', but no softmax over tokens was seen there.",
            "A compiled, traced or exported network hides it, and so does PyTorch's own nn.MultiheadAttention.",
        )
    if len(calls) > 1:
        raise VizError(
            f"'{name}' computes attention {len(calls)} times in one pass; which of them to show is not known yet.",
            "Name the inner modules that compute it once each.",
        )
    if (calls[0].n_queries, calls[0].n_keys) != (n_queries, layout.n_tokens):
        raise VizError(
            f"The attention of '{name}' is {calls[0].n_queries} x {calls[0].n_keys}, but the layout says {layout}.",
            "This kind of attention (windows, channels, another prefix) cannot be painted on patches yet.",
        )
    return calls[0]
