"""Green, amber or red: by the rules that the module states."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from froude.emulation.notes import (
    AS_RECORDED,
    FOREIGN_APPLICATION,
    FOREIGN_DATANODE,
    GIVEN_UP,
    IN_VAIN,
    LEFT_OUT,
    REFUSED,
    RETRIED,
    UNRESOLVED,
    UNSENT,
)
from froude.emulation.run.bottleneck import CPU, Load, Measured
from froude.emulation.run.run import PARTIAL, Difference, Run
from froude.emulation.run.verdict import Colour, LimitResult, measured_text
from froude.hadoop.metrics.threads import COMPILER

QUIET = [Measured(float(s), {CPU: 0.1 * s}) for s in range(4)]


@pytest.fixture
def good(run: Run) -> Run:
    """A run of which nothing bad can be said."""
    run.metrics = QUIET
    run.tally.of("delete").errors.clear()
    return run


def test_green_is_a_run_as_planned(good: Run) -> None:
    """Every limit that was kept adds to it."""
    assert str(good.verdict) == "green: every call was sent and answered as planned"
    good.limits = [LimitResult("p99 < 1 s", 0.5, "s", True)]
    assert good.verdict.reasons[0].endswith("and every limit (1) was kept")


def test_a_part_of_a_run_is_called_one(good: Run) -> None:
    """First of all that is said."""
    good.failure = f"{PARTIAL}player 2 (pid 7): died"
    assert str(good.verdict).startswith("red: partial, player 2 (pid 7): died")


def test_a_sustained_load_is_always_ended_with_calls_due(good: Run) -> None:
    """That is no trouble of it; a JVM that compiles while a load is played once is none either."""
    _compiling(good)
    good.mode = "once"
    assert good.verdict.colour is Colour.GREEN
    good.mode, good.metrics = "arrivals", QUIET
    good.tally.notes[f"{UNSENT}create"] = 3
    assert good.verdict.colour is Colour.GREEN


def _late(run: Run) -> None:
    run.tally.lateness.add([2.0])


def _compiling(run: Run) -> None:
    run.mode = "population"
    run.metrics = [Measured(float(s), {CPU: 0.1 * s, COMPILER: 0.03 * s}) for s in range(4)]


def _unsteady(run: Run) -> None:
    run.mode, run.tally.steady_from_s = "population", None


def _busy(run: Run) -> None:
    run.load = [Load(float(s), 0.95, 1, 1, 0) for s in range(4)]


def _others(run: Run) -> None:
    run.load = [Load(float(s), 0.2, 1, 1, 0, 1.0) for s in range(4)]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda run: run.tally.of("create").errors.update({"java.io.IOException": 2}), "2 calls failed that"),
        (lambda run: setattr(run, "interrupted", True), "the run was interrupted"),
        (lambda run: run.tally.notes.update({f"{UNSENT}create": 3}), "3 calls due and not sent"),
        (_compiling, "the JVM was still compiling: up to 30% of the target's CPU time was its compiler's"),
        (_unsteady, "the load was not steady before the end: figures are of all of it"),
        (lambda run: run.tally.notes.update({f"{REFUSED}Disallowed": 1}), "1 node refused"),
        (lambda run: run.tally.notes.update({f"{IN_VAIN}consumer": 2}), "2 nodes waited in vain"),
        (
            lambda run: run.tally.notes.update({f"{GIVEN_UP}c1 complete": 1}),
            "1 call repeated until it was given up",
        ),
        (lambda run: run.tally.notes.update({f"{UNRESOLVED}c1 src": 1}), "1 argument sent without a value"),
        (lambda run: setattr(run.tally, "steady_from_s", None), "not every emulated daemon had started"),
        (
            lambda run: setattr(run, "differences", [Difference("create", 2, 1)]),
            "the target counted other numbers",
        ),
        (lambda run: setattr(run, "metrics", ()), "nothing was seen of the target"),
        (_late, "calls were sent up to 2.0 s"),
        (_busy, "the player was the limit"),
        (_others, "the machine was busy"),
    ],
)
def test_amber_says_why(good: Run, change: Callable[[Run], None], reason: str) -> None:
    """Each of what makes figures less than they seem."""
    change(good)
    assert good.verdict.colour is Colour.AMBER
    assert good.verdict.reasons[0].startswith(reason)
    assert len(good.verdict.reasons) == 1


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda run: setattr(run, "failure", "reset"), "the run ended before its time: reset"),
        (lambda run: run.tally.notes.update({f"{LEFT_OUT}client.e1 create": 2}), "2 calls never sent"),
        (lambda run: setattr(run, "limits", [LimitResult("p99 < 1 s", None, "s", False)]), "limit not kept"),
    ],
)
def test_red_comes_before_amber(good: Run, change: Callable[[Run], None], reason: str) -> None:
    """What is amber besides is said after it."""
    change(good)
    good.interrupted = True
    assert good.verdict.colour is Colour.RED
    assert good.verdict.reasons[0].startswith(reason)
    assert good.verdict.reasons[1:] == ("the run was interrupted",)


def test_what_failed_when_recorded_and_what_is_made_again_is_no_failure(good: Run) -> None:
    """Real clients meet such errors, too."""
    good.tally.of("create").errors.update({"x.Exists": 2, "x.NotReplicatedYet": 1})
    good.tally.notes.update({f"{AS_RECORDED}create": 2, f"{RETRIED}create NotReplicatedYet": 1})
    assert not good.failed
    assert good.verdict.colour is Colour.GREEN


def test_what_happened_at_a_daemon_is_reported_of_it_alone(good: Run) -> None:
    """Where several were called; calls of a method that was sent to none of them are nobody's."""
    for phase in (good.tally.ramp, good.tally):
        for method, series in phase.series.items():
            series.daemon = "namenode" if method == "create" else "resourcemanager"
    good.tally.of("create").errors["java.io.IOException"] += 2
    good.tally.notes.update({f"{UNSENT}create": 3, f"{UNSENT}other": 4})
    assert len(good.parts) == 2
    reasons = [each for each in good.verdict.reasons if "failed" in each or "not sent" in each]
    assert reasons == [
        "NameNode: 2 calls failed that did not fail when recorded",
        "NameNode: 3 calls due and not sent before the end",
        "4 calls due and not sent before the end",
    ]
    good.tally.of("delete").errors["java.io.IOException"] += 3
    good.tally.notes.update({f"{REFUSED}Disallowed": 5})
    reasons = [each for each in good.verdict.reasons if "failed" in each or "refused" in each]
    assert reasons == [
        "NameNode: 2 calls failed that did not fail when recorded",
        "NameNode: 5 nodes refused by the target",
        "ResourceManager: 3 calls failed that did not fail when recorded",
    ]


