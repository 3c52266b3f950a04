"""Layers say of themselves what they are: code that uses them never asks for their kind."""

import ast
from pathlib import Path

import pytest
import torch

import vizapp
from support.together import together
from vizapp.core.attention.layers import DenseAttention, FactoredAttention, LayerAttention
from vizapp.core.attention.windows import WindowedAttention
from vizapp.core.signals.gradients import weighted
from vizapp.errors import VizError
from vizapp.model.spec import TokenLayout

ROOT = Path(vizapp.__file__).parent
KINDS = {"FactoredAttention", "DenseAttention", "WindowedAttention", "ThinProduct", "Weighted"}
OWN = {"core/signals/gradients.py"}  # which multiplies one kind by another


def questions(source: str) -> list[int]:
    """Lines that ask `isinstance`, `type(...) is` or `match` for a kind of layer."""
    found = []
    for node in ast.walk(ast.parse(source)):
        asks: list[ast.AST] = []
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in {"isinstance", "issubclass"}
        ):
            asks = [*node.args[1:]]
        elif isinstance(node, ast.Compare | ast.MatchClass):
            asks = [node]
        names = {name.id for one in asks for name in ast.walk(one) if isinstance(name, ast.Name)}
        found += [node.lineno] if names & KINDS else []
    return found


@together(
    "path", [path for folder in ("core", "ui", "render", "data") for path in sorted((ROOT / folder).rglob("*.py"))]
)
def test_nobody_asks_for_the_kind_of_a_layer(path: Path) -> None:
    asks = questions(path.read_text("utf-8")) != []
    assert asks == (path.relative_to(ROOT).as_posix() in OWN), "one that asks no more is no exception any more"


@pytest.mark.parametrize(
    "source",
    [
        "isinstance(a, WindowedAttention)",
        "isinstance(a, (int, DenseAttention))",
        "type(a) is Weighted",
        "match a:\n    case ThinProduct(): pass",
    ],
)
def test_a_question_is_found(source: str) -> None:
    assert len(questions(source)) == 1


def factored(n_heads: int = 2, bias: torch.Tensor | None = None, seed: int = 0) -> FactoredAttention:
    generator = torch.Generator().manual_seed(seed)
    q, k = (torch.randn(n_heads, 5, 3, generator=generator) for _ in range(2))
    return FactoredAttention("one", q, k, bias)


def wide(scale: float) -> FactoredAttention:
    """64 tokens, and keys that have much in common."""
    generator = torch.Generator().manual_seed(0)
    q, k = (torch.randn(2, 64, 3, generator=generator) for _ in range(2))
    return FactoredAttention("wide", scale * q, 3 + k)


def windowed() -> WindowedAttention:
    """Two windows of five slots over nine tokens, one slot of padding."""
    tokens = torch.arange(10).reshape(2, 5)
    tokens[1, 4] = -1
    layout = TokenLayout((), (3, 3))
    return WindowedAttention("two", factored(4), tokens, tokens, layout, layout)


def rows_of(layer: LayerAttention, tensors: dict[str, torch.Tensor]) -> torch.Tensor:
    """As the browser makes them: (head, query, key) of `layer.parts`, from its compact form."""
    if "dense" in tensors:
        return tensors["dense"].float()
    scores = tensors["q"].float() @ tensors["k"].float().transpose(1, 2)
    return (scores - tensors["logsumexp"][..., None]).exp()


@pytest.mark.parametrize(
    ("layer", "kind"),
    [
        (factored(), "dense"),  # 5 tokens: the matrix is smaller than its factors
        (factored(bias=torch.randn(5, 5, generator=torch.Generator().manual_seed(1))), "dense"),
        (windowed(), "dense"),
        (wide(1.0), "factors"),
        (wide(1e6), "dense"),  # half precision cannot hold q
    ],
)
def test_the_compact_form_makes_the_same_rows(layer: LayerAttention, kind: str) -> None:
    compact = layer.compact(10**6)
    assert compact.kind == kind
    assert ("queries" in compact.tensors) == layer.is_windowed
    torch.testing.assert_close(rows_of(layer, compact.tensors), layer.parts.map(), rtol=0.02, atol=2e-3)
    assert layer.compact(10).kind == ""
    assert layer.compact(10).tensors == {}


def test_in_order_is_the_map_in_order() -> None:
    queries, keys, layout = torch.tensor([4, 0, 3, 1, 2]), torch.tensor([1, 0, 2, 4, 3]), TokenLayout(("cls",), (2, 2))
    for bias in (None, torch.randn(1, 1, 5), torch.randn(2, 5, 5)):
        layer = factored(bias=bias)
        layer.logsumexp = layer.row_logsumexp()
        for one in (layer, DenseAttention("dense", layer.map())):
            ordered = one.in_order(queries, keys, layout, layout)
            torch.testing.assert_close(ordered.map(), layer.map()[:, queries][:, :, keys])
            assert (ordered.layout, ordered.key_layout) == (layout, layout)


def test_where_keys_cannot_be_left_out_is_said() -> None:
    with pytest.raises(VizError, match="window by window"):
        windowed().without_keys(torch.zeros(9, dtype=torch.bool))
    with pytest.raises(VizError, match="cannot be left out"):
        weighted(factored(), factored()).without_keys(torch.zeros(5, dtype=torch.bool))


def test_a_token_in_several_windows_has_the_mean_of_its_rows_whoever_asks() -> None:
    """By rows, and by the walk through all windows that many queries take: nine windows of 2 x 2 on 4 x 4 patches."""
    layout = TokenLayout((), (4, 4))
    corners = torch.tensor([4 * row + col for row in range(3) for col in range(3)])
    windows = corners[:, None] + torch.tensor([0, 1, 4, 5])
    parts = DenseAttention("w", torch.rand(9 * 2, 4, 4, generator=torch.Generator().manual_seed(0)).softmax(-1))
    layer = WindowedAttention("w", parts, windows, windows, layout, layout)
    weights = torch.linspace(1, 2, 16)
    torch.testing.assert_close(layer.rows(torch.arange(16)).sum(-1), torch.ones(2, 16))
    torch.testing.assert_close(layer.attend(weights), weights @ layer.rows(torch.arange(16)))
