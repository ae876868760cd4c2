"""How far a NameNode scales, with plays whose outcome is known."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any, cast

import pytest

from froude.base.errors import InputError
from froude.base.progress import Task
from froude.emulation.limits import parse_limit
from froude.emulation.notes import LEFT_OUT
from froude.emulation.run.bottleneck import CPU, Measured
from froude.emulation.run.bottleneck import Load as Load_
from froude.emulation.run.run import Run
from froude.emulation.settings import Mode
from froude.experiment.knee import knee as module
from froude.experiment.knee import stage
from froude.experiment.knee.answer import Knee, Status
from froude.experiment.knee.knee import headroom, knee, prepare
from froude.experiment.knee.loads import SPEED, first_scale
from froude.experiment.knee.search import Outcome
from froude.experiment.scenario.options import KneeOptions, KneeSearch, Load, PlayOptions
from froude.hadoop.metrics.threads import COMPILER
from froude.workload.plan import Plan
from froude.workload.scale import Scale
from froude.workload.types import Recorded, StartRule
from testbed.plans import workload
from testbed.virtual_clock import VirtualClock
from tests.support.experiment.main_jobs import a_run

SCALES = (Scale.of(datanodes=2, clients=1, files=2), Scale.of(datanodes=3, clients=2, files=1))
LOST = "FSNamesystemState.NumDeadDataNodes"
WORKLOAD = replace(workload(("CID-1",)), recorded=Recorded(SCALES, ("CID-1",)))


Plays = list[tuple[Plan, PlayOptions]]


@pytest.fixture(autouse=True)
def plays(monkeypatch: pytest.MonkeyPatch) -> Plays:
    """Stands in for plays: of at most 40 clients at recorded speed the limits are kept, on a quiet machine."""
    asked: Plays = []

    def play(plan: Plan, _: object, options: PlayOptions, **_shown: object) -> Run:
        asked.append((plan, options))
        speed = options.load.speed
        load = float(plan.scale["clients"].value) * speed
        metrics = [Measured(float(s), {CPU: 0.1 * s, LOST: 0.0}) for s in range(4)]
        scale = {name: str(quantity) for name, quantity in plan.scale.items()}
        run = a_run(scale=scale, metrics=metrics, speed=speed)
        run.tally.of("create").errors.clear()
        run.tally.of("create").from_actual.add([0.001 if load <= 40 else 3.0] * 10)
        run.limits = [parse_limit(text).check(run) for text in options.limits]
        return run

    monkeypatch.setattr(module, "play", play)
    monkeypatch.setattr(stage, "busy_cores", lambda: 0.0)
    return asked


class Lines:
    """Progress that keeps the lines of results."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def task(self, label: str, total: float | None = None) -> AbstractContextManager[Task]:
        """One task for all."""
        _ = label, total
        return nullcontext(self)

    def advance(self, by: float = 1) -> None:
        """Nothing is shown."""

    def say(self, text: str) -> None:
        """Nothing is shown."""

    def result(self, text: str) -> None:
        """A line."""
        self.lines.append(text)


def found(at: Any = None, search: Any = None, clock: Any = None, progress: Any = None, **more: Any) -> Knee:
    """A search with such choices."""
    options = KneeOptions(**{"repeats": 2, "knee": KneeSearch(**(search or {})), **more})
    return knee(WORKLOAD, cast("Any", nullcontext), options, at=at, clock=clock, progress=progress)


