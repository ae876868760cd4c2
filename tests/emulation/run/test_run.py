"""The Run: figures, verdicts, and closure."""

from __future__ import annotations

import pytest

from froude.emulation.notes import NODE_REFUSED, UNSENT, UNSERVED
from froude.emulation.run.bottleneck import CPU, LimitedBy, Load, Measured
from froude.emulation.run.run import Difference, Latency, Run, closure
from froude.emulation.run.tally import Tally
from froude.emulation.run.verdict import Colour, LimitResult
from froude.hadoop.metrics.threads import COMPILER
from tests.support.experiment.main_jobs import a_run, a_run_of_yarn


def test_figures(run: Run) -> None:
    """Latency from intended and actual time, throughput, errors, lateness."""
    assert run.latency("create", Latency.RESPONSE).max_ms == 10.0
    assert run.latency("create", Latency.SERVICE).max_ms == 5.0
    assert run.latency().count == 3
    assert run.throughput() == 1.5
    assert run.throughput("delete") == 0.5
    assert run.errors == {"delete": {"java.io.IOException": 1}}
    assert run.lateness.max_ms == 4.0


def test_a_run_answers_with_what_its_pacing_measures(run: Run) -> None:
    """A schedule with response times; closed clients with service times, and those corrected beside them."""
    assert run.latency("create").max_ms == 5.0
    run.tally.of("create").held_up[(5_000, 1_000)] += 1
    corrected = run.latency("create", Latency.CORRECTED)
    assert corrected.count == 2 + 4  # 4, 3, 2 and 1 ms: the calls that one every 1 ms would have added
    assert corrected.max_ms == 5.0
    run.pacing = "scheduled"
    assert run.latency("create").max_ms == 10.0


@pytest.mark.parametrize(("timers", "limit"), [(100, LimitedBy.UNKNOWN), (3000, LimitedBy.PLAYER)])
def test_of_few_timers_the_worst_are_the_start_alone(timers: int, limit: LimitedBy) -> None:
    """One in fifty late by a second: of a hundred that is the beginning, of thousands it is the player."""
    tally = Tally()
    tally.lags += [1.0 if number % 50 == 0 else 0.0 for number in range(timers)]
    tally.close_interval(1.0)
    load = [Load(float(s), 0.2, 1, 1, 0) for s in range(6)]
    assert Run(tally, "nn:1", "CID-1", 0.0, 6.0, load=load).bottleneck.by is limit


def test_closure_names_what_differs(run: Run) -> None:
    """Equal counts differ nowhere, errors counted by their class as a NameNode does; others are named."""
    assert closure(run, {"create": 5}, {"create": 7, "iOException": 1}) == []
    differences = closure(run, {}, {"create": 1, "iOException": 1, "mkdirs": 4})
    assert differences == [Difference("create", 2, 1), Difference("mkdirs", 0, 4)]


def test_a_call_sent_again_may_have_arrived_more_than_once(run: Run) -> None:
    """The daemon counts what reaches it: between once and as often as it was sent."""
    run.tally.of("create").resent = 2
    for counted in (2, 3, 4):
        assert closure(run, {}, {"create": counted, "iOException": 1}) == []
    for counted in (1, 5):
        assert closure(run, {}, {"create": counted, "iOException": 1}) == [Difference("create", 2, counted)]


def test_questions_count_as_a_target_counts_them(run: Run) -> None:
    """An answered one by its method, a refused one by its error; of one whose connection was lost nobody knows."""
    run.tally.questions.update({"versionRequest": 4})
    run.tally.identifications.update({"versionRequest": 2, "org.apache.hadoop.ipc.RetriableException": 1})
    seen = {"create": 2, "iOException": 1, "retriableException": 1}
    for counted in (2, 4):
        assert closure(run, {}, {**seen, "versionRequest": counted}) == []
    for counted in (1, 5):
        differences = closure(run, {}, {**seen, "versionRequest": counted})
        assert differences == [Difference("versionRequest", 2, counted)]


def test_calls_of_which_no_daemon_had_one_are_in_the_verdict() -> None:
    """A method that was due and never sent is in no daemon's part."""
    run = a_run_of_yarn()
    run.tally.notes.update({f"{UNSENT}create": 1, f"{UNSENT}renewLease": 3})
    run.tally.of("getEditLogManifest").errors["java.io.IOException"] += 2
    reasons = run.verdict.reasons
    assert "NameNode: 1 call due and not sent before the end" in reasons
    assert "3 calls due and not sent before the end" in reasons
    assert "2 calls failed that did not fail when recorded" in reasons


