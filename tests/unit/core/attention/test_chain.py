"""Following attention back: where layers form no chain, how shares go from grid to grid, and sums over tiles."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

import vizapp
from support.networks import pixels_for, small_vit
from support.slow_replicas import context
from vizapp.core.attention import tiles
from vizapp.core.attention.chain import check_start, why_no_chain
from vizapp.core.attention.grids import by_area, spread
from vizapp.errors import VizError
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import TokenLayout

FINE, COARSE, ODD = TokenLayout((), (8, 8)), TokenLayout((), (4, 4)), TokenLayout((), (3, 3))


def test_which_layers_form_a_chain() -> None:
    assert why_no_chain(["one", "two"], [(FINE, COARSE), (COARSE, COARSE)]) == ""
    why = why_no_chain(["one", "two"], [(FINE, FINE), (ODD, ODD)])
    assert why == "two has 3x3 patches over 8x8, which are no whole blocks"
    assert why.key == "{name} has {coarse} patches over {fine}, which are no whole blocks"
    # Keys with registers that no query is, so that their CLS has another name than that of the queries.
    cls, three = TokenLayout(("cls",), (8, 8)), TokenLayout(("extra0", "extra1", "extra2"), (8, 8))
    said = "in one the tokens cls look back on extra0, extra1, extra2, and it is not known which of them are the same"
    assert why_no_chain(["one"], [(cls, three)]) == said
    assert "in two the tokens extra0" in why_no_chain(["one", "two"], [(cls, cls), (three, three)])
    for fine in ([(FINE, three)], [(cls, FINE)], [(FINE, FINE), (cls, cls)], [(three, three), (three, three)]):
        assert why_no_chain(["one", "two"], fine) == ""


class Registers(nn.Module):
    """Two layers whose queries are CLS and patches, and whose keys are learned tokens, CLS and patches."""

    def __init__(self, registers: int) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.patches, self.cls = nn.Conv2d(3, 16, 8, 8), nn.Parameter(torch.randn(1, 1, 16))
        self.registers = nn.Parameter(torch.randn(1, registers, 16))
        self.layers = nn.ModuleList(nn.Linear(16, 48) for _ in range(2))
        self.head = nn.Linear(16, 3)

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        x = torch.cat([self.cls, self.patches(pixels).flatten(2).transpose(1, 2)], 1)
        for layer in self.layers:
            q, k, v = layer(torch.cat([self.registers, x], 1)).unflatten(-1, (3, 2, 8)).permute(2, 0, 3, 1, 4)
            q = q[:, :, self.registers.shape[1] :]
            x = x + F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
        return self.head(x[:, 0])


def test_registers_that_are_keys_only_are_refused_in_words() -> None:
    picture = np.random.default_rng(0).integers(0, 256, (32, 32, 3), dtype=np.uint8)
    preprocess, labels = Preprocess((32, 32)), ("a", "b", "c")
    seen, plain = (
        vizapp.analyse(vizapp.describe(Registers(n).eval(), preprocess=preprocess, labels=labels), picture)
        for n in (2, 0)
    )
    assert vizapp.explain(seen, "attention").scores.shape == (4, 4)
    for method in ("rollout", "chefer"):
        with pytest.raises(VizError, match="the tokens cls look back on extra0, extra1, extra2"):
            vizapp.explain(seen, method)
        assert vizapp.explain(plain, method).scores.any()


def test_layers_are_counted_from_zero() -> None:
    """One count in the whole library: what shows another one to people says so itself."""
    trace = context(small_vit(), pixels_for(small_vit())).trace
    check_start(0, 2)
    for slip, hint in [
        (lambda: check_start(3, 2), "from 0 to 2"),
        (lambda: trace.layer(3), "from 0, so the last is 2, or -1"),
        (lambda: trace.head(0, 4), "from 0, so the last is 3"),
    ]:
        with pytest.raises(VizError, match=hint):
            slip()


def test_a_share_is_spread_on_what_lies_under_it() -> None:
    """Also where patches are merged by other numbers down and across."""
    shares = torch.arange(1.0, 8.0)
    found = spread(shares, TokenLayout(("cls",), (2, 3)), TokenLayout(("cls",), (4, 9)))
    under = np.kron(np.arange(2.0, 8.0).reshape(2, 3), np.ones((2, 3))) / 6
    np.testing.assert_allclose(found, [1, *under.ravel()])


@pytest.mark.parametrize(("source", "target"), [((4, 6), (8, 12)), ((8, 6), (4, 2)), ((5, 4), (3, 7))])
def test_shares_are_handed_on_by_area(source: tuple[int, int], target: tuple[int, int]) -> None:
    """Drawn in pixels that both grids divide: each patch's share is the sum of its pixels."""
    torch.manual_seed(0)
    shares = torch.rand(2, source[0] * source[1], dtype=torch.float64)
    height, width = source[0] * target[0], source[1] * target[1]
    drawn = shares.unflatten(-1, source).repeat_interleave(target[0], -2).repeat_interleave(target[1], -1)
    drawn = drawn / (target[0] * target[1])
    expected = drawn.unflatten(-1, (target[1], -1)).sum(-1).unflatten(-2, (target[0], -1)).sum(-2)
    assert (height, width) == tuple(drawn.shape[-2:])
    torch.testing.assert_close(by_area(shares, source, target), expected.flatten(-2))


@pytest.mark.parametrize(("n_rows", "n_keys"), [(1, 1), (7, 64), (64, 7), (1000, 1000)])
def test_the_sum_does_not_depend_on_the_tiles(n_rows: int, n_keys: int) -> None:
    generator = torch.Generator().manual_seed(0)
    q = torch.randn(8, 150, generator=generator, dtype=torch.float64)
    k = torch.randn(90, 8, generator=generator, dtype=torch.float64)
    weight, before = torch.rand(150, generator=generator, dtype=torch.float64), torch.ones(90, dtype=torch.float64)
    total = before.clone()
    tiles.add_shares(total, q, k, weight, n_rows, n_keys)
    torch.testing.assert_close(total, before + (k @ q).exp() @ weight, rtol=1e-12, atol=1e-12)


def test_threads_that_come_first_measure_once(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[int] = []
    real = tiles.add_shares
    monkeypatch.setattr(tiles, "add_shares", lambda *given: (runs.append(given[-1]), real(*given)))
    tiles._quickest.cache_clear()
    with ThreadPoolExecutor(4) as pool:
        # A number of threads that every thread of the pool is told alike.
        monkeypatch.setattr(torch, "get_num_threads", lambda: 1)
        sides = set(pool.map(lambda _: tiles.tile_side(torch.device("cpu"), torch.float32), range(8)))
    assert len(sides) == 1
    assert len(runs) == tiles._REPEATS * len(tiles.SIDES)