def test_the_knee_is_found_in_whole_nodes(plays: Plays) -> None:
    """Raised together; every play of one seed and kept up; the answer says up to where, and what broke."""
    result = found(search={"raise_": ["clients"], "resolution": 0.01})
    assert result.status is Status.FOUND
    assert "up to 2 calls/s (datanodes=3, clients=40, files=2); at clients=41, " in result.answer
    assert "clients=41" in result.answer
    assert "p99 < 1 s broke (3 s)" in result.answer
    assert "p99 < 1 s broke (3 s) in 2 of 2 plays, and neither NameNode nor player was busy" in result.answer
    assert result.confidence == "limits kept in 2 of 2 plays at clients=40, and in 0 of 2 plays at clients=41"
    assert result.remarks[0] == (
        "Of the loads that were played, p99 stayed below 10 ms, 100 ms and 1 s up to 2 calls/s (clients=40)."
    )
    assert {options.seed for _, options in plays} == {0}
    assert {(options.load.mode, options.load.duration_s, options.load.measure_s) for _, options in plays} == {
        (Mode.POPULATION, 75.0, 15.0)
    }
    assert {plan.scale["datanodes"].value for plan, _ in plays} == {3}
    assert "files rose with clients in every recording" in result.plan_remarks[0]


def test_the_speed_can_be_raised(plays: Plays) -> None:
    """The Scale stays."""
    result = found(search={"raise_": [SPEED]}, load=Load(speed=2.0))
    assert result.status is Status.FOUND
    assert {str(plan.scale) for plan, _ in plays} == {str(first_scale(WORKLOAD, {}))}
    assert result.low is not None
    assert 17 <= 2 * result.low <= 20
    assert "speed=" in result.answer


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"limits": ["p99(nosuch) < 1 s"]}, "--limit: .*found nosuch"),
        ({"at": {"files": -1}}, "client: "),
        ({"at": {"datanodes": 1e12}}, r"nodes\.datanode\.count: .* --max nodes="),
        ({"load": Load(speed=1e5), "search": {"raise_": ["speed"], "most": 100}}, r"speed: is out of range"),
    ],
)
def test_a_search_that_could_only_fail(more: dict[str, Any], message: str, plays: Plays) -> None:
    """It is refused before anything is started, and alike by what a dry run asks."""
    with pytest.raises(InputError, match=message):
        found(**more)
    at, search = more.pop("at", None), more.pop("search", {})
    with pytest.raises(InputError, match=message):
        prepare(WORKLOAD, KneeOptions(knee=KneeSearch(**search), **more), at=at)
    assert not plays


def test_no_limit_broke(plays: Plays) -> None:
    """Said as at least, never as a knee."""
    result = found(search={"most": 4})
    assert result.status is Status.OPEN
    assert result.answer.startswith("At least ")
    assert len(plays) == 4
    assert {each.level for each in result.plays} == {1, 2, 4}


def test_the_first_load_breaks() -> None:
    """And so does every smaller one."""
    result = found(limits=("p99 < 1 us",))
    assert result.status is Status.BELOW
    assert result.answer.startswith("Less than ")


def test_a_limit_leaves_the_defaults_on_other_measures(
    plays: Plays,
) -> None:
    """They are kept to, and the answer lists them."""
    result = found(limits=("p99(create) < 5 s",), search={"most": 1}, repeats=1)
    assert result.limits == ("p99(create) < 5 s", "p99 < 1 s", "error_rate < 1 %", "datanodes_lost < 1")
    assert plays[0][1].limits == result.limits


def test_a_load_that_is_not_what_it_says_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls that were left out would make it lighter."""
    run = a_run()
    run.tally.notes[f"{LEFT_OUT}client.e1 create"] += 3
    monkeypatch.setattr(module, "play", lambda *_, **__: run)
    with pytest.raises(
        InputError, match=r"cannot be played as planned.*3 calls without a value.*froude review"
    ):
        found()


def test_an_interrupt_keeps_what_was_played(plays: Plays, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not settled, and says so."""
    play = module.play

    def interrupted(*args: Any, **more: Any) -> Run:
        run = play(*args, **more)
        run.interrupted = len(plays) == 3
        return run

    monkeypatch.setattr(module, "play", interrupted)
    result = found()
    assert (result.status, result.interrupted, len(result.plays)) == (Status.UNSETTLED, True, 2)
    assert result.answer.startswith("Interrupted after 2 plays: at least 2 calls/s (")


