"""Methods: fast code beside a slow replica of the paper, and cases whose answer is known."""

import math

import numpy as np
import pytest
import torch

from support.networks import pixels_for, planted, small_vit, timm_model
from support.slow_replicas import double, tokens_of
from support.together import together
from vizapp.core.attention.layers import FactoredAttention
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.forward import capture
from vizapp.core.context import ExplainContext
from vizapp.core.methods import method_named, methods
from vizapp.errors import VizError
from vizapp.vocabulary import FUSIONS


def full_rollout(
    maps: list[np.ndarray],
    *,
    fusion: str = "mean",
    skip_weight: float = 0.5,
    start_layer: int = 0,
    discard: float = 0.0,
    n_prefix: int = 1,
) -> np.ndarray:
    """Abnar & Zuidema 2020, section 3, line by line with whole matrices: A~_l = A_l A~_(l-1), A_l = 0.5 W + 0.5 I, rows
    normalised. `maps`: one (head, N, N) per layer. Returns (N, N), row i is the rollout of query i."""
    n = maps[0].shape[-1]
    joint = np.eye(n)
    for heads in maps[start_layer:]:
        fused = np.zeros((n, n))
        for i in range(n):
            for j in range(n):
                values = [heads[h, i, j] for h in range(len(heads))]
                fused[i, j] = getattr(np, fusion)(values)
        for i in range(n):
            weakest_first = sorted(range(n_prefix, n), key=lambda j: fused[i, j])
            for j in weakest_first[: min(int(discard * (n - n_prefix)), n - n_prefix - 1)]:
                fused[i, j] = 0.0
        a = skip_weight * np.eye(n) + (1 - skip_weight) * fused
        for i in range(n):
            a[i] = a[i] / a[i].sum()
        joint = a @ joint
    return joint


def float64_trace(**changes: object) -> AttentionTrace:
    return double(small_vit(**changes)).trace


@pytest.mark.parametrize("query", ["cls", "2,1", "mean"])
@pytest.mark.parametrize("fusion", FUSIONS)
@pytest.mark.parametrize(
    ("skip_weight", "start_layer", "discard"), [(0.5, 0, 0.0), (0.3, 1, 0.0), (0.5, 0, 0.9), (0.0, 0, 0.4)]
)
def test_rollout_equals_the_paper(
    query: str, fusion: str, skip_weight: float, start_layer: int, discard: float
) -> None:
    trace = float64_trace(reg_tokens=2)
    maps = [layer.map().numpy() for layer in trace.layers]
    settings = {"fusion": fusion, "skip_weight": skip_weight, "start_layer": start_layer, "discard": discard}
    joint = full_rollout(maps, **settings, n_prefix=3)
    expected = trace.query(query).numpy() @ joint
    found = tokens_of(method_named("rollout")(trace, query, **settings))
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-13)
    assert math.isclose(found.sum(), 1.0, rel_tol=1e-12)


def test_rollout_stops_at_an_inner_layer_and_multiplies_in_the_papers_order() -> None:
    trace = float64_trace()
    maps = [layer.map().numpy() for layer in trace.layers]
    for layer in range(3):
        found = tokens_of(method_named("rollout")(trace, "cls", layer=layer))
        np.testing.assert_allclose(found, full_rollout(maps[: layer + 1])[0], rtol=1e-10)
    # A_L ... A_1 and not A_1 ... A_L, which is a common slip of this field.
    found = tokens_of(method_named("rollout")(trace, "cls"))
    assert np.abs(found - full_rollout(maps[::-1])[0]).max() > 1e-3


def test_rollout_of_planted_maps() -> None:
    trace = planted(*[torch.full((3, 5, 5), 0.2)] * 4)
    relevance = method_named("rollout")(trace, "cls")
    assert np.ptp(relevance.scores) < 1e-7
    np.testing.assert_allclose(method_named("attention")(trace, "cls").scores, 0.2, rtol=1e-6)
    # Layer 2: CLS looks at patch 3 only. Layer 1: patch 3 looks at patch 1 only. So rollout of CLS ends on patches 3 and 1.
    first, second = torch.eye(5)[None].clone(), torch.eye(5)[None].clone()
    second[0, 0] = torch.tensor([0.0, 0, 0, 0, 1])  # cls -> token 4 = patch (1, 1)
    first[0, 4] = torch.tensor([0.0, 0, 1, 0, 0])  # patch (1, 1) -> token 2 = patch (0, 1)
    relevance = method_named("rollout")(planted(first, second), "cls")
    np.testing.assert_allclose(relevance.scores, [[0, 0.25], [0, 0.25]])
    assert relevance.on_prefix == {"cls": 0.5}
    relevance = method_named("rollout")(float64_trace(), "1,2", skip_weight=1.0)
    assert relevance.scores[1, 2] == pytest.approx(1.0)
    # CLS and registers get the least attention here; they must be kept all the same.
    matrix = torch.tensor([0.01, 0.02, 0.2, 0.3, 0.22, 0.25]).repeat(1, 6, 1)
    trace = planted(matrix, prefix=("cls", "reg0"))
    relevance = method_named("rollout")(trace, "cls", skip_weight=0.0, discard=0.5)
    kept = np.array([0.01, 0.02, 0, 0.3, 0, 0.25])
    np.testing.assert_allclose(tokens_of(relevance), kept / kept.sum(), rtol=1e-6)
    # Half of the four patches, though a mask hides two others; these have nothing to lose.
    matrix = torch.tensor([0.1, 0.0, 0.2, 0.3, 0.15, 0.25, 0.0]).repeat(1, 7, 1)
    relevance = method_named("rollout")(planted(matrix, grid=(2, 3)), "cls", skip_weight=0.0, discard=0.5)
    kept = np.array([0.1, 0, 0, 0.3, 0, 0.25, 0])
    np.testing.assert_allclose(tokens_of(relevance), kept / kept.sum(), rtol=1e-6)
    # Two heads that share no key: their minimum is nothing, and without a skip connection nothing moves.
    heads = torch.zeros(2, 5, 5)
    heads[0, :, 1] = 1
    heads[1, :, 2] = 1
    relevance = method_named("rollout")(planted(heads), "1,1", fusion="min", skip_weight=0.0)
    assert relevance.scores[1, 1] == 1


