"""The page of what a datacenter is like: Figures 1 to 6 of the harvesting paper for one's own datacenter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from froude.harvest.classify.characterise import Characteristics
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


def characterise_report(datacenter: Datacenter, found: Characteristics, facts: Mapping[str, str]) -> Report:
    """A page of Figures 1 to 6.

    Args:
        datacenter: what was looked at.
        found: of it.
        facts: lineage.
    """
    periodic, constant, unpredictable = found.server_shares
    days = datacenter.slots * datacenter.slot_s / 86400
    lede = (
        f"{periodic:.0%} of the servers belong to periodic tenants, {constant:.0%} to constant and "
        f"{unpredictable:.0%} to unpredictable ones, over {days:.0f} days."
    )
    figures = [
        KeyFigure("tenants", len(datacenter.tenants)),
        KeyFigure("servers", len(datacenter.servers)),
        KeyFigure("periodic or constant", periodic + constant, ValueKind.SHARE, note="of the servers"),
    ]
    if found.months:
        mean = float(found.server_reimages.mean())
        figures.append(KeyFigure("reimages", round(mean, 3), unit="a server and month"))
    sections = [Section("Patterns", (_shares(found), *_unknown(found), *_examples(datacenter, found)))]
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
    rows = [
        (pattern.value, tenants, servers)
        for pattern, tenants, servers in zip(PATTERNS, found.tenant_shares, found.server_shares, strict=True)
    ]
    columns = (Column("pattern"), Column("tenants", ValueKind.SHARE), Column("servers", ValueKind.SHARE))
    return Table(columns, rows, "Shares of each pattern (Figures 2 and 3)")


def _unknown(found: Characteristics) -> list[Callout]:
    gaps = found.patterns.unknown
    if not gaps:
        return []
    return [Callout(f"{gaps} tenants have no pattern", "Too much of their utilisation is missing to tell.")]


def _examples(datacenter: Datacenter, found: Characteristics) -> list[Chart]:
    charts = []
    for example in found.examples:
        name = f"{example.pattern.value}: {example.tenant}"
        step = max(1, len(example.series) // _POINTS)
        hours = np.arange(0, len(example.series), step) * datacenter.slot_s
        series = Series("utilisation", hours.tolist(), _gaps(example.series[::step]))
        bins = list(range(1, len(example.spectrum) + 1))
        spectrum = Series("amplitude", bins, example.spectrum.tolist())
        time, share = Axis("time", ValueKind.DURATION), Axis("CPU", ValueKind.SHARE)
        charts.append(Chart(f"{name}, utilisation", time, share, (series,), small=True))
        frequency = Axis("frequency", unit="cycles in all")
        charts.append(Chart(f"{name}, spectrum", frequency, share, (spectrum,), small=True))
    return charts


def _gaps(values: Floats) -> list[float | None]:
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

    few = 8 / 35 * max(1, found.months - 1)
    rows = [
        ("servers with at most one reimage a month", at_most(found.server_reimages, 1), "90 % or more"),
        ("tenants with at most one a server and month", at_most(found.tenant_reimages, 1), "80 % or more"),
        (
            f"tenants with at most {few:.0f} moves in {found.months - 1} transitions",
            at_most(found.moves.astype(np.float64), few),
            "80 % or more, 8 moves in 35",
        ),
    ]
    return Table(
        (Column("share of"), Column("here", ValueKind.SHARE), Column("the paper's")), rows, "Reimages"
    )


def _cdf(name: str, values: Floats) -> Series:
    ordered: Sequence[float] = values.tolist()
    step = max(1, len(ordered) // _POINTS)
    at = [*range(0, len(ordered) - 1, step), len(ordered) - 1]
    return Series(name, [ordered[n] for n in at], [(n + 1) / len(ordered) for n in at])
