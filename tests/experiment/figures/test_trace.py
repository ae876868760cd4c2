"""Recorded runs as tables: what they hold is what is shown."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TypeVar

import pytest

from froude.base.units import Quantity
from froude.documents.artifact import Lineage, State
from froude.experiment.figures.trace import methods_table, traces_section
from froude.render import Callout, Chart, Section, Table, Tone
from froude.trace.importers.audit import ClosureResult
from froude.trace.types import Loss, Status, Trace
from testbed.recorded import recorded
from tests.support.trace.making import META, echo, small_trace

_Kind = TypeVar("_Kind")


def first(section: Section, kind: type[_Kind]) -> _Kind:
    """Its first block of a kind."""
    return next(block for block in section.blocks if isinstance(block, kind))


def test_recorded_runs_row_by_row() -> None:
    """Scale, calls, senders and length of each, in the order given."""
    traces = [recorded("k4"), recorded("k2c")]
    section = traces_section(traces)
    table = first(section, Table)
    for trace, row in zip(traces, table.rows, strict=True):
        scale, calls, senders, length, lost, agreed = row
        assert scale == ", ".join(f"{name}={value}" for name, value in trace.meta.scale.items())
        assert calls == len(trace.calls)
        assert senders == len({call.client_id or call.connection for call in trace.calls})
        assert length == trace.calls[-1].start_s
        assert (lost, agreed) == (trace.meta.loss.total, None)
    total = sum(len(trace.calls) for trace in traces)
    assert section.intro == f"{total:,} calls in 2 runs of a real cluster."


def test_senders_without_an_id_are_told_apart_by_connection() -> None:
    """Those with one by that, over all their connections."""
    calls = [
        echo(0.0, "/a"),
        echo(1.0, "/a", connection=2),
        echo(2.0, "/a", connection=3, client_id=None),
        echo(3.0, "/a", connection=4, client_id=None),
    ]
    table = first(traces_section([replace(small_trace(), calls=calls)]), Table)
    assert table.rows[0][2] == 3


def test_the_audit_log_stands_beside_the_runs_that_have_one() -> None:
    """Matched pairs of whichever has more."""
    closures = [ClosureResult(9, 8, 7, (), ()), ClosureResult(2, 3, 2, (), ())]
    table = first(traces_section([small_trace()] * 3, closures), Table)
    assert [row[-1] for row in table.rows] == ["7 of 9", "2 of 3", None]


def test_the_most_frequent_methods_of_all_runs() -> None:
    """A bar each in every run, none where a run lacks it; the rest is counted."""
    traces = [recorded("k2c"), recorded("k3")]
    totals = Counter(call.method for trace in traces for call in trace.calls)
    chart = first(traces_section(traces), Chart)
    assert len(totals) > 12
    assert chart.caption == f"The 12 most frequent of {len(totals)} methods."
    for series, trace in zip(chart.series, traces, strict=True):
        counts = Counter(call.method for call in trace.calls)
        assert list(series.ys) == [counts[str(method)] for method in series.xs]
    shown = [totals[str(method)] for method in chart.series[0].xs]
    assert shown == sorted(totals.values(), reverse=True)[:12]


def test_few_methods_need_no_caption() -> None:
    """And a run without a scale is called one."""
    chart = first(traces_section([replace(small_trace(), meta=replace(META, scale={}))]), Chart)
    assert (chart.caption, chart.series[0].name) == ("", "run")
    assert traces_section([small_trace()]).intro == "4 calls in 1 run of a real cluster."


def test_what_was_lost_is_said() -> None:
    """With how much; nothing is said of nothing."""
    blocks = traces_section([small_trace()]).blocks
    assert not any(isinstance(block, Callout) for block in blocks)
    lossy = replace(small_trace(), meta=replace(META, loss=Loss(undecodable_frames=1200)))
    callout = first(traces_section([lossy, lossy]), Callout)
    assert callout.title == "2,400 losses"


@pytest.mark.parametrize("state", [State.FAILED, State.INTERRUPTED])
def test_a_run_that_is_not_whole_stands_first(state: State) -> None:
    """By its number, with how it ended."""
    trace = small_trace()
    lineage = Lineage("trace", 1, "ab", state=state)
    section = traces_section([trace, replace(trace, lineage=lineage)])
    first = section.blocks[0]
    assert isinstance(first, Callout)
    assert (first.title, first.tone) == ("Not whole: run 2", Tone.WARNING)
    assert state.value in first.markdown


def test_a_run_without_calls_is_shown() -> None:
    """As nothing."""
    empty = Trace(replace(META, scale={"datanodes": Quantity(3)}), small_trace().schema, [])
    table = first(traces_section([empty]), Table)
    assert table.rows == [("datanodes=3", 0, 0, 0.0, 0, None)]


def test_named_traces_have_a_column_for_their_names() -> None:
    """And are told apart by them in the chart where their Scale is the same."""
    traces = [small_trace(), small_trace(), replace(small_trace(), meta=replace(META, scale={}))]
    section = traces_section(traces, names=["a", "b", "c"])
    table, chart = first(section, Table), first(section, Chart)
    assert table.columns[0].title == "Recording"
    assert [row[0] for row in table.rows] == ["a", "b", "c"]
    scale = table.rows[0][1]
    assert [series.name for series in chart.series] == [f"a: {scale}", f"b: {scale}", "c"]


def test_no_more_traces_are_drawn_than_have_a_colour() -> None:
    """The largest; the caption says so."""
    traces = [small_trace(number) for number in range(1, 9)]
    chart = first(traces_section(traces), Chart)
    assert len(chart.series) == 6
    assert "The 6 largest of 8 runs." in chart.caption


def test_durations_of_all_recordings_by_method() -> None:
    """As many calls as were recorded; percentiles rise."""
    traces = [recorded("k2c"), recorded("k3")]
    rows = methods_table(traces).rows
    assert sum(int(row[1] or 0) for row in rows) == sum(len(trace.calls) for trace in traces)
    assert [row[1] for row in rows] == sorted((row[1] for row in rows), key=lambda n: -int(n or 0))
    for row in rows:
        p50, p99, largest = (float(value or 0) for value in row[3:])
        assert p50 <= p99 <= largest


def test_a_duration_that_nobody_saw_is_a_dash() -> None:
    """Not zero."""
    calls = [replace(echo(0.0, "/a"), duration_s=None)]
    assert list(methods_table([replace(small_trace(), calls=calls)]).rows[0][3:]) == [None, None, None]


def test_what_failed_is_counted() -> None:
    """A call without an answer, too."""
    calls = [echo(float(n), "/a", status=status) for n, status in enumerate(Status)]
    assert methods_table([replace(small_trace(), calls=calls)]).rows[0][2] == len(Status) - 1
