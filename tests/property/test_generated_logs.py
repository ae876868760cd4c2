"""Generated logs of known truth: what is there is found, what cannot be found is asked, and nothing false is said.

Systems of known pattern (`tests.support.mining.generated`) run at three Scales and are mined; the workload is held
against a run at twice the largest of each size. A value or a sequence that comes out wrong without a question, finding
or refusal is a fault of the miner.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from froude.mining.check.prediction import Prediction, predict_recording
from froude.mining.pipeline import mine_recordings
from froude.workload.types import Flow, Side, Template, Which, Workload
from froude.workload.walk import repeats, templates
from tests.support.mining.generated import (
    Argument,
    Beat,
    Call,
    Loop,
    System,
    answered,
    below,
    index,
    last_part,
    length,
    lossy,
    named,
    nonce,
    previous,
    record,
    same,
    size,
)
from tests.support.mining.systems import Experiment, experiments
from tests.support.seeds import examples

SCALES = (
    {"clients": 2, "files": 3, "blocks": 5},
    {"clients": 3, "files": 2, "blocks": 4},
    {"clients": 4, "files": 5, "blocks": 8},
)
"""No count below is a line in another variable."""
HELD_OUT = {"clients": 8, "files": 10, "blocks": 16}
Sizes = Mapping[str, int]


def files(sizes: Sizes) -> int:
    """A loop over files."""
    return sizes["files"]


def system(*body: Call | Loop, beat: Beat | None = None, first_id: int = 20_000) -> System:
    """Clients that open a session, do something for each file, and close."""
    think_s = 0.05 if beat is None else 0.3
    steps = (
        Call("open", {"name": named("user")}, ("id", "path")),
        Loop("f", files, body),
        Call("close", {"session": answered("open")}, ("ok",)),
    )
    return System(lambda sizes: sizes["clients"], steps, beat, think_s=think_s, first_id=first_id)


def create(**arguments: Argument) -> Call:
    """The first call for each file."""
    return Call("create", {"path": named("/data", "f"), **arguments}, ("id", "path", "span"))


def blocks(times: str, **arguments: Argument) -> Loop:
    """A loop over the blocks of a file: one call each."""
    count = {
        "blocks": lambda sizes: sizes["blocks"],
        "2*blocks + 1": lambda sizes: 2 * sizes["blocks"] + 1,
        "ceil((blocks) / 2)": lambda sizes: -(-sizes["blocks"] // 2),
    }[times]
    return Loop("b", count, (Call("add", {"file": answered("create"), **arguments}, ("id",)),))


def mined(
    made: System, scales: Sequence[Sizes] = SCALES, held_out: Sizes = HELD_OUT, *, lost: float = 0.0
) -> tuple[Workload, Prediction]:
    """What is mined from runs at some Scales, and what that predicts of one more."""
    runs = [record(made, number, **sizes) for number, sizes in enumerate(scales)]
    if lost:
        runs = [lossy(run, lost, number) for number, run in enumerate(runs)]
    workload = mine_recordings(runs)
    return workload, predict_recording(workload, record(made, 99, **held_out))


def rule(workload: Workload, method: str, argument: str) -> object:
    """The rule of an argument of the only call of a method."""
    (found,) = (call for node in workload.node_types for call in templates(node) if call.method == method)
    return found.arguments[argument]


@pytest.mark.parametrize(
    ("times", "first_id"), [("blocks", 1), ("2*blocks + 1", 20_000), ("ceil((blocks) / 2)", 1)]
)
def test_nested_loops_and_what_flows_between_them(times: str, first_id: int) -> None:
    """Counts in two variables, ids from answers, those of the round before, and paths below answered ones.

    The ids are others in every run, senders begin in another order, and their calls interleave.
    """
    body = (
        create(session=answered("open"), copies=same(3), number=index("f", 2, 1)),
        blocks(times, before=previous("add"), number=index("b"), at=below("create", index("b"))),
        Call("seal", {"file": answered("create"), "last": answered("add"), "of": size("files")}, ("ok",)),
    )
    workload, prediction = mined(system(*body, first_id=first_id))
    (node,) = workload.node_types
    assert [str(node.count), *(str(loop.times) for loop in repeats(node.steps))] == [
        "clients",
        "files",
        times,
    ]
    assert (prediction.sequence_share, prediction.row("all").share, prediction.invented) == (1.0, 1.0, 0)
    last = rule(workload, "seal", "last")
    assert isinstance(last, Flow)
    assert (last.side, last.path) == (Side.RESPONSE, "id")
    assert isinstance(rule(workload, "create", "path"), Template)
    session = rule(workload, "close", "session")
    assert isinstance(session, Flow)
    assert session.which in {Which.SAME, Which.FIRST, Which.LAST}


def test_a_call_of_real_time_is_told_from_the_loops() -> None:
    """By its regular gaps, though they jitter: with its period, and the rest as if it were not there."""
    beat = Beat("beat", 0.5, 0.02)
    workload, prediction = mined(system(create(), blocks("blocks"), beat=beat))
    (node,) = workload.node_types
    (periodic,) = node.periodic
    assert periodic.call.method == "beat"
    assert abs(periodic.every_s - beat.every_s) < beat.jitter_s
    assert (prediction.sequence_share, prediction.row("all").share) == (1.0, 1.0)


def test_what_another_node_causes_is_relocated() -> None:
    """An answer to one node names another, which then takes the thing: how often follows from the answers."""
    offer = Call("offer", {"path": named("/data", "f")}, ("id", "taker"))
    made = replace(system(offer), takers=True)
    scales = [{**sizes, "takers": takers} for sizes, takers in zip(SCALES, (2, 3, 5), strict=True)]
    workload, prediction = mined(made, scales, {**HELD_OUT, "takers": 8})
    (effect,) = (effect for node in workload.node_types for effect in node.effects)
    assert (effect.call.method, effect.owner) == ("take", "name")
    (counted,) = prediction.effects
    assert counted.expected == counted.seen == HELD_OUT["clients"] * HELD_OUT["files"]
    assert (prediction.sequence_share, prediction.row("all").share) == (1.0, 1.0)


@pytest.mark.parametrize(
    "argument", [nonce(), last_part("create"), length("create")], ids=["nonce", "part", "length"]
)
def test_what_is_not_found_is_asked_or_generated(argument: Argument) -> None:
    """Random values, and what is made of answers in ways that no rule has: never a wrong value."""
    workload, prediction = mined(system(create(), Call("seal", {"odd": argument}, ("ok",))))
    assert prediction.sequence_share == 1.0
    assert (prediction.silent_share, prediction.silent_sequences) == (0.0, 0)
    asked = {question.path for question in workload.questions}
    missed = {miss.path for miss in prediction.misses}
    assert missed <= {"odd"}
    assert missed <= asked or all(miss.outcome.value == "generated" for miss in prediction.misses)


def test_other_ids_senders_and_orders_give_the_same_workload() -> None:
    """All that differs between two recordings of one job at one size is no part of the pattern."""
    made = system(create(session=answered("open")), blocks("blocks", before=previous("add")))
    runs = [record(made, number, **sizes) for number, sizes in enumerate(SCALES)]
    again = [record(made, 50 + number, **sizes) for number, sizes in enumerate(SCALES)]
    shuffled = []
    for run in again:
        names = sorted({event.client for event in run.events})
        random.Random(1).shuffle(names)
        new = {name: f"{number:032x}" for number, name in enumerate(names)}
        shuffled.append(replace(run, events=tuple(replace(e, client=new[e.client]) for e in run.events)))

    def pattern(workload: Workload) -> list[object]:
        calls = (call for node in workload.node_types for call in templates(node))
        loops = (str(loop.times) for node in workload.node_types for loop in repeats(node.steps))
        return [*((call.id, call.method, dict(call.arguments)) for call in calls), *loops]

    assert pattern(mine_recordings(runs)) == pattern(mine_recordings(shuffled))


@pytest.mark.parametrize("seed", range(3))
def test_a_few_lost_calls_cost_questions_and_no_truth(seed: int) -> None:
    """With 1 % of all calls lost, the pattern is still found, or what is unsure is said."""
    made = system(create(session=answered("open")), blocks("blocks", number=index("b")))
    runs = [
        lossy(record(made, number, **sizes), 0.01, 10 * seed + number) for number, sizes in enumerate(SCALES)
    ]
    workload = mine_recordings(runs)
    prediction = predict_recording(workload, record(made, 99, **HELD_OUT))
    assert (prediction.silent_share, prediction.silent_sequences) == (0.0, 0)
    assert len(workload.node_types) == 1
    if seed:  # of the first, the first round of a client seems to be another than the next ones
        assert prediction.sequence_share == 1.0


@settings(max_examples=10, derandomize=True, suppress_health_check=list(HealthCheck))
@given(experiments())
def test_nothing_false_is_said_of_any_system(experiment: Experiment) -> None:
    """Whatever its loops, arguments and Scales: what is wrong was asked about, found wanting or refused."""
    _, prediction = mined(experiment.system, experiment.trained, experiment.held_out)
    assert [miss for miss in prediction.misses if miss.silent] == []
    assert (prediction.silently_invented, prediction.silent_sequences) == (0, 0)


@settings(max_examples=examples(6), derandomize=True, suppress_health_check=list(HealthCheck))
@given(experiments())
def test_nor_where_calls_were_lost(experiment: Experiment) -> None:
    """1 % of the calls that were mined, one at least in each run."""
    _, prediction = mined(experiment.system, experiment.trained, experiment.held_out, lost=0.01)
    assert [miss for miss in prediction.misses if miss.silent] == []
    assert (prediction.silently_invented, prediction.silent_sequences) == (0, 0)
