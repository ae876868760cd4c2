"""When calls are due; what a stall of the target does to latencies, in closed form."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from statistics import median

import pytest

from froude.base.seeds import Seeds
from froude.emulation.controller import Controller
from froude.emulation.core import Core
from froude.emulation.notes import UNSENT
from froude.emulation.pacing import Pace, pacing_of, planned_moments
from froude.emulation.programs.population import PlaySettings
from froude.emulation.programs.registry import groups_of, populate
from froude.emulation.run.bottleneck import LimitedBy
from froude.emulation.run.run import Run
from froude.emulation.run.tally import Histogram, Series, Tally
from froude.emulation.settings import Pacing
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.rpc.client import ClientConnection
from froude.hadoop.rpc.events import Request
from froude.hadoop.rpc.server import ServerConnection
from froude.hadoop.rpc.target import Target
from froude.messages.schema import Schema
from froude.workload.plan import Plan
from froude.workload.scale import Count, Scale
from froude.workload.types import (
    CallTemplate,
    Constant,
    Moment,
    NodeType,
    Recorded,
    Repeat,
    StartRule,
    Timing,
    Workload,
)

CLIENT = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
STEPS, EVERY_S = 50, 0.1
STALL = (0.95, 5.0)
END_OF_STALL_S = sum(STALL)


def steps(timing: Timing, clients: int = 1, start: StartRule | None = None) -> Plan:
    """Clients that look at a file again and again."""
    look = CallTemplate("client.look", CLIENT, "getFileInfo", {"src": Constant("/a")}, timing)
    client = NodeType(
        "client", Count(clients), (Repeat("L1", Count(STEPS), (look,)),), start=start or StartRule()
    )
    return Plan(Workload((client,), Recorded((), ())), Scale.of(clients=clients), {"client": clients})


def played(
    plan: Plan,
    schema: Schema,
    pacing: Pacing,
    stall: tuple[float, float] | None = None,
    *,
    until_s: float = math.inf,
) -> Series:
    """As `played_tally`, of the one method."""
    return played_tally(plan, schema, pacing, stall, until_s=until_s).of("getFileInfo")


def played_tally(
    plan: Plan,
    schema: Schema,
    pacing: Pacing,
    stall: tuple[float, float] | None = None,
    *,
    until_s: float = math.inf,
) -> Tally:
    """Play against a target that answers at once, but stands still from a second on, for so many seconds."""
    from_s, long_s = stall or (0.0, 0.0)
    settings = PlaySettings({"": Target("namenode", "model:1", "CID-model")}, pacing=pacing)
    population = populate(plan, schema, seeds=Seeds(1), settings=settings)
    core = Core(
        population,
        Controller(groups_of(population)),
        connect=lambda endpoint, client_id: ClientConnection(
            endpoint.protocol, client_id=client_id or bytes(16)
        ),
    )
    servers: dict[int, ServerConnection] = {}
    asked: list[tuple[int, Request]] = []
    now_s = 0.0
    core.begin(now_s)
    while not core.done and now_s < until_s:
        for channel in core.channels:
            server = servers.setdefault(channel.number, ServerConnection())
            data = b"".join(channel.out)
            channel.out.clear()
            asked += [(channel.number, each) for each in server.receive(data) if isinstance(each, Request)]
        if asked and not from_s <= now_s < from_s + long_s:
            number, request = asked.pop(0)
            core.received(core.channels[number], servers[number].respond(request.call_id, b""), now_s)
        else:
            now_s = min(until_s, max(now_s, min([core.next_s] + [from_s + long_s] * bool(asked))))
            core.advance(now_s)
    core.finish(now_s)
    assert core.failure is None
    return core.tally


def _us(histogram: Histogram) -> list[int]:
    """Every duration, in order, to three digits."""
    return sorted(histogram.counts.elements())


def test_of_a_schedule_every_call_due_in_the_stall_is_late_by_what_is_left_of_it(hadoop: Hadoop) -> None:
    """50 steps 0.1 s apart and a stall of 5 s: 41 calls are due in it, each answered at its end."""
    series = played(
        steps(Timing(Count(EVERY_S), service=Count(0.0))), hadoop.schema(), Pacing.SCHEDULED, STALL
    )
    due = [(number + 1) * EVERY_S for number in range(STEPS)]
    late = [END_OF_STALL_S - at_s if at_s > STALL[0] else 0.0 for at_s in due]
    assert sum(each > 0 for each in late) == 41
    assert _us(series.from_intended) == pytest.approx([each * 1e6 for each in sorted(late)], rel=1e-3)
    assert series.from_actual.max_us == pytest.approx(4.95e6, rel=1e-3)
    assert sum(each > 0 for each in _us(series.from_actual)) == 1
    assert not series.held_up


def test_closed_clients_meet_a_stall_with_one_call_and_the_correction_adds_the_others(hadoop: Hadoop) -> None:
    """One call waits for 4.95 s; the 48 that would have come every 0.1 s meanwhile are added to the correction only."""
    series = played(steps(Timing(Count(EVERY_S), service=Count(0.0))), hadoop.schema(), Pacing.CLOSED, STALL)
    assert [each for each in _us(series.from_actual) if each] == pytest.approx([4.95e6], rel=1e-3)
    assert _us(series.from_intended) == _us(series.from_actual)
    added = [4.95 - number * EVERY_S for number in range(49)]
    corrected = [each for each in _us(series.corrected) if each]
    assert corrected == pytest.approx([each * 1e6 for each in sorted(added)], rel=1e-3)


def test_a_target_that_stands_still_is_not_blamed_on_the_player(hadoop: Hadoop) -> None:
    """The timers of the calls that it holds up are asked for too late, and fire at once."""
    for pacing in Pacing:
        tally = played_tally(
            steps(Timing(Count(EVERY_S), service=Count(0.0))), hadoop.schema(), pacing, STALL
        )
        assert tally.lag.max_us <= 1
        run = Run(tally, "model:1", "CID-model", begun_at_s=0.0, elapsed_s=END_OF_STALL_S)
        assert run.bottleneck.by is LimitedBy.UNKNOWN


def test_a_play_that_ends_in_the_stall_shows_it(hadoop: Hadoop) -> None:
    """Every call that is due by then counts with what it has waited, sent or not; closed, the correction adds them."""
    plan, until_s = steps(Timing(Count(EVERY_S), service=Count(0.0))), STALL[0] + 4.0
    tally = played_tally(plan, hadoop.schema(), Pacing.SCHEDULED, STALL, until_s=until_s)
    due = [(number + 1) * EVERY_S for number in range(STEPS)]
    late = sorted(until_s - at_s if at_s > STALL[0] else 0.0 for at_s in due if at_s <= until_s)
    series = tally.of("getFileInfo")
    assert _us(series.from_intended) == pytest.approx([each * 1e6 for each in late], rel=1e-3, abs=1)
    assert (series.sent, series.answered) == (10, 9)
    assert tally.notes == {f"{UNSENT}getFileInfo": len(late) - 10}
    closed = played(plan, hadoop.schema(), Pacing.CLOSED, (STALL[0], math.inf), until_s=until_s)
    waited = [3.95 - number * EVERY_S for number in range(39)]
    corrected = [each for each in _us(closed.corrected) if each]
    assert corrected == pytest.approx([each * 1e6 for each in sorted(waited)], rel=1e-3)


@pytest.mark.parametrize("pacing", Pacing)
def test_without_a_stall_nothing_is_late(pacing: Pacing, hadoop: Hadoop) -> None:
    """By either measure, and nothing is corrected."""
    series = played(steps(Timing(Count(EVERY_S), service=Count(0.0))), hadoop.schema(), pacing)
    assert series.answered == STEPS
    assert series.from_intended.max_us <= 1
    assert series.corrected.total == STEPS


def test_a_node_that_starts_in_the_stall_of_a_schedule_is_late_from_its_planned_start(hadoop: Hadoop) -> None:
    """What waits for a type that ends is due when the schedule has that end, however late it really comes."""
    first = steps(Timing(Count(EVERY_S), service=Count(0.0)))
    (client,) = first.workload.node_types
    after = replace(
        client, name="after", steps=(replace(client.steps[0], id="L2"),), start=StartRule("client", delay_s=0.5)
    )  # fmt: skip
    workload = Workload((client, after), Recorded((), ()))
    plan = Plan(workload, first.scale, {"client": 1, "after": 1})
    series = played(plan, hadoop.schema(), Pacing.SCHEDULED, STALL)
    # The first client's last call is due at 5.0 s, so the second's first at 5.0 + 0.5 + 0.1, and the stall ends at 5.95.
    late_s = sorted(END_OF_STALL_S - (5.5 + (n + 1) * EVERY_S) for n in range(4))
    own = [each for each in _us(series.from_intended) if 0 < each < 0.9e6]
    assert own == pytest.approx([each * 1e6 for each in late_s], rel=2e-3)


def _due_s(pacing: Pacing, answered_s: list[float], **options: float) -> list[float]:
    timing = Timing(Count(0.2, {"files": 0.1}), service=Count(0.3))
    call = CallTemplate("c", "p", "m", {}, timing)
    pace = Pace(pacing, Scale.of(files=1), **options)
    pace.begin(10.0)
    return [pace.due(call, at_s) for at_s in answered_s]


def test_due_times_of_a_schedule_follow_from_the_plan() -> None:
    """Think time at the Scale, then service time, whatever is answered when; at twice the speed half of each."""
    assert _due_s(Pacing.SCHEDULED, [10.0, 99.0, 11.0]) == pytest.approx([10.3, 10.9, 11.5])
    assert _due_s(Pacing.SCHEDULED, [10.0, 99.0, 11.0], speed=2) == pytest.approx([10.15, 10.45, 10.75])


def test_closed_due_times_follow_the_answers() -> None:
    """Think time after the answer before."""
    assert _due_s(Pacing.CLOSED, [10.0, 99.0, 11.0]) == pytest.approx([10.3, 99.3, 11.3])


def test_the_next_call_is_expected_after_the_faster_pause_and_the_whole_service_time() -> None:
    """At twice the speed a closed client thinks half as long; the target is no faster. A schedule expects nothing."""
    call = CallTemplate("c", "p", "m", {}, Timing(Count(0.2, {"files": 0.1}), service=Count(0.3)))
    scale = Scale.of(files=1)
    assert Pace(Pacing.CLOSED, scale).expected_s(call) == pytest.approx(0.6)
    assert Pace(Pacing.CLOSED, scale, speed=2.0).expected_s(call) == pytest.approx(0.45)
    assert Pace(Pacing.SCHEDULED, scale, speed=2.0).expected_s(call) == 0.0


def test_a_call_that_follows_data_is_sent_no_sooner_than_the_data_takes() -> None:
    """The pause of its recording, however late its node is; faster, where all is faster."""
    call = CallTemplate("c", "p", "m", {}, Timing(Count(0.25, {"files": 0.25}), service=Count(3.0)))
    for speed, pause_s in ((1.0, 0.5), (2.0, 0.25)):
        pace = Pace(Pacing.SCHEDULED, Scale.of(files=1), speed=speed)
        pace.begin(1.0)
        assert pace.transferred(call, 99.0) == 99.0 + pause_s
    assert pace.due(call, 99.0) == 1.25


def test_what_is_overdue_is_due_by_now() -> None:
    """At this very moment, too; a schedule is not moved by being looked at, and closed pacing has none."""
    call = CallTemplate("c", "p", "m", {}, Timing(Count(0.5), service=Count(0.0)))
    pace = Pace(Pacing.SCHEDULED, {})
    pace.begin(10.0)
    for _ in range(2):
        assert [due_s for _, due_s in pace.overdue([call] * 9, 11.5)] == [10.5, 11.0, 11.5]
        assert [due_s for _, due_s in pace.overdue([call] * 9, 11.4)] == [10.5, 11.0]
    assert list(Pace(Pacing.CLOSED, {}).overdue([call], 99.0)) == []


@pytest.mark.parametrize("pacing", list(Pacing))
def test_a_time_is_drawn_by_its_number(pacing: Pacing) -> None:
    """The first is number 1 of the node's seeds; its place in the distribution is that part of 64 bits."""
    think, service = (0.5, 1.0, 3.0), (0.8, 1.0, 4.0)
    call = CallTemplate("c", "p", "m", {}, Timing(Count(1.0), think, Count(1.0), service))
    pace, number = Pace(pacing, {}, seeds=Seeds(3)), Seeds(3).numbered()
    thinks, services = call.timing.think_at({}), call.timing.service_at({})
    first_s = thinks.at(number(1) / 18446744073709551616)
    assert pace.due(call, 0.0) == first_s
    if pacing is Pacing.CLOSED:
        assert pace.due(call, 0.0) == thinks.at(number(2) / 18446744073709551616)
    else:
        parts = [services.at(number(2) / 18446744073709551616), thinks.at(number(3) / 18446744073709551616)]
        assert pace.due(call, 0.0) == pytest.approx(first_s + sum(parts))


