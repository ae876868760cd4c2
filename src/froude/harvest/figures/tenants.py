"""The page of what a datacenter is like: Figures 1 to 6 of the harvesting paper for one's own datacenter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from froude.base.summary import base_text, counted
from froude.harvest.classify.characterise import Characteristics
from froude.harvest.classify.patterns import Patterns
from froude.harvest.telemetry.datacenter import Datacenter, Floats
from froude.harvest.telemetry.profiles import PATTERNS
from froude.render import (
    Axis,
    Callout,
    Chart,
    ChartKind,
    Column,
    KeyFigure,
    Report,
    Section,
    Series,
    Table,
    ValueKind,
)

_POINTS = 400
"""Of a curve: more would not be seen."""
_MOST = 8
"""Outages or tenants that are named; the JSON has all."""


def characterise_report(datacenter: Datacenter, found: Characteristics, facts: Mapping[str, str]) -> Report:
    """A page of Figures 1 to 6."""
    days = datacenter.slots * datacenter.slot_s / 86400
    base = base_text(found.servers_with_pattern, len(datacenter.servers), "server")
    lede = f"Of {base} a pattern is known, over {days:.0f} days."
    share = None
    if found.server_shares is not None:
        periodic, constant, unpredictable = found.server_shares
        share = periodic + constant
        lede = (
            f"{periodic:.0%} of the servers belong to periodic tenants, {constant:.0%} to constant and "
            f"{unpredictable:.0%} to unpredictable ones, over {days:.0f} days ({base}, whose pattern is known, from "
            f"{found.samples_known:.0%} of their samples)."
        )
    figures = [
        KeyFigure("tenants", len(datacenter.tenants)),
        KeyFigure("servers", len(datacenter.servers)),
        KeyFigure("periodic or constant", share, ValueKind.SHARE, note=f"of {base}"),
    ]
    if found.months:
        mean = float(found.server_reimages.mean())
        figures.append(KeyFigure("reimages", round(mean, 3), unit="a server and month"))
    notes = not_known(datacenter, found.patterns, "pattern")
    sections = [Section("Patterns", (_shares(found), *notes, *_examples(datacenter, found)))]
    sections.append(Section("Reimages", _reimages(found)))
    title = f"What {datacenter.name} is like"
    return Report(
        title,
        "",
        lede,
        figures=tuple(figures),
        sections=tuple(sections),
        facts=facts,
    )


def _shares(found: Characteristics) -> Table:
    columns = (Column("pattern"), Column("tenants", ValueKind.SHARE), Column("servers", ValueKind.SHARE))
    caption, empty = "Shares of each pattern (Figures 2 and 3)", "No tenant has a pattern."
    if found.tenant_shares is None or found.server_shares is None:
        return Table(columns, (), caption, empty=empty)
    names = [pattern.value for pattern in PATTERNS]
    return Table(columns, list(zip(names, found.tenant_shares, found.server_shares, strict=True)), caption)


def not_known(datacenter: Datacenter, patterns: Patterns, what: str) -> list[Callout]:
    """What no statistic is of, which patterns are uncertain, and why.

    Args:
        what: that tenants lack: `class` or `pattern`.
    """
    notes, tenants = [], len(patterns.pattern)
    if patterns.outages:
        slot_h = datacenter.slot_s / 3600
        hours = sum(end - begin for begin, end in patterns.outages) * slot_h
        spans = [f"{_moment(a * slot_h)} to {_moment(b * slot_h)}" for a, b in patterns.outages]
        title = f"{counted(len(spans), 'outage')} left out ({hours:.0f} h): {_first(spans)}"
        text = "Nearly no tenant has samples then, as where the monitoring was down. Days count from 0."
        notes.append(Callout(title, text))
    (uncertain,) = np.nonzero(patterns.uncertain)
    if len(uncertain):
        names = [
            f"{datacenter.tenants[n]} {PATTERNS[patterns.pattern[n]].value} (uncertain with {patterns.known[n]:.0%} of "
            "samples)"
            for n in uncertain.tolist()
        ]
        text = f"With all samples these might have another pattern: {_first(names)}."
        notes.append(Callout(f"Pattern uncertain: {base_text(len(names), tenants, 'tenant')}", text))
    if patterns.unknown:
        text = "They have less than half of their samples, or less than 7 days of samples with gaps in them."
        notes.append(Callout(f"No {what}: {base_text(patterns.unknown, tenants, 'tenant')}", text))
    return notes


def _first(texts: Sequence[str]) -> str:
    return ", ".join(texts[:_MOST]) + (f" and {len(texts) - _MOST} more" if len(texts) > _MOST else "")


def _moment(hours: float) -> str:
    minutes = round(hours * 60)
    return f"day {minutes // 1440} {minutes // 60 % 24:02}:{minutes % 60:02}"


def _examples(datacenter: Datacenter, found: Characteristics) -> list[Chart]:
    charts = []
    for example in found.examples:
        name = f"{example.pattern.value}: {example.tenant}"
        step = max(1, len(example.series) // _POINTS)
        hours = np.arange(0, len(example.series), step) * datacenter.slot_s
        series = Series("utilisation", hours.tolist(), gaps(example.series[::step]))
        bins = list(range(1, len(example.spectrum) + 1))
        spectrum = Series("amplitude", bins, example.spectrum.tolist())
        time, share = Axis("time", ValueKind.DURATION), Axis("CPU", ValueKind.SHARE)
        charts.append(Chart(f"{name}, utilisation", time, share, (series,), small=True))
        frequency = Axis("frequency", unit="cycles in all")
        charts.append(Chart(f"{name}, spectrum", frequency, share, (spectrum,), small=True))
    return charts


def gaps(values: Floats) -> list[float | None]:
    """A series as charts take it.

    Args:
        values: shape (n,); NaN where unknown.
    """
    return [None if np.isnan(value) else float(value) for value in values]


def _reimages(found: Characteristics) -> tuple[Chart | Table, ...]:
    if not found.months:
        columns = (Column("reimages"),)
        return (Table(columns, (), "Reimages", empty="No reimage is known of any server."),)
    rate = Axis("reimages", unit="a server and month")
    share = Axis("share", ValueKind.SHARE)
    charts = [
        Chart(title, rate, share, (_cdf(name, values),), ChartKind.STEP, small=True)
        for title, name, values in (
            ("Reimages of servers (Figure 4)", "servers", found.server_reimages),
            ("Reimages of tenants (Figure 5)", "tenants", found.tenant_reimages),
        )
    ]
    if found.months < 2:
        return (_quantiles(found), *charts)
    moves = Axis("changes of tercile", unit="changes")
    caption = f"Between {found.months} months: infrequent, intermediate and frequent thirds of the tenants."
    charts.append(
        Chart(
            "Moves between terciles (Figure 6)",
            moves,
            share,
            (_cdf("tenants", found.moves.astype(np.float64)),),
            ChartKind.STEP,
            caption=caption,
            small=True,
        )
    )
    return (_quantiles(found), *charts)


def _quantiles(found: Characteristics) -> Table:
    def at_most(values: Floats, limit: float) -> float:
        return float((values <= limit).mean())

    few = 8 / 35 * (found.months - 1)
    rows = [
        ("servers with at most one reimage a month", at_most(found.server_reimages, 1), "90 % or more"),
        ("tenants with at most one a server and month", at_most(found.tenant_reimages, 1), "80 % or more"),
    ]
    if found.months > 1:  # of one month nothing moves
        what = f"tenants with at most {few:.0f} moves in {counted(found.months - 1, 'transition')}"
        rows.append((what, at_most(found.moves.astype(np.float64), few), "80 % or more, 8 moves in 35"))
    return Table(
        (Column("share of"), Column("here", ValueKind.SHARE), Column("the paper's")), rows, "Reimages"
    )


def _cdf(name: str, values: Floats) -> Series:
    ordered: Sequence[float] = values.tolist()
    step = max(1, len(ordered) // _POINTS)
    at = [*range(0, len(ordered) - 1, step), len(ordered) - 1]
    return Series(name, [ordered[n] for n in at], [(n + 1) / len(ordered) for n in at])
