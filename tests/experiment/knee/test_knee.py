"""How far a NameNode scales, with plays whose outcome is known."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import Any, cast

import pytest

from froude.base.errors import InputError
from froude.emulation.limits import parse_limit
from froude.emulation.notes import LEFT_OUT
from froude.emulation.run.bottleneck import CPU, Measured
from froude.emulation.run.run import Run
from froude.experiment.knee import knee as module
from froude.experiment.knee.knee import Knee, Status, knee, prepare
from froude.experiment.knee.loads import SPEED, first_scale
from froude.experiment.knee.search import Outcome
from froude.experiment.scenario.options import KneeOptions, KneeSearch, Load, PlayOptions
from froude.workload.plan import Plan
from froude.workload.scale import Scale
from froude.workload.types import Recorded
from testbed.plans import workload
from tests.support.experiment.knees import two_plays
from tests.support.experiment.main_jobs import a_run

SCALES = (Scale.of(datanodes=2, clients=1, files=2), Scale.of(datanodes=3, clients=2, files=1))
LOST = "FSNamesystemState.NumDeadDataNodes"
WORKLOAD = replace(workload(("CID-1",)), recorded=Recorded(SCALES, ("CID-1",)))


Plays = list[tuple[Plan, PlayOptions]]


@pytest.fixture(autouse=True)
def plays(monkeypatch: pytest.MonkeyPatch) -> Plays:
    """Stands in for plays: of at most 40 clients at recorded speed the limits are kept, each on a warm NameNode."""
    asked: Plays = []

    def play(plan: Plan, _: object, options: PlayOptions) -> Run:
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
    monkeypatch.setattr(module, "warm_up", lambda *_: 0)
    return asked


def found(at: Any = None, search: Any = None, **more: Any) -> Knee:
    """A search with such choices."""
    options = KneeOptions(**{"repeats": 2, "knee": KneeSearch(**(search or {})), **more})
    return knee(WORKLOAD, cast("Any", nullcontext), options, at=at)


def test_the_knee_is_found_in_whole_nodes(plays: Plays) -> None:
    """Raised together; every play of its own seed; the answer says up to where, and what broke."""
    result = found(search={"raise_": ["clients"], "resolution": 0.01})
    assert result.status is Status.FOUND
    assert "up to clients=40, datanodes=3, files=2" in result.answer.replace(
        "datanodes=3, clients=40", "clients=40, datanodes=3"
    )
    assert "clients=41" in result.answer
    assert "p99 < 1 s broke (3 s)" in result.answer
    assert "p99 < 1 s broke (3 s) in 2 of 2 plays, and neither NameNode nor player was busy" in result.answer
    assert result.confidence == "limits kept in 2 of 2 plays at clients=40, and in 0 of 2 plays at clients=41"
    assert "The load hardly grew: 2 to 2 calls/s while clients grew 20 times" in result.remarks[0]
    assert [options.seed for _, options in plays] == list(range(len(plays)))
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
    assert result.answer.startswith("Not settled: kept at ")


def test_a_busy_machine_is_no_knee(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the player was late, the target may have been good for more."""
    play = module.play

    def late(*args: Any, **more: Any) -> Run:
        run = play(*args, **more)
        run.tally.lag.add([0.5] * 5000)
        return run

    monkeypatch.setattr(module, "play", late)
    result = found()
    assert result.status is Status.AT_LEAST
    assert {play.outcome for play in result.plays} == {Outcome.KEPT, Outcome.UNCLEAR}
    assert "the player was the limit, not the NameNode" in result.answer


def test_a_load_that_broke_in_some_plays_only_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of two plays at the upper side kept every limit: the machine was busy in the other."""
    two = two_plays()
    broke = two.plays[1]
    busy = replace(broke, outcome=Outcome.UNCLEAR, run=broke.run.model_copy(update={"bottleneck": "machine"}))
    held = [result.model_copy(update={"held": True}) for result in broke.run.limits]
    kept = replace(broke, outcome=Outcome.KEPT, run=broke.run.model_copy(update={"limits": held}))
    result = replace(two, plays=(two.plays[0], busy, kept), status=Status.AT_LEAST)
    assert result.answer == (
        "At least clients=2 (2 calls/s): at clients=4, p99 < 1 s broke (3 s) in 1 of 2 plays, "
        "and the machine was busy with other work."
    )
    assert result.confidence == "limits kept in 1 of 1 play at clients=2, and in 1 of 2 plays at clients=4"


def test_an_answer_of_a_slow_jvm_says_so() -> None:
    """Flags for a quick start keep it from full speed."""
    flags = "-Xmx953m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xshare:auto"
    (remark,) = replace(two_plays(), environment={"JVM flags": flags}).remarks
    assert "(-XX:TieredStopAtLevel=1 -XX:+UseSerialGC)" in remark
    assert replace(two_plays(), environment={"JVM flags": "-Xmx4096m -XX:+UseSerialGC"}).remarks == ()