@pytest.mark.parametrize("pacing", list(Pacing))
def test_times_are_drawn_from_their_distribution(pacing: Pacing) -> None:
    """By seed; in a schedule those of the answers, too, which a closed client waits for."""
    call = CallTemplate("c", "p", "m", {}, Timing(Count(1.0), (0.5, 1.0, 3.0), Count(1.0), (0.8, 1.0, 4.0)))
    pace, again = (Pace(pacing, {}, seeds=Seeds(3)) for _ in range(2))
    due_s = [pace.due(call, 0.0) for _ in range(4000)]
    assert [again.due(call, 0.0) for _ in range(3)] == due_s[:3]
    if pacing is Pacing.CLOSED:
        assert median(due_s) == pytest.approx(1.0, abs=0.05)
        assert 0.5 <= min(due_s) < 0.6
        assert 2.9 < max(due_s) <= 3.0
        return
    gaps_s = [after - before for before, after in pairwise(due_s)]
    assert sum(gaps_s) / len(gaps_s) == pytest.approx(call.timing.mean_s({}), rel=0.03)
    assert min(gaps_s) >= 1.3
    assert max(gaps_s) > 5


def test_a_plan_without_service_times_is_played_closed_and_says_so() -> None:
    """Unless a schedule is asked for; with them a schedule is the default."""
    assert pacing_of(None, None) == (Pacing.SCHEDULED, None)
    assert pacing_of(None, Pacing.CLOSED) == (Pacing.CLOSED, None)
    pacing, remark = pacing_of("client.look", None)
    assert pacing is Pacing.CLOSED
    assert remark is not None
    assert "client.look" in remark


