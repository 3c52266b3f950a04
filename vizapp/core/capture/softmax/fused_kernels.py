"""Open PyTorch's two functions that are attention as a whole: the denominators of one, and the inside of the other."""

import types
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch._C._functorch import is_functorch_wrapped_tensor
from torch.overrides import TorchFunctionMode


def with_logsumexp(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    **options: Any,
) -> tuple[Tensor, Tensor | None]:
    """Run `scaled_dot_product_attention`, by the same kernel, bit by bit, that also tells the denominators where PyTorch has one.

    With them a row of the map costs one product and one exp, without a sum over all keys: that is how the browser makes
    rows. They are asked for only where PyTorch would have taken this very kernel; any other case goes the usual way.
    """
    plain = attn_mask is None and not is_causal and not dropout_p and not options.get("enable_gqa")
    usual = query.device.type == "cpu" and not torch.is_grad_enabled() and not torch.is_autocast_enabled("cpu")
    # The kernel behind takes (batch, head, token, feature) and nothing else.
    if plain and usual and query.ndim == 4 and not is_functorch_wrapped_tensor(query):
        # 1 is `SDPBackend.FLASH_ATTENTION`. Another kernel would give other last digits than the network has without us.
        flash = torch._fused_sdp_choice(query, key, value, scale=options.get("scale")) == 1
        if flash and query.dtype == torch.float32:
            kernel = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default
            output, logsumexp = kernel(query, key, value, scale=options.get("scale"))
            return output, logsumexp
    result: Tensor = F.scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, **options)
    return result, None


def bias_of(attn_mask: Tensor | None, is_causal: bool, query: Tensor, key: Tensor) -> Tensor | None:
    """Make what the options of `scaled_dot_product_attention` add to the scores: 0 and -inf for a mask of yes and no."""
    bias = attn_mask
    if bias is not None and bias.dtype == torch.bool:
        bias = torch.zeros_like(bias, dtype=torch.float32).masked_fill(~bias, -torch.inf)
    if is_causal:
        keep = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool, device=query.device).tril()
        bias = torch.zeros_like(keep, dtype=torch.float32).masked_fill(~keep, -torch.inf)
    return bias


# The Python body of PyTorch's own attention, without the first line that would hand it over whole to a function mode.
_multi_head_attention_forward = types.FunctionType(
    F.multi_head_attention_forward.__code__,
    {**F.multi_head_attention_forward.__globals__, "has_torch_function": lambda tensors: False},
    argdefs=F.multi_head_attention_forward.__defaults__,
    closure=F.multi_head_attention_forward.__closure__,
)
_multi_head_attention_forward.__kwdefaults__ = F.multi_head_attention_forward.__kwdefaults__


def inside_of_attention(mode: TorchFunctionMode, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run PyTorch's own attention so that `mode`, which was handed it whole, sees every function in it."""
    TorchFunctionMode.__enter__(mode)  # PyTorch has left the mode to hand it the function
    try:
        return _multi_head_attention_forward(*args, **kwargs)
    finally:
        TorchFunctionMode.__exit__(mode, None, None, None)
