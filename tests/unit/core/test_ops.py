"""What PyTorch's functions do is said once, and every spelling of an operation is treated alike."""

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from support.networks import pixels_for, small_vit
from support.slow_replicas import context
from support.together import together
from vizapp.core import ops
from vizapp.core.methods import method_named
from vizapp.core.signals.lrp.attention_aware import attention_aware
from vizapp.model.spec import VisionModel

CORE = Path(ops.__file__).parent


def test_a_kind_holds_every_spelling() -> None:
    """Written out once, by hand: what `functions` must find, and nothing else."""
    products = {torch.matmul, Tensor.matmul, Tensor.__matmul__, torch.bmm, Tensor.bmm, torch.mm, Tensor.mm}
    assert ops.functions(ops.MATMUL) == products
    softmaxes = {F.softmax, torch.softmax, Tensor.softmax, torch.special.softmax, torch._softmax, torch._safe_softmax}
    assert ops.functions(ops.SOFTMAX) == softmaxes
    assert ops.functions(ops.ADDED_MATMUL) == {torch.baddbmm, Tensor.baddbmm, torch.addmm, Tensor.addmm}
    assert ops.functions(ops.OVER) == {torch.div, Tensor.div, Tensor.__truediv__}
    assert ops.functions(ops.TIMES_IN_PLACE) == {Tensor.mul_, Tensor.__imul__}
    assert ops.functions(ops.FUSED_ATTENTION) == {F.scaled_dot_product_attention}
    assert F.gelu in ops.functions(ops.ACTIVATIONS)
    assert torch.tanh in ops.functions(ops.ACTIVATIONS)


def test_every_name_is_a_function_of_pytorch() -> None:
    kinds = {name: kind for name, kind in vars(ops).items() if isinstance(kind, frozenset)}
    assert len(kinds) > 20
    attributes = {"data", "real", "__set__"}  # no functions, and words of English elsewhere
    strange = [
        (kind, name)
        for kind, names in kinds.items()
        for name in names - attributes
        if not is_torch_name(name) and not is_inner_name(name)
    ]
    assert strange == []


