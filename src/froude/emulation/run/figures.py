"""A Run of its figures: the form of `figures.json`, in which no figure is negative, not finite or beyond any size."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StrictBool

from froude.documents.model import read_fields
from froude.documents.reading import STAMP, Section
from froude.emulation.run.bottleneck import Load, Measured
from froude.emulation.run.run import Difference, Run
from froude.emulation.run.tally import Histogram, IntervalRow, Phase, Series, Tally
from froude.emulation.run.verdict import LimitResult
from froude.emulation.settings import Mode, Pacing, Record
from froude.hadoop.metrics.gc_log import GcLog, HeapChange, Pause
from froude.trace.failures import Failure, Failures

PLAIN = ("target", "target_id", "begun_at_s", "elapsed_s", "scale", "nodes", "record", "failure", "interrupted", "seed",
         "nonce", "speed", "pacing", "mode", "cores")  # fmt: skip
"""Fields of a Run that its form has under their own names."""
_MOST = 1 << 53
"""Largest count: what every reader of JSON holds exactly, and more calls than any play makes."""

_Whole = Annotated[int, Field(strict=True)]
_Count = Annotated[_Whole, Field(ge=0, le=_MOST)]
_Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
_Seconds = Annotated[_Number, Field(ge=0)]
"""Also a factor."""


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", use_enum_values=True, defer_build=True)


class _Histogram(_Form):
    max_us: _Count
    counts: list[tuple[_Count, _Count]]

    def value(self) -> Histogram:
        histogram = Histogram()
        histogram.counts = Counter(dict(self.counts))
        histogram.total, histogram.max_us = histogram.counts.total(), self.max_us
        return histogram


class _Series(_Form):
    daemon: str = ""
    sent: _Count
    resent: _Count
    answered: _Count
    errors: dict[str, _Count] = {}
    intended: _Histogram
    actual: _Histogram
    held_up: list[tuple[_Count, Annotated[_Count, Field(gt=0)], _Count]] = []

    def value(self, method: str) -> Series:
        series = Series(method)
        series.daemon, series.errors = self.daemon, Counter(self.errors)
        series.sent, series.resent, series.answered = self.sent, self.resent, self.answered
        series.from_intended, series.from_actual = self.intended.value(), self.actual.value()
        series.held_up = Counter({(took_us, due_us): times for took_us, due_us, times in self.held_up})
        return series


class _Phase(_Form):
    series: dict[str, _Series]
    lateness: _Histogram
    lag: _Histogram
    allocation: _Histogram

    def value(self) -> Phase:
        return Phase(
            {method: series.value(method) for method, series in self.series.items()},
            lateness=self.lateness.value(),
            lag=self.lag.value(),
            allocation=self.allocation.value(),
        )


class _GcLog(_Form):
    pauses: list[tuple[_Number, str, _Seconds, StrictBool, _Number | None]] = []
    heap: list[tuple[_Number, _Count, _Count]] = []
    collector: str
    lines: _Count
    unread: _Count

    def value(self) -> GcLog:
        pauses, heap = [Pause(*each) for each in self.pauses], [HeapChange(*each) for each in self.heap]
        return GcLog(pauses, heap, self.collector, self.lines, self.unread)


class _Figures(_Form):
    target: str
    target_id: str
    begun_at_s: _Seconds
    elapsed_s: _Seconds
    scale: dict[str, str] = {}
    nodes: dict[str, _Count] = {}
    record: Record
    failure: str | None = None
    interrupted: StrictBool
    seed: _Whole
    nonce: str = ""
    speed: _Seconds
    pacing: Pacing
    mode: Mode
    cores: _Count
    steady_from_s: _Seconds | None
    steady: _Phase
    ramp: _Phase
    failures: list[tuple[str, str, str, _Count, _Number, _Number, str, str | None]] = []
    limits: list[tuple[str, _Number | None, str, StrictBool]] = []
    environment: dict[str, str] = {}
    notes: dict[str, _Count] = {}
    rows: list[tuple[_Number, str, _Count, _Count, _Count, _Number, _Number, _Number, _Number]] = []
    """A timer that rang early gives latencies a little less than nothing."""
    load: list[tuple[_Number, _Number, _Count, _Count, _Count, _Number | None, _Number | None]] = []
    metrics: list[tuple[_Number, dict[str, _Number]]] = []
    """One sample is taken before the play begins."""
    gc: _GcLog | None
    remarks: list[str] = []
    differences: list[tuple[str, _Count, _Whole]] | None
    """A target that was restarted meanwhile counted less than nothing."""


def read_figures(root: Section) -> Run:
    """The run of a document's root section, already known to be figures of one.

    Raises:
        InputError: a figure is missing, of another type, negative, not finite, or beyond any size.
    """
    fields = {name: value for name, value in root.fields.items() if name != STAMP}
    read: _Figures = read_fields(_Figures, fields, root.file)
    differences = read.differences
    return Run(
        _tally(read),
        **{name: getattr(read, name) for name in PLAIN},
        load=[Load(*each) for each in read.load],
        metrics=[Measured(*each) for each in read.metrics],
        remarks=read.remarks,
        limits=[LimitResult(*each) for each in read.limits],
        environment=read.environment,
        gc=None if read.gc is None else read.gc.value(),
        differences=None if differences is None else [Difference(*each) for each in differences],
    )


def _tally(read: _Figures) -> Tally:
    steady, failures = read.steady.value(), Failures()
    failures.groups = {each[:3]: Failure(*each) for each in read.failures}
    return Tally(
        steady.series,
        lateness=steady.lateness,
        lag=steady.lag,
        allocation=steady.allocation,
        ramp=read.ramp.value(),
        steady_from_s=read.steady_from_s,
        rows=[IntervalRow(*each) for each in read.rows],
        failures=failures,
        notes=Counter(read.notes),
    )