@pytest.mark.parametrize(("lateness_s", "late"), [(0.5, False), (1.0, False), (1.01, True), (12.5, True)])
def test_calls_are_late_from_more_than_a_second_on(good: Run, lateness_s: float, late: bool) -> None:
    """Of 99 of 100 none is later."""
    good.tally.lateness.add([lateness_s])
    good.tally.lateness.add([0.0] * 20)
    found = [each for each in good.verdict.reasons if "were sent up to" in each]
    assert (
        found
        == [
            f"calls were sent up to {lateness_s:.1f} s (p99) after they were due: the load fell behind its plan"
        ]
        * late
    )


@pytest.mark.parametrize(("compiler_s", "quiet"), [(0.04, True), (0.05, False), (0.06, False)])
def test_a_compiler_is_quiet_below_a_twentieth(good: Run, compiler_s: float, quiet: bool) -> None:
    """Of the target's CPU time."""
    good.mode = "population"
    good.metrics = [Measured(float(s), {CPU: 1.0 * s, COMPILER: compiler_s * s}) for s in range(4)]
    assert (good.verdict.colour is Colour.GREEN) is quiet


def test_what_was_measured_for_people() -> None:
    """By its unit; without one with six digits."""
    shown = [measured_text(0.25, unit) for unit in ("s", "share", "")]
    assert shown == ["250 ms", "25.000%", "0.25"]
    assert [measured_text(1234567.8, ""), measured_text(None, "s")] == ["1.23457e+06", "unknown"]
    assert LimitResult("errors < 3", 2.0, "", True).text == "errors < 3: 2"


def test_notes_of_one_kind_are_counted_together(good: Run) -> None:
    """Whatever they are about."""
    good.tally.notes.update(
        {f"{IN_VAIN}consumer": 2, f"{IN_VAIN}producer": 3, f"{LEFT_OUT}a b": 1, f"{LEFT_OUT}c d": 1}
    )
    assert good.verdict.reasons == (
        "2 calls never sent, because an argument had no value",
        "5 nodes waited in vain for what another should have made, and went on",
    )


def test_nothing_sent_is_no_run_as_planned(good: Run) -> None:
    """Of a play without a call nothing was measured."""
    good.tally.series.clear()
    assert str(good.verdict).startswith("amber: no call was sent in the steady phase")


@pytest.mark.parametrize(
    ("note", "reason"),
    [
        (FOREIGN_DATANODE, "2 blocks placed on a DataNode that the play does not emulate"),
        (FOREIGN_APPLICATION, "2 containers started for an application that the play did not submit"),
    ],
)
def test_what_an_earlier_play_has_left_is_a_reason(good: Run, note: str, reason: str) -> None:
    """Calls that fail because of it are not the target's fault."""
    good.tally.notes[note] += 2
    assert (good.verdict.colour, good.verdict.reasons) == (Colour.AMBER, (reason,))


@pytest.mark.parametrize(
    ("files", "error", "named"),
    [
        (40.0, "AnsweredFalse", True),
        (40.0, "org.apache.hadoop.fs.FileAlreadyExistsException", True),
        (40.0, "java.io.IOException", False),
        (1.0, "AnsweredFalse", False),  # the root alone
    ],
)
def test_files_of_an_earlier_play_are_named(good: Run, files: float, error: str, *, named: bool) -> None:
    """Where most of the failed calls met a path that was taken, and files were there when the play began."""
    good.metrics = [
        Measured(each.time_s, {**each.values, "FSNamesystem.FilesTotal": files + each.time_s})
        for each in QUIET
    ]
    good.tally.of("rename").errors[error] += 3
    good.tally.of("create").errors["java.io.IOException"] += 2
    assert good.verdict.reasons[0] == "5 calls failed that did not fail when recorded"
    reason = (
        "most failed calls met files of an earlier play: 39 files and folders were there when this one began"
    )
    assert (reason in good.verdict.reasons) is named