def test_planned_moments_are_the_sums_of_the_steps() -> None:
    """The first answer, and the last."""
    plan = steps(Timing(Count(0.2), service=Count(0.1)))
    moments = planned_moments(plan.workload.node_types[0], plan.scale, 2.0)
    assert moments == {Moment.STARTED: pytest.approx(0.15), Moment.FINISHED: pytest.approx(STEPS * 0.3 / 2)}


def test_of_nodes_in_turn_the_mean_is_planned(hadoop: Hadoop) -> None:
    """A stall in the first client's time holds up the second, whose calls are late from their plan."""
    plan = steps(Timing(Count(EVERY_S), service=Count(0.0)), clients=2, start=StartRule(pause_s=0.5))
    assert played(plan, hadoop.schema(), Pacing.SCHEDULED).from_intended.max_us <= 1
    series = played(plan, hadoop.schema(), Pacing.SCHEDULED, STALL)
    late_s = sorted(END_OF_STALL_S - (5.5 + (n + 1) * EVERY_S) for n in range(4))
    own = [each for each in _us(series.from_intended) if 0 < each < 0.9e6]
    assert own == pytest.approx([each * 1e6 for each in late_s], rel=2e-3)
    (client,) = plan.workload.node_types
    (loop,) = client.steps
    assert isinstance(loop, Repeat)
    dealt = replace(client, steps=(replace(loop, times=Count(0, {"node": 2})),))
    assert planned_moments(dealt, plan.scale, 1.0, 3)[Moment.FINISHED] == pytest.approx(2 * EVERY_S)
    assert planned_moments(dealt, plan.scale, 2.0, 3)[Moment.FINISHED] == pytest.approx(EVERY_S)
    assert planned_moments(dealt, plan.scale, 1.0) == planned_moments(dealt, plan.scale, 1.0, 1)
