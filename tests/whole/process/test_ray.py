"""`--engine ray` with Ray itself, on a simulated cluster of two machines: the same rows, and a death loses nothing."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.evaluations import fill
from support.waiting import until
from vizapp.data.engines import engine_named
from vizapp.data.evaluation import run
from vizapp.data.heads import measure
from vizapp.data.workers import OfRay, spread
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel

ray = pytest.importorskip("ray", reason="ray is an extra: pip install vizapp[ray]")

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # of Ray's own processes and sockets
    pytest.mark.filterwarnings("ignore::DeprecationWarning:ray.*"),
    pytest.mark.filterwarnings("ignore::FutureWarning:ray.*"),
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two machines, as far as Ray can tell: each has its own scheduler, store and workers."""
    from ray.cluster_utils import Cluster

    asked_often = {"health_check_initial_delay_ms": 500, "health_check_period_ms": 500, "health_check_timeout_ms": 5000}
    head = {"num_cpus": 1, "include_dashboard": False, "_system_config": asked_often}
    made = Cluster(initialize_head=True, head_node_args=head)
    made.add_node(num_cpus=1)
    ray.init(address=made.address, log_to_driver=False)
    try:
        yield made
    finally:
        ray.shutdown()
        made.shutdown()


def test_both_machines_look_and_give_the_same_rows(cluster: Any, toy: VisionModel, tmp_path: Path) -> None:
    """To the last bit. Numbers of heads: below, where a machine is lost."""
    assert len([node for node in ray.nodes() if node["Alive"]]) == 2
    rows = []
    for name, engine in (("plain", None), ("ray", engine_named("ray", 2))):
        [found] = run(
            [toy], ["two"], ["chefer"], 2, tmp_path / f"{name}.json", lambda *line: None, steps=2, engine=engine
        )
        rows.append((json.loads((tmp_path / f"{name}.json").read_text())["rows"], found.rows()))
    assert json.dumps(rows[0]) == json.dumps(rows[1])


def test_slips_come_back_as_they_are(cluster: Any) -> None:
    """The same sentence from a worker as from here, with what stands in it."""

    class Slip:
        def look(self, number: int) -> int:
            raise VizError("The mask is {w} x {h}.", "Make it larger.", w=9, h=8)

    with pytest.raises(VizError) as caught:
        list(spread(lambda: OfRay(ray.remote(Slip).remote()), range(2), 1))
    assert (caught.value.message, caught.value.hint) == ("The mask is 9 x 8.", "Make it larger.")


def test_a_lost_machine_loses_nothing(cluster: Any, toy: VisionModel, tmp_path: Path) -> None:
    """The second one goes down in the middle of it, and its worker with it. A picture that cannot be read is no death."""
    folder = fill(tmp_path / "photos", 6)
    (folder / "1.png").write_text("no picture")
    (other,) = [node for node in cluster.list_all_nodes() if node is not cluster.head_node]

    def take_away(done: int, of: int) -> None:
        if done == 2:
            cluster.remove_node(other, allow_graceful=False)

    rows = measure(toy, folder, engine=engine_named("ray", 2), on_progress=take_away)
    assert json.dumps(rows) == json.dumps(measure(toy, folder))
    until(lambda: sum(node["Alive"] for node in ray.nodes()) == 1)