@pytest.mark.parametrize("head", [None, 0, 3])
@pytest.mark.parametrize("layer", [0, -1])
def test_attention_row_and_column(head: int | None, layer: int) -> None:
    trace = float64_trace()
    full = trace.layers[layer].map()
    full = full.mean(0) if head is None else full[head]
    token = trace.layout.token_of(2, 3)
    row = method_named("attention")(trace, "2,3", layer=layer, head=head)
    column = method_named("attention")(trace, "2,3", layer=layer, head=head, direction="to")
    np.testing.assert_allclose(tokens_of(row), full[token].numpy(), rtol=1e-10)
    np.testing.assert_allclose(tokens_of(column), full[:, token].numpy(), rtol=1e-10)


def test_a_weighted_query_is_the_weighted_mean_of_rows() -> None:
    trace = float64_trace()
    weights = torch.rand(17, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    found = tokens_of(method_named("attention")(trace, weights))
    expected = (weights / weights.sum()) @ trace.layers[-1].map().mean(0)
    np.testing.assert_allclose(found, expected.numpy(), rtol=1e-10)


def test_networks_are_read_through_their_pooling_or_both_class_tokens() -> None:
    """SigLIP has no CLS: its readout is the pooling's own attention, which is a weight on tokens like any query."""
    trace = capture(*(lambda model: (model, pixels_for(model)))(timm_model("vit_base_patch16_siglip_224")))
    assert trace.readout == "pool"
    torch.testing.assert_close(trace.query(), trace.pool.map().mean(0)[0])
    assert tokens_of(method_named("rollout")(trace)).sum() == pytest.approx(1.0, rel=1e-5)
    model = timm_model("deit_tiny_distilled_patch16_224")
    trace = capture(model, pixels_for(model))
    assert trace.readout == "cls+dist"
    assert trace.query().nonzero()[:, 0].tolist() == [0, 1]
    row = tokens_of(method_named("attention")(trace))
    np.testing.assert_allclose(row, trace.layers[-1].map().mean(0)[:2].mean(0).numpy(), rtol=1e-5)


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    model = small_vit()
    model.net.double()
    pixels = pixels_for(model)

    def every() -> list[np.ndarray]:
        seen = ExplainContext(model, pixels, capture(model, pixels), 1)
        some = [one for one in methods().values() if not one.why_not(seen.trace)]
        return [tokens_of(one(seen, "mean" if one.by_query else None)) for one in some]

    whole = every()
    for module in ("attention.layers", "signals.lrp.deep_taylor", "methods.alti"):
        monkeypatch.setattr(f"vizapp.core.{module}.CHUNK_ELEMENTS", 100)
    for expected, found in zip(whole, every(), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_rows_have_one_shape_and_their_own_denominators() -> None:
    layer = float64_trace().layers[1]
    every = torch.arange(17)
    torch.testing.assert_close((layer.scores(every) - layer.row_logsumexp()[..., None]).exp(), layer.map())
    # An index that drops an axis would mix the heads without a word.
    for layer in (float64_trace().layers[0], planted(torch.eye(5).repeat(3, 1, 1)).layers[0]):
        assert layer.rows(0).shape == layer.rows([0]).shape == (layer.n_heads, 1, layer.n_keys)
        torch.testing.assert_close(layer.rows(2)[:, 0], layer.map()[:, 2])
    layer = capture(small_vit(), pixels_for(small_vit())).layers[0]
    timm_layer = capture(timm_model("vit_tiny_patch16_224"), pixels_for(timm_model("vit_tiny_patch16_224"))).layers[0]
    assert layer.logsumexp is None, "our own ViT spells attention out"
    told, timm_layer.logsumexp = timm_layer.logsumexp, None
    torch.testing.assert_close(told, timm_layer.row_logsumexp(), rtol=1e-5, atol=1e-5)


@together(
    ("name", "query", "settings", "message"),
    [
        ("rolout", None, {}, "no method 'rolout'"),
        ("rollout", None, {"depth": 3}, "no setting 'depth'"),
        ("rollout", None, {"fusion": "sum"}, f"Choose one of: {', '.join(FUSIONS)}"),
        ("rollout", None, {"layer": "2"}, "Choose a whole number"),
        ("rollout", None, {"skip_weight": "0.3"}, "Choose a number"),
        ("attention", None, {"head": 1.0}, "Choose a whole number or nothing"),
        ("rollout", None, {"skip_weight": 1.5}, "It goes from 0 to 1"),
        ("rollout", None, {"start_layer": 3}, "0 to 2"),
        ("rollout", None, {"layer": 7}, "no layer 7"),
        ("attention", None, {"head": 4}, "no head 4"),
        ("attention", "reg0", {}, "no query of this model"),
        ("attention", "9,9", {}, "4 rows and 4 columns"),
        ("attention", 17, {}, "no token 17"),
        ("attention", torch.zeros(17), {}, "not all zero"),
        ("attention", torch.ones(3), {}, r"got \(3,\)"),
        ("attention", torch.full((17,), torch.nan), {}, "one weight >= 0"),
        ("attention", [0, 1], {}, "is no query"),
        ("attention", True, {}, "is no query"),
        ("attention", "mean", {"direction": "to"}, "needs a query of one token"),
    ],
)
def test_slips_are_explained(name: str, query: object, settings: dict, message: str) -> None:
    trace = float64_trace()
    with pytest.raises(VizError, match=message):
        method_named(name)(trace, query, **settings)


@pytest.mark.parametrize("method", methods().values(), ids=methods())
def test_every_method_describes_itself(method: object) -> None:
    """Contract: a paper, a docstring, parameters with defaults, one finite value per patch for any query."""
    assert method.paper
    assert method.function.__doc__.startswith(("(token,)", "(patch,)"))
    for parameter in method.parameters.values():
        assert parameter.default is not parameter.empty
    model = small_vit()
    pixels = pixels_for(model)
    seen = ExplainContext(model, pixels, capture(model, pixels))
    if reason := method.why_not(seen.trace):
        assert (method.name, "cross attention" in reason) == ("cross_attention", True), "a plain ViT has all else"
        return
    for query in ("cls", "0,0", "mean") if method.by_query else (None,):
        relevance = method(seen, query)
        assert relevance.scores.shape == (4, 4)
        assert np.isfinite(relevance.scores).all()


@pytest.mark.parametrize("known", [True, False], ids=["denominators known", "unknown"])
@pytest.mark.parametrize("bias", [False, True], ids=["", "bias"])
@pytest.mark.parametrize("blocks", [False, True], ids=["at once", "in small blocks"])
def test_one_step_is_the_product_with_the_whole_matrix(
    monkeypatch: pytest.MonkeyPatch, known: bool, bias: bool, blocks: bool
) -> None:
    """`push` takes its own way for long sequences; r has zeros, and tiny and large shares."""
    if blocks:
        for name, value in (("CHUNK_ELEMENTS", 100), ("BLOCK_ROWS", 64), ("tile_side", lambda *_: 64)):  # 64 + 64 + 22
            monkeypatch.setattr(f"vizapp.core.attention.layers.{name}", value)
    generator = torch.Generator().manual_seed(0)
    q, k = 2 * torch.randn(2, 3, 150, 8, generator=generator, dtype=torch.float64)
    extra = torch.randn(3, 150, 150, generator=generator, dtype=torch.float64) if bias else None
    layer = FactoredAttention("0", q, k, extra)
    layer.logsumexp = layer.row_logsumexp() if known and not bias else None
    r = torch.rand(150, generator=generator, dtype=torch.float64) ** 8
    r[::7] = 0
    torch.testing.assert_close(layer.push(r / r.sum()), r / r.sum() @ layer.map().mean(0), rtol=1e-12, atol=1e-15)


def test_a_row_that_a_mask_hides_is_zero_and_no_nan() -> None:
    """As PyTorch's own kernels have it; whole, row by row, and in blocks."""
    generator = torch.Generator().manual_seed(0)
    q, k, v = torch.randn(3, 1, 2, 9, 4, generator=generator)
    bias = torch.zeros(1, 9, 9)
    bias[:, 3], bias[:, :, 5] = -torch.inf, -torch.inf
    layer = FactoredAttention("0", q[0] / 2, k[0], bias)
    expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, bias[None])
    torch.testing.assert_close(layer.map() @ v[0], expected[0])
    assert layer.map()[:, 3].abs().max() == 0
    r = torch.full((9,), 1 / 9)
    torch.testing.assert_close(layer.push(r), r @ layer.map().mean(0))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("vizapp.core.attention.layers.CHUNK_ELEMENTS", 16)
        torch.testing.assert_close(layer.push(r), r @ layer.map().mean(0))