def test_where_the_player_was_the_limit_no_smaller_load_is_tried(
    plays: Plays, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The target may have been good for more: at least what was kept, and what is known after one play."""
    play = module.play

    def late(*args: Any, **more: Any) -> Run:
        run = play(*args, **more)
        run.tally.lag.add([0.5] * 5000)
        return run

    monkeypatch.setattr(module, "play", late)
    result = found()
    assert result.status is Status.AT_LEAST
    assert [play.outcome for play in result.plays].index(Outcome.UNCLEAR) == len(plays) - 1
    assert "the player was the limit, not the NameNode" in result.answer
    plays.clear()
    result = found(at={"clients": 64})
    assert (result.status, len(plays)) == (Status.MASKED, 1)
    assert result.answer.startswith("Not known, since the player was the limit; let more processes play")


def test_a_player_without_cpu_left_is_asked_for_no_more(
    plays: Plays, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its load is kept all the same, and repeated."""
    play = module.play

    def full(*args: Any, **more: Any) -> Run:
        run = play(*args, **more)
        run.load = [Load_(float(s), 0.95, 1, 1, 0, 0.6) for s in range(1, 5)]
        return run

    monkeypatch.setattr(module, "play", full)
    result = found()
    assert (result.status, len(plays), result.low, result.high) == (Status.OPEN, 2, 1.0, None)
    assert result.answer.endswith("(datanodes=3, clients=2, files=2): the player had no CPU left for more.")


def test_a_first_play_that_broke_while_the_jvm_compiled_does_not_count(
    plays: Plays, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same load is played again, once, on the same NameNode."""
    play = module.play

    def cold(*args: Any, **more: Any) -> Run:
        run = play(*args, **more)
        run.mode = "population"
        run.metrics = [replace_cpu(each, 0.5 if len(plays) == 1 else 0.01) for each in run.metrics]
        if len(plays) == 1:
            run.tally.of("create").from_actual.add([3.0] * 10)
            run.limits = [parse_limit(text).check(run) for text in args[2].limits]
        return run

    monkeypatch.setattr(module, "play", cold)
    result = found(search={"most": 1}, repeats=1)
    assert (len(plays), len(result.plays), result.status) == (2, 1, Status.OPEN)


def replace_cpu(sample: Measured, share: float) -> Measured:
    """A sample with so much of the target's CPU time used by its compiler."""
    return sample._replace(values={**sample.values, COMPILER: share * sample.values[CPU]})


def test_on_a_busy_machine_the_search_ends_after_one_play(
    plays: Plays, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By what the machine does while nothing is played, with the way out."""
    monkeypatch.setattr(stage, "busy_cores", lambda: 1.5)
    result = found(at={"clients": 64})
    assert (result.status, len(plays)) == (Status.MASKED, 1)
    assert result.answer.startswith(
        "Not known, since other work used 1.5 of this machine's cores; stop that work"
    )
    assert "Other work used up to 1.5 of this machine's cores before or after the play" in " ".join(
        result.remarks
    )


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> VirtualClock:
    """The time, of plays that take as long as they may."""
    clock, play = VirtualClock(), module.play

    def slow(*args: Any, **more: Any) -> Run:
        clock.sleep(args[2].load.duration_s)
        return play(*args, **more)

    monkeypatch.setattr(module, "play", slow)
    return clock


def test_time_is_limited(plays: Plays, clock: VirtualClock) -> None:
    """A play gets what time is left, and none begins that could not be measured in it; the answer names the limit."""
    shown = Lines()
    result = found(clock=clock, time_limit_s=120, progress=shown)
    assert [options.load.duration_s for _, options in plays] == [75.0, 45.0]
    assert (result.status, result.interrupted) == (Status.UNSETTLED, False)
    assert result.answer.startswith("Ended by the time limit of 120 s after 2 plays: at least 2 calls/s (")
    assert result.answer.endswith(". A longer `--time-limit` lets the search go on.")
    assert not any("time limit" in text for text in result.remarks)
    assert "; next " in shown.lines[0]
    assert shown.lines[1].endswith("; the time limit ends the search")


def test_a_first_play_is_bounded_by_the_time_limit(plays: Plays, clock: VirtualClock) -> None:
    """Its warm-up is shorter then; and where the JVM compiled it counts, since there is no time for another."""
    result = found(clock=clock, time_limit_s=40)
    assert [options.load.duration_s for _, options in plays] == [40.0]
    assert result.answer.startswith("Ended by the time limit of 40 s after 1 play: ")


def test_a_time_limit_below_the_shortest_play_is_refused(plays: Plays) -> None:
    """Before anything is started, and by what a dry run asks."""
    with pytest.raises(
        InputError, match=r"--time-limit: is shorter than the shortest play; found 27 s; allowed: 28 s"
    ):
        prepare(WORKLOAD, KneeOptions(time_limit_s=27))
    assert not plays


def test_clients_that_arrive_are_no_load_of_a_search() -> None:
    """It raises how many are at work."""
    with pytest.raises(InputError, match=r"load\.mode: is no load of a search"):
        KneeOptions(load=Load(mode=Mode.ARRIVALS, clients_per_s=1))


def test_a_job_of_commands_one_after_another_is_played_once_each(plays: Plays) -> None:
    """Faster and faster, each play with a seed and a target of its own."""
    datanode, client = WORKLOAD.node_types
    in_turn = replace(client, start=StartRule(pause_s=0.001))
    result = knee(
        replace(WORKLOAD, node_types=(datanode, in_turn)),
        cast("Any", nullcontext),
        KneeOptions(repeats=1, knee=KneeSearch(raise_=("speed",), most=4)),
    )
    assert result.status is Status.OPEN
    assert {options.load.mode for _, options in plays} == {Mode.ONCE}
    assert [options.seed for _, options in plays] == list(range(len(plays)))
    assert result.once == "the plan has no node type of which several work in parallel and end"
    assert (
        f"Clients are played once at each load, on a target started for each play: {result.once}."
        in result.remarks
    )


def test_what_changes_a_search_is_stated_before_its_first_play(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients that are played once, with the reason, and other work on the machine; each once."""
    monkeypatch.setattr(stage, "busy_cores", lambda: 1.5)
    datanode, client = WORKLOAD.node_types
    second = replace(client, name="second", start=StartRule(after=client.name))
    shown = Lines()
    knee(
        replace(WORKLOAD, node_types=(datanode, client, second)),
        cast("Any", nullcontext),
        KneeOptions(repeats=1, knee=KneeSearch(most=2)),
        progress=shown,
    )
    once, others, first, *_ = shown.lines
    assert once.startswith("Clients are played once at each load, ")
    assert (
        "second waits for the end of client. With `follows: client` and `pause_s` in its start rule" in once
    )
    assert others.startswith("Other work uses 1.5 of ")
    assert "kept, limited by " in first
    assert "(other work used 1.5 of this machine's cores; stop that work" in first
    assert not any(line in {once, others} for line in shown.lines[2:])


@pytest.mark.parametrize(("share", "machine", "times"), [(0.1, 0.2, 4.25), (0.85, 0.5, 1.0), (0.0, 0.0, 2.0)])
def test_the_headroom_of_a_play(share: float, machine: float, times: float) -> None:
    """By the busier of player and machine, once it is measured."""
    run = a_run()
    run.tally.steady_from_s = 1.0
    run.load = [Load_(0.5, 1.0, 1, 1, 0, 1.0), *[Load_(2.0, share, 1, 1, 0, machine)] * 3]
    assert headroom(run) == pytest.approx(times)
