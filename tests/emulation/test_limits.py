"""Limits in words, and runs held against them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.base.errors import InputError
from froude.emulation.facts import facts_of
from froude.emulation.limits import (
    DEFAULT_LIMITS,
    MEASURES,
    YARN_LIMITS,
    check_limits,
    parse_limit,
    with_defaults,
)
from froude.emulation.notes import LEFT_OUT
from froude.emulation.run.bottleneck import CALL_QUEUE, Measured
from froude.emulation.run.run import Run
from froude.workload.plan import Plan
from testbed.plans import plan
from tests.support.emulation.yarn_plans import applications_alone
from tests.support.emulation.yarn_plans import plan as yarn_plan


@pytest.mark.parametrize(
    ("text", "measure", "method", "compare", "bound"),
    [
        ("p99(addBlock) < 50 ms", "p99", "addBlock", "<", 0.05),
        ("p50<1s", "p50", None, "<", 1.0),
        ("p999 ( a.b$c ) <= 2 min", "p999", "a.b$c", "<=", 120.0),
        ("error_rate < 1 %", "error_rate", None, "<", 0.01),
        ("error_rate<=0.5", "error_rate", None, "<=", 0.5),
        ("calls_per_s >= 1000", "calls_per_s", None, ">=", 1000.0),
        ("error_rate <= 100 %", "error_rate", None, "<=", 1.0),
        ("errors <= 0", "errors", None, "<=", 0.0),
        ("max() > 1 ms", "max", None, ">", 0.001),
    ],
)
def test_what_a_limit_says(text: str, measure: str, method: str | None, compare: str, bound: float) -> None:
    """A measure, for some of a method, a comparison, a value with its unit."""
    limit = parse_limit(text)
    assert (limit.measure, limit.method, limit.compare) == (measure, method, compare)
    assert limit.bound == pytest.approx(bound)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p99", "is no limit"),
        ("p99 = 3 ms", "is no limit"),
        ("p98 < 3 ms", r"is no measure, did you mean p99\?; found p98; allowed: p50"),
        ("p99 < 50", "is of another unit; found 50; allowed: a time"),
        ("error_rate < 1 ms", "is of another unit"),
        ("errors < 1 s", "is of another unit; found 1 s; allowed: a plain number"),
        ("lateness(create) < 1 s", "is not known by method; found lateness; allowed: p50"),
        ("p99 < much", "--limit"),
        ("p99 < -1 s", "can never be kept or broken; found p99 < -1 s; allowed: a value above zero"),
        ("p99 < 0 s", "can never be kept or broken"),
        ("errors > -1", "can never be kept or broken; found errors > -1; allowed: zero or above"),
        (
            "error_rate < 500 %",
            "can never be kept or broken; found error_rate < 500 %; allowed: at most 100 %",
        ),
        ("error_rate > 1", "can never be kept or broken; found error_rate > 1; allowed: below 100 %"),
    ],
)
def test_what_is_no_limit(text: str, message: str) -> None:
    """With what was found and what is allowed."""
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        parse_limit(text)


@pytest.mark.parametrize(
    ("text", "value", "held"),
    [
        ("p99 < 11 ms", 0.010, True),
        ("p99(create) < 10 ms", 0.010, False),
        ("p99(create) <= 10 ms", 0.010, True),
        ("p50(delete) > 1 ms", 0.002, True),
        ("errors < 2", 1.0, True),
        ("errors(create) < 1", 0.0, True),
        ("error_rate < 10 %", 1 / 3, False),
        ("error_rate(delete) < 10 %", 1.0, False),
        ("calls_per_s > 1", 1.5, True),
        ("calls_per_s(delete) > 1", 0.5, False),
        ("left_out < 1", 2.0, False),
        ("lateness < 5 ms", 0.004, True),
        ("call_queue < 5", 7.0, False),
    ],
)
def test_a_run_against_a_limit(run: Run, text: str, value: float, held: bool) -> None:
    """What was measured, in base units, and whether it holds; service times, since its pacing is closed."""
    run.pacing = "scheduled"
    run.tally.notes[f"{LEFT_OUT}client.e1 create"] += 2
    run.metrics = [Measured(0.5, {CALL_QUEUE: 7.0}), Measured(1.0, {CALL_QUEUE: 0.0})]
    result = parse_limit(text).check(run)
    assert result.value == pytest.approx(value, rel=2e-3)
    assert (result.limit, result.held) == (text, held)


@pytest.mark.parametrize(
    "text",
    ["p99(mkdirs) < 1 s", "errors(mkdirs) < 1", "call_queue < 5", "datanodes_lost < 1", "calls_per_s(x) < 9"],
)
def test_what_nobody_measured_is_not_kept(run: Run, text: str) -> None:
    """It is unknown, and never 0."""
    result = parse_limit(text).check(run)
    assert (result.value, result.held) == (None, False)
    assert result.text == f"{text}: unknown"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ([], DEFAULT_LIMITS),
        (["p99(addBlock) < 50 ms"], ("p99(addBlock) < 50 ms", *DEFAULT_LIMITS)),
        (["p99<50 ms"], ("p99<50 ms", "error_rate < 1 %", "datanodes_lost < 1")),
        (["error_rate <= 100 %"], ("error_rate <= 100 %", "p99 < 1 s", "datanodes_lost < 1")),
        (
            ["p99() < 2 s", "p50 < 1 s"],
            ("p99() < 2 s", "p50 < 1 s", "error_rate < 1 %", "datanodes_lost < 1"),
        ),
    ],
)
def test_a_limit_replaces_the_default_of_its_measure_only(given: list[str], kept: tuple[str, ...]) -> None:
    """The others stand: nobody loses them by asking for one more."""
    assert with_defaults(given, facts_of(plan())) == kept


@pytest.mark.parametrize(
    ("tasks", "kept"),
    [(4, YARN_LIMITS), (0, tuple(text for text in YARN_LIMITS if "allocation" not in text))],
)
def test_defaults_are_those_of_the_daemons_called(tasks: int, kept: tuple[str, ...]) -> None:
    """Those of both where both are called; none on a measure that the plan cannot have."""
    planned = applications_alone(apps=tasks)
    assert with_defaults([], facts_of(planned)) == kept
    assert with_defaults([], facts_of(yarn_plan())) == (*DEFAULT_LIMITS[:2], *YARN_LIMITS[2:])


def test_every_measure_says_what_it_is() -> None:
    """For help."""
    assert all(measure.what for measure in MEASURES.values())


def test_a_limit_about_a_method_that_is_never_called() -> None:
    """It is refused, with the methods that there are; a limit on all methods is not."""
    facts = facts_of(plan())
    check_limits([parse_limit("p99 < 1 s"), parse_limit("p99(create) < 1 s")], facts)
    with pytest.raises(InputError, match=r"never calls; found nosuch; allowed: .*addBlock, .*create"):
        check_limits([parse_limit("errors(nosuch) <= 0")], facts)


@pytest.mark.parametrize(
    ("planned", "text", "needed"),
    [
        (plan(), "containers_per_s > 5", "asks a ResourceManager for containers"),
        (plan(), "allocation_p50 < 1 s", "asks a ResourceManager for containers"),
        (plan(), "allocation_p99 < 1 s", "asks a ResourceManager for containers"),
        (plan(), "nodemanagers_lost < 1", "calls a ResourceManager"),
        (applications_alone(apps=0), "containers_per_s > 5", "asks a ResourceManager for containers"),
        (applications_alone(apps=4), "datanodes_lost < 1", "emulates DataNodes"),
        (replace(plan(), counts={"client": 4}), "datanodes_lost < 1", "emulates DataNodes"),
    ],
)
def test_a_limit_on_what_no_play_of_the_plan_has(planned: Plan, text: str, needed: str) -> None:
    """It is refused with the measures that there are, since its value would be unknown; no default is about it."""
    facts, limit = facts_of(planned), parse_limit(text)
    with pytest.raises(InputError, match=f"--limit: needs a plan that {needed}") as refused:
        check_limits([limit], facts)
    assert refused.value.found == limit.measure
    assert limit.measure not in str(refused.value.allowed).split(", ")
    defaults = [parse_limit(each) for each in with_defaults([], facts)]
    check_limits(defaults, facts)