def test_each_daemon_has_a_part() -> None:
    """Its calls, latency, failures and limits, its CPU and a verdict on these alone; the whole names whose each is."""
    run = a_run_of_yarn()
    run.tally.notes.update({f"{UNSENT}create": 3, f"{NODE_REFUSED}SHUTDOWN": 1, UNSERVED: 1})
    run.limits = [
        LimitResult("p99(nodeHeartbeat) < 1 ms", 0.002, "s", False),
        LimitResult("p99 < 1 s", 0.05, "s", True),
    ]
    assert run.daemons == ("resourcemanager", "namenode")
    namenode, manager = run.parts["namenode"], run.parts["resourcemanager"]
    assert (namenode.counts, manager.counts) == ({"create": (4, 4)}, {"nodeHeartbeat": (40, 40)})
    assert [round(part.latency().p99_ms) for part in (namenode, manager)] == [50, 2]
    assert [part.throughput() for part in (namenode, manager)] == [1.0, 10.0]
    assert [part.bottleneck.target_share for part in (namenode, manager)] == pytest.approx([0.1, 0.6])
    assert (namenode.verdict.colour, manager.verdict.colour) == (Colour.AMBER, Colour.RED)
    assert namenode.verdict.reasons == (
        "1 call failed that did not fail when recorded",
        "3 calls due and not sent before the end",
    )
    assert manager.verdict.reasons == (
        "limit not kept: p99(nodeHeartbeat) < 1 ms: 2 ms",
        "1 node refused by the target",
    )
    reasons = run.verdict.reasons
    assert "NameNode: 3 calls due and not sent before the end" in reasons
    assert "ResourceManager: 1 node refused by the target" in reasons
    assert namenode.parts == {}


def test_a_run_of_one_daemon_has_no_parts() -> None:
    """Nothing is said twice; and of a ResourceManager alone nothing is said of a NameNode."""
    run = a_run_of_yarn(namenode=False)
    assert (run.daemons, run.parts) == (("resourcemanager",), {})
    assert str(run.bottleneck) == "neither: the ResourceManager used 60% of a core, the player was not seen"
    assert "NameNode" not in f"{run.verdict} {run.summary()}"
    assert (a_run().daemons, a_run().parts) == ((), {})


def test_the_fullest_queue_of_all_daemons_counts() -> None:
    """A limit on waiting calls is one on the daemon that has most of them."""
    values = {"RpcActivity.CallQueueLength": 3.0, "RMRpcActivity.CallQueueLength": 9.0}
    assert a_run_of_yarn(metrics=[Measured(1.0, values)]).call_queue == 9.0
    assert a_run_of_yarn(namenode=False, metrics=[Measured(1.0, values)]).call_queue == 9.0
    assert a_run(metrics=[Measured(1.0, values)]).call_queue == 3.0


def test_cores_and_compiler_of_the_target() -> None:
    """Cores are those that its JVM names, else the machine's; the compiler's share is of its CPU time."""
    run = a_run(metrics=[Measured(2.0 * s, {CPU: 1.0 * s, COMPILER: 0.25 * s}) for s in range(4)])
    assert run.compiler_share == 0.25
    assert (run.target_cores, run.mode) == (run.cores, "once")
    run.environment = {"cores of the target": "8"}
    assert run.target_cores == 8


@pytest.mark.parametrize(
    ("counts", "registered", "lost"),
    [
        # Live, stale and dead DataNodes, from sample to sample; the first is of before the play.
        ([(0, 0, 0), (20, 0, 0), (20, 3, 0), (19, 1, 1)], 20, 3),
        ([(0, 0, 20), (20, 0, 20), (20, 0, 20)], 20, 0),  # dead ones of an earlier play
        (
            [(20, 20, 0), (20, 20, 0), (20, 0, 0)],
            20,
            0,
        ),  # its own names, counted as stale until the next count
        ([(20, 20, 0), (20, 20, 0), (20, 0, 0), (20, 2, 0)], 20, 2),
        ([(20, 0, 0), (30, 0, 0), (30, 20, 0)], 10, 0),  # those of an earlier play that fall silent now
        ([(20, 0, 0), (30, 0, 0), (30, 22, 0)], 10, 2),
        ([(3, 0, 0), (13, 0, 0), (13, 1, 0)], 10, None),  # its own, or one of those that were there
        ([(3, 0, 0), (3, 0, 0), (3, 3, 0)], 0, None),
        ([(3, 0, 0), (3, 0, 0)], 0, 0),
    ],
)
def test_datanodes_lost_are_those_of_the_play(
    counts: list[tuple[int, int, int]], registered: int, lost: int | None
) -> None:
    """Not those that an earlier play left; where either may be, nothing is known."""
    names = [f"FSNamesystemState.Num{how}DataNodes" for how in ("Live", "Stale", "Dead")]
    samples = [
        Measured(s - 0.5, dict(zip(names, map(float, each), strict=True))) for s, each in enumerate(counts)
    ]
    run = a_run(metrics=samples)
    run.tally.ramp.of("registerDatanode", "namenode").answered = registered
    assert run.datanodes_lost == lost
    assert a_run(metrics=[]).datanodes_lost is None
