"""Sums over attention in tiles: the same whatever their sides, and one choice of the side in a process."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from vizapp.core.attention import tiles


@pytest.mark.parametrize(("n_rows", "n_keys"), [(1, 1), (7, 64), (64, 7), (1000, 1000)])
def test_the_sum_does_not_depend_on_the_tiles(n_rows: int, n_keys: int) -> None:
    generator = torch.Generator().manual_seed(0)
    q = torch.randn(8, 150, generator=generator, dtype=torch.float64)
    k = torch.randn(90, 8, generator=generator, dtype=torch.float64)
    weight, before = torch.rand(150, generator=generator, dtype=torch.float64), torch.ones(90, dtype=torch.float64)
    total = before.clone()
    tiles.add_shares(total, q, k, weight, n_rows, n_keys)
    torch.testing.assert_close(total, before + (k @ q).exp() @ weight, rtol=1e-12, atol=1e-12)


def test_a_side_is_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or two visitors with one picture would see sums in two orders."""
    cpu, runs = torch.device("cpu"), []
    real = tiles.add_shares
    monkeypatch.setattr(tiles, "add_shares", lambda *given: (runs.append(given[-1]), real(*given)))
    tiles._quickest.cache_clear()
    side = tiles.tile_side(cpu, torch.float32)
    assert set(runs) == set(tiles.SIDES), "every side was tried"
    tried = len(runs)
    assert side in tiles.SIDES
    assert tiles.tile_side(cpu, torch.float32) == side
    assert len(runs) == tried


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