def test_an_attribute_has_its_own_name() -> None:
    seen: list[str] = []

    class Names(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(ops.name_of(func))
            return func(*args, **(kwargs or {}))

    with Names():
        x = torch.ones(2, 3)
        x.mT.reshape(-1) @ torch.ones(6)
    assert [name for name in seen if name in ops.MOVES | ops.MATMUL] == ["mT", "reshape", "matmul"]


def is_torch_name(name: str) -> bool:
    return any(callable(getattr(place, name, None)) or name in {"T", "mT", "H", "mH"} for place in (torch, Tensor, F))


def is_inner_name(name: str) -> bool:
    """Of an attribute, or of a function that goes by another name in torch.linalg and torch.sparse."""
    return name == "data" or any(hasattr(place, name) for place in (torch._C._linalg, torch._C._sparse))


def lists_of_functions(source: str) -> Iterator[int]:
    """Lines where several functions of PyTorch stand in one set, list, tuple or dict, by name or as objects."""
    tree = ast.parse(source)
    types = {id(node.slice) for node in ast.walk(tree) if isinstance(node, ast.Subscript)}  # Literal["mean", "max"]
    for node in ast.walk(tree):
        if id(node) in types:
            continue
        if isinstance(node, ast.Set | ast.List | ast.Tuple):
            parts: list[ast.expr | None] = list(node.elts)
        elif isinstance(node, ast.Dict):
            parts = [*node.keys, *node.values]
        else:
            parts = []
        found = [part for part in parts if part is not None and names_a_function(part)]
        words = sum(isinstance(part, ast.Constant) for part in found)  # "max" and "min" alone may be words of English
        spelt = isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.split()
        if (
            len(found) - words > 1
            or words > 2
            or (spelt and len(spelt) > 2 and all(is_torch_name(word) for word in spelt))
        ):
            yield node.lineno


def names_a_function(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and is_torch_name(node.value) and not hasattr(str, node.value)
    of = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id
    return bool(of) and of in {"torch", "F", "Tensor"} and is_function(of, node.attr)  # type: ignore[union-attr]


def is_function(of: str, name: str) -> bool:
    value = getattr({"torch": torch, "F": F, "Tensor": Tensor}[of], name, None)
    return callable(value) and not isinstance(value, type)


LISTS = {  # file: why it may
    "ops.py": "this is the place",
    "capture/refusals/hidden_softmaxes.py": "counts below Python, where operations have names of their own (aten)",
}


@together("path", sorted(CORE.rglob("*.py")))
def test_nobody_else_lists_functions(path: Path) -> None:
    lines = list(lists_of_functions(path.read_text("utf-8")))
    assert lines == [] or str(path.relative_to(CORE)) in LISTS


@together(
    "source",
    [
        "A = {torch.mul, Tensor.mul}",
        "A = (F.relu, *B, torch.relu)",
        "A = {F.linear: f, torch.bmm: g}",
        'A = {"view", "reshape", "permute"}',
        'A = frozenset("view reshape flatten".split())',
        'A = {"conv1d": F.conv1d, "conv2d": F.conv2d}',
    ],
)
def test_a_list_is_found(source: str) -> None:
    assert list(lists_of_functions(source)) == [1]


@pytest.mark.parametrize(
    "source", ["A = {torch.float32: 1, torch.float64: 2}", "def f() -> tuple[Tensor, Tensor]: ..."]
)
def test_what_is_no_list_of_functions_is_not_found(source: str) -> None:
    assert list(lists_of_functions(source)) == []


class Around(nn.Module):
    """A module, and something that changes nothing around it."""

    def __init__(self, inner: nn.Module, before: Callable[[Tensor], Tensor], after: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.inner, self.before, self.after = inner, before, after

    def forward(self, x: Tensor) -> Tensor:
        return self.after(self.inner(self.before(x)))


def same(x: Tensor) -> Tensor:
    return x


def double(model: VisionModel) -> VisionModel:
    model.net.double()
    return model


def test_relevance_follows_every_move() -> None:
    """Chefer 2021 refused `x.mT`, `flip`, `pad` and the like, though their backward moves relevances as it should."""
    plain = double(small_vit())
    moving = replace(plain, net=copy.deepcopy(plain.net))
    for block in moving.net.blocks:
        block.mlp = Around(block.mlp, lambda x: F.pad(x.mT.mT, (0, 0, 1, 2))[:, 1:-2].flip(1), lambda x: x.flip(1))
    found = [
        method_named("transformer_attribution")(context(model, pixels_for(model), 2)).scores
        for model in (plain, moving)
    ]
    np.testing.assert_allclose(found[1], found[0], rtol=1e-9, atol=1e-12)


def test_values_follow_every_reshape() -> None:
    """Value methods lost sight of what attention writes at `unflatten`, `swapaxes`, `movedim` and `.mT`."""
    plain = double(small_vit())
    moving = replace(plain, net=copy.deepcopy(plain.net))
    for block in moving.net.blocks:
        block.attn.proj = Around(
            block.attn.proj,
            same,
            lambda y: y.unflatten(-1, (4, -1)).flatten(-2).mT.swapaxes(1, 2).movedim(0, 1).movedim(0, 1),
        )
    found = [method_named("value_rollout")(context(model, pixels_for(model))).scores for model in (plain, moving)]
    np.testing.assert_array_equal(found[1], found[0])


def gradients_under_rules(run: Callable[[Tensor], Tensor], x: Tensor, gamma: float = 0.0) -> Tensor:
    x = x.clone().requires_grad_(True)
    with torch.enable_grad(), attention_aware(0.0, gamma):
        result = run(x * 1.0)
    return torch.autograd.grad(result.square().sum(), x)[0]


def test_the_rules_of_attn_lrp_know_every_spelling() -> None:
    """`base.baddbmm(a, b)`, `torch.layer_norm` and convolutions of one axis ran with their plain gradients."""
    generator = torch.Generator().manual_seed(0)
    x, base = (torch.randn(2, 3, 3, dtype=torch.float64, generator=generator) for _ in range(2))
    spelt = gradients_under_rules(lambda x: base.baddbmm(x, x.mT), x)
    torch.testing.assert_close(spelt, gradients_under_rules(lambda x: torch.baddbmm(base, x, x.mT), x))
    spelt = gradients_under_rules(lambda x: torch.layer_norm(x, (3,), None, None, 1e-5, False), x)
    torch.testing.assert_close(spelt, gradients_under_rules(lambda x: F.layer_norm(x, (3,)), x))
    kernel = torch.randn(4, 3, 1, dtype=torch.float64, generator=generator)
    spelt = gradients_under_rules(lambda x: F.conv1d(x, kernel), x, gamma=0.5)
    flat = gradients_under_rules(lambda x: F.conv2d(x[..., None], kernel[..., None])[..., 0], x, gamma=0.5)
    torch.testing.assert_close(spelt, flat)
    assert not torch.allclose(spelt, gradients_under_rules(lambda x: F.conv1d(x, kernel), x))
