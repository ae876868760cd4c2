"""A job played in a process: what is measured of it."""

from __future__ import annotations

import pytest

from froude.emulation.engine import QUANTILES, PlayJob
from froude.emulation.facts import facts_of
from froude.emulation.playing import _players, _quantiles_ms, _so_far
from froude.emulation.programs.population import PlaySettings
from froude.emulation.run.tally import Tally
from froude.hadoop.rpc.target import Target
from froude.messages.schema import Schema
from testbed.plans import plan
from tests.support.emulation import yarn_plans


def test_all_that_can_be_told_of_a_play() -> None:
    """Of both phases together; quantiles as the histogram itself has them."""
    tally = Tally()
    tally.begin_ramp()
    tally.of("create").sent = 2
    tally.of("create").errors["java.io.IOException"] += 1
    tally.end_ramp(1.0)
    tally.of("create").sent, tally.of("create").answered = 3, 1
    tally.of("create").errors["java.io.IOException"] += 2
    counts, errors = _so_far(tally)
    assert (counts, dict(errors)) == ({"create": (5, 1)}, {("create", "java.io.IOException"): 3})
    assert _quantiles_ms(tally.lateness) == {}
    tally.lateness.add(at / 1000 for at in range(1, 1001))
    told = _quantiles_ms(tally.lateness)
    assert list(told) == list(QUANTILES)
    assert [told[q] for q in QUANTILES[:-1]] == tally.lateness.quantiles_ms(QUANTILES[:-1])


@pytest.mark.parametrize(
    ("services", "players"),
    [(("namenode", "resourcemanager"), 1), (("resourcemanager",), 1), (("namenode",), 3)],
)
def test_programs_of_yarn_are_played_by_one_player(services: tuple[str, ...], players: int) -> None:
    """Where a ResourceManager is a target; the remark names them. Without one all players play them."""
    planned = yarn_plans.plan(nodes=8, maps=12)
    targets = {service: Target(service, "127.0.0.1:1", "id") for service in services}
    job = PlayJob(planned, Schema({}, {}), PlaySettings(targets), players=3)
    found, remarks = _players(job, facts_of(planned))
    assert found == players
    assert [each.startswith("played by one player, not by 3: ") for each in remarks] == [True] * (
        players == 1
    )
    assert all("nodemanager" in each for each in remarks)


def test_a_plan_of_one_node_is_played_by_one_player() -> None:
    """As is one without nodes, which is refused later."""
    for clients in (0, 1):
        planned = plan(datanodes=clients, clients=clients)
        job = PlayJob(planned, Schema({}, {}), PlaySettings(), players=3)
        assert _players(job, facts_of(planned)) == (1, [])
