"""A Run out of its figures: every one is looked at, none is believed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

from froude.base.errors import InputError
from froude.documents.reading import Section
from froude.emulation.pacing import Pacing
from froude.emulation.run.bottleneck import Load, Measured
from froude.emulation.run.run import Difference, Record, Run
from froude.emulation.run.tally import Histogram, IntervalRow, Phase, Series, Tally
from froude.emulation.run.verdict import LimitResult
from froude.emulation.sustained import Mode
from froude.hadoop.metrics.gc_log import GcLog, HeapChange, Pause
from froude.trace.failures import Failure, Failures

PLAIN = ("target", "target_id", "begun_at_s", "elapsed_s", "scale", "nodes", "record", "failure", "interrupted", "seed",
         "nonce", "speed", "pacing", "mode", "cores")  # fmt: skip
"""Fields of a Run that its form has under their own names."""
_MOST = 1 << 53
"""Largest count: what every reader of JSON holds exactly, and more calls than any play makes."""


def read_figures(root: Section) -> Run:
    """The run of a document's root section, already known to be figures of one.

    Raises:
        InputError: a figure is missing, of another type, negative, not finite, or beyond any size.
    """
    run = Run(
        _tally(root),
        root.value("target", str),
        root.value("target_id", str),
        root.convert("begun_at_s", _seconds),
        root.convert("elapsed_s", _seconds),
        scale=_named(root.section("scale"), _text),
        nodes=_named(root.section("nodes"), _count),
        record=root.convert("record", _record),
        failure=root.optional("failure", str),
        interrupted=root.value("interrupted", bool),
        seed=root.value("seed", int),
        nonce=root.optional("nonce", str) or "",
        speed=root.convert("speed", _seconds),
        cores=root.convert("cores", _count),
        pacing=root.convert("pacing", _pacing),
        mode=root.convert("mode", _mode),
        load=root.converted(
            "load",
            lambda item: Load(
                *_parts(item, _number, _number, _count, _count, _count, _optional_number, _optional_number)
            ),
        ),
        remarks=root.converted("remarks", _text),
        limits=root.converted("limits", _limit),
        environment=_named(root.section("environment"), _text),
    )
    run.load, run.remarks, run.limits = list(run.load), list(run.remarks), list(run.limits)
    run.metrics = list(root.converted("metrics", _measured))
    if root.raw("differences", required=True) is not None:
        run.differences = list(
            root.converted("differences", lambda item: Difference(*_parts(item, _text, _count, _any_count)))
        )
    if root.raw("gc", required=True) is not None:
        run.gc = _gc(root.section("gc"))
    root.finish()
    return run


def _gc(section: Section) -> GcLog:
    log = GcLog(
        list(section.converted("pauses", _pause)),
        list(section.converted("heap", lambda item: HeapChange(*_parts(item, _number, _count, _count)))),
        section.value("collector", str),
        section.convert("lines", _count),
        section.convert("unread", _count),
    )
    section.finish()
    return log


def _pause(item: object) -> Pause:
    return Pause(*_parts(item, _number, _text, _seconds, _flag, _optional_number))


def _tally(root: Section) -> Tally:
    steady = _phase(root.section("steady"))
    return Tally(
        steady.series,
        lateness=steady.lateness,
        lag=steady.lag,
        allocation=steady.allocation,
        ramp=_phase(root.section("ramp")),
        steady_from_s=None if root.raw("steady_from_s", required=True) is None
        else root.convert("steady_from_s", _seconds),
        rows=list(root.converted("rows", _row)),
        failures=_failures(root.converted("failures", _failure)),
        notes=Counter(_named(root.section("notes"), _count)),
    )  # fmt: skip


def _phase(section: Section) -> Phase:
    methods = section.section("series")
    series = {method: _series(method, methods.section(method)) for method in methods.names()}
    lateness, lag, allocation = (
        _histogram(section.section(name)) for name in ("lateness", "lag", "allocation")
    )
    section.finish()
    return Phase(series, lateness=lateness, lag=lag, allocation=allocation)


def _failures(groups: Sequence[Failure]) -> Failures:
    failures = Failures()
    failures.groups = {(group.method, group.error, group.message): group for group in groups}
    return failures


def _failure(item: object) -> Failure:
    texts, times = (_text,) * 3, (_count, _number, _number)
    return Failure(*_parts(item, *texts, *times, _text, _optional_text))


def _limit(item: object) -> LimitResult:
    return LimitResult(*_parts(item, _text, _optional_number, _text, _flag))


def _series(method: str, section: Section) -> Series:
    series = Series(method)
    series.daemon = section.optional("daemon", str) or ""
    series.sent, series.answered = section.convert("sent", _count), section.convert("answered", _count)
    series.errors = Counter(_named(section.section("errors"), _count))
    series.from_intended = _histogram(section.section("intended"))
    series.from_actual = _histogram(section.section("actual"))
    series.resent = section.convert("resent", _count)
    series.held_up = Counter(dict(section.converted("held_up", _held_up)))
    section.finish()
    return series


def _histogram(section: Section) -> Histogram:
    histogram = Histogram()
    histogram.counts = Counter(dict(section.converted("counts", _counted)))
    histogram.total, histogram.max_us = histogram.counts.total(), section.convert("max_us", _count)
    section.finish()
    return histogram


def _counted(item: object) -> tuple[int, int]:
    value, count = _parts(item, _count, _count)
    return value, count


def _held_up(item: object) -> tuple[tuple[int, int], int]:
    duration_us, expected_us, times = _parts(item, _count, _count, _count)
    if not expected_us:
        raise InputError("is no interval", found=expected_us, allowed="more than 0")
    return (duration_us, expected_us), times


def _row(item: object) -> IntervalRow:
    milliseconds = (_number,) * 4  # a timer that rang early gives a little less than nothing
    return IntervalRow(*_parts(item, _number, _text, _count, _count, _count, *milliseconds))


def _measured(item: object) -> Measured:
    time_s, values = _parts(item, _number, _mapping)  # one sample is taken before the play begins
    return Measured(time_s, {name: _number(value) for name, value in values.items()})


def _named(section: Section, convert: Callable[[object], Any]) -> dict[str, Any]:
    return {name: section.convert(name, convert) for name in section.names()}


def _parts(item: object, *converts: Callable[[object], Any]) -> tuple[Any, ...]:
    """The items of a list of fixed length, each through its parser."""
    if not isinstance(item, list) or len(item) != len(converts):
        raise InputError("is of another form", found=str(item)[:80], allowed=f"a list of {len(converts)}")
    return tuple(convert(part) for convert, part in zip(converts, item, strict=True))


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _MOST:
        raise InputError("is no count", found=str(value)[:40], allowed=f"a whole number from 0 to {_MOST}")
    return value


def _any_count(value: object) -> int:
    """A count that is a difference of two: a target that was restarted meanwhile counted less than nothing."""
    if not isinstance(value, int) or isinstance(value, bool) or not abs(value) <= _MOST:
        raise InputError("is no count", found=str(value)[:40], allowed="a whole number")
    return value


def _number(value: object) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not math.isfinite(value):
        raise InputError("is no number", found=str(value)[:40], allowed="a finite number")
    return value


def _seconds(value: object) -> float:
    """Also a factor."""
    if _number(value) < 0:
        raise InputError("is negative", found=value, allowed="0 or more")
    return _number(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise InputError("is no text", found=str(value)[:40], allowed="text")
    return value


def _optional_text(value: object) -> str | None:
    return None if value is None else _text(value)


def _optional_number(value: object) -> float | None:
    return None if value is None else _number(value)


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise InputError("is no truth value", found=str(value)[:40], allowed="true or false")
    return value


def _mapping(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError("is of another form", found=str(value)[:40], allowed="a mapping")
    return value


def _record(value: object) -> str:
    return str(_one_of(Record, value).value)


def _pacing(value: object) -> str:
    return str(_one_of(Pacing, value).value)


def _mode(value: object) -> str:
    return str(_one_of(Mode, value).value)


def _one_of(kind: type[Enum], value: object) -> Enum:
    try:
        return kind(value)
    except ValueError as error:
        allowed = ", ".join(str(each.value) for each in kind)
        raise InputError("is not allowed", found=value, allowed=allowed) from error
