"""A run's sections carry the run's own figures, its faults first."""

from __future__ import annotations

import pytest

from froude.emulation.notes import LEFT_OUT
from froude.emulation.run.bottleneck import Load, Measured
from froude.emulation.run.run import Difference, Run
from froude.emulation.run.tally import Tally
from froude.emulation.run.verdict import LimitResult
from froude.experiment.figures.run import player_section, run_sections
from froude.render import Callout, Chart, Table, Tone
from tests.support.experiment.main_jobs import a_run


def _run(**more: object) -> Run:
    tally = Tally()
    series = tally.of("create")
    series.sent, series.answered = 3, 3
    series.intended += [0.010, 0.020, 0.500]
    series.actual += [0.001, 0.002, 0.003]
    series.errors["QuotaExceeded"] += 1
    tally.close_interval(1.0)
    metrics = [
        Measured(0.0, {"process.cpu_seconds": 1.0, "FSNamesystem.BlocksTotal": 0, "same": 5}),
        Measured(2.0, {"process.cpu_seconds": 2.0, "FSNamesystem.BlocksTotal": 9, "same": 5}),
    ]
    load = [Load(1.0, 0.25, 1 << 20, 3, 0)]
    given = {"nodes": {"client": 3}, "load": load, "metrics": metrics, "differences": [], **more}
    return Run(tally, "127.0.0.1:1", "CID-1", 0.0, 2.0, **given)  # type: ignore[arg-type]


def _table(run: Run, caption: str) -> Table:
    tables = [block for section in run_sections(run) for block in section.blocks if isinstance(block, Table)]
    return next(table for table in tables if table.caption == caption)


def _latencies(run: Run) -> Table:
    return next(block for block in run_sections(run)[1].blocks if isinstance(block, Table))


def test_a_schedule_is_judged_by_response_time() -> None:
    """A stall shows in the percentiles from when calls were due; service time stands beside."""
    table = _latencies(_run(pacing="scheduled"))
    method, sent, answered, errors, *times = table.rows[0]
    assert (method, sent, answered, errors) == ("create", 3, 3, 1)
    assert times[3:] == [0.5, 0.003]
    assert table.caption == "Response time by method"
    assert table.columns[-1].title == "p99 of service time"


def test_closed_clients_are_judged_by_service_time_and_its_correction() -> None:
    """What is measured is called what it is; calls that a slow one kept from being made stand beside."""
    run = _run(pacing="closed")
    run.tally.of("create").held_up[(800_000, 100_000)] += 1
    table = _latencies(run)
    assert list(table.rows[0][7:]) == pytest.approx([0.003, 0.7], rel=1e-3)
    assert table.caption == "Service time by method"
    assert table.columns[-1].title == "p99, corrected"


def test_what_the_target_counted_otherwise_is_said() -> None:
    """A difference is a warning; none at all is said to be good."""
    titles = [b.title for b in run_sections(_run())[0].blocks if isinstance(b, Callout)]
    assert "The server counted every call once" in titles
    bad = run_sections(_run(differences=[Difference("create", 3, 2)]))[0]
    assert any(isinstance(b, Callout) and "sent 3, counted 2" in b.markdown for b in bad.blocks)


def test_a_failure_stands_in_the_first_section() -> None:
    """A run that ended before its time says so before any figure."""
    callouts = [b for b in run_sections(_run(failure="connection reset"))[0].blocks if isinstance(b, Callout)]
    assert any("connection reset" in b.markdown and b.tone.value == "bad" for b in callouts)


def test_a_run_in_which_nothing_happened() -> None:
    """An empty run makes an empty page, not an error."""
    empty = Run(Tally(), "127.0.0.1:1", "CID-1", 0.0, 0.0)
    assert "0 calls answered" in run_sections(empty)[0].intro


def test_calls_that_were_left_out_stand_before_all() -> None:
    """A play of less than was asked for says so first, with the calls and how often."""
    run = _run()
    run.tally.notes.update(
        {f"{LEFT_OUT}client.e3 complete": 41, f"{LEFT_OUT}client.e4 rename2": 2, "other": 7}
    )
    assert run.left_out == {"client.e3 complete": 41, "client.e4 rename2": 2}
    verdict, first = run_sections(run)[0].blocks[:2]
    assert isinstance(verdict, Callout)
    assert isinstance(first, Callout)
    assert (verdict.title, verdict.tone, first.tone) == ("Verdict: red", Tone.BAD, Tone.BAD)
    assert first.title == "43 calls never sent"
    assert "`client.e3 complete`: 41 times" in first.markdown


def test_errors_by_method_class_and_message() -> None:
    """The most frequent first, with times and an example; a run without any has no such table."""
    run = _run()
    first = run.tally.failures.add("create", "org.SafeMode", "safe mode is on", 0.5)
    assert first is not None
    first.path = "/a"
    for time_s in (1.0, 1.5):
        run.tally.failures.add("delete", "org.QuotaExceeded", f"quota of /b{time_s} is 3", time_s)
    assert _table(run, "Errors").rows == [
        ("delete", "QuotaExceeded", 2, 1.0, 1.5, "quota of /b1.0 is 3", None),
        ("create", "SafeMode", 1, 0.5, 0.5, "safe mode is on", "/a"),
    ]
    assert "Errors" not in [b.caption for b in run_sections(_run())[0].blocks if isinstance(b, Table)]


def test_limits_and_the_machine() -> None:
    """What was asked for, what was measured, whether it was kept; and what the run was played on."""
    run = _run(environment={"cores": "2"}, limits=[LimitResult("p99 < 1 s", 0.5, "s", True)])
    assert _table(run, "Limits").rows == [("p99 < 1 s: 500 ms", True)]
    assert _table(run, "What it was played on").rows == [("cores", "2")]


def test_how_it_was_played() -> None:
    """Scale, pacing and seed stand beside the figures."""
    rows = dict(_table(_run(scale={"datanodes": "3"}, seed=7), "How it was played").rows)  # type: ignore[arg-type]
    assert (rows["Scale"], rows["Pacing"], rows["Seed"]) == ("datanodes=3", "closed", "7")


def test_its_load_is_drawn_and_what_stood_still_is_not() -> None:
    """Memory that never changed needs no chart."""
    run = a_run(load=[Load(0.5, 0.1, 1 << 20, 2, 3), Load(1.5, 0.1, 1 << 20, 5, 1)])
    charts = [block for block in player_section(run).blocks if isinstance(block, Chart)]
    assert [(chart.title, list(chart.series[0].ys)) for chart in charts] == [
        ("Calls in flight", [3, 1]),
        ("Emulated nodes that have begun", [2, 5]),
    ]


def test_timers_and_calls_are_late_for_different_reasons() -> None:
    """A row each, in seconds; what never happened has none."""
    run = a_run()
    run.tally.lag.add([0.001, 0.002])
    run.tally.lateness.add([0.5])
    (table,) = player_section(run).blocks
    assert isinstance(table, Table)
    assert [(row[0], row[3]) for row in table.rows] == [("its timers fired", 0.002), ("calls were sent", 0.5)]
    (table,) = player_section(a_run()).blocks
    assert isinstance(table, Table)
    assert table.rows == []
