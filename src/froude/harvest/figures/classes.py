"""The page of utilisation classes: a picture of each, how stable they are, and how well they predict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from froude.harvest.classify.backtest import Backtest, Stability
from froude.harvest.classify.classes import Classification, day_profile
from froude.harvest.telemetry.datacenter import Datacenter
from froude.harvest.telemetry.profiles import PATTERNS
from froude.render import (
    Axis,
    Block,
    Callout,
    Chart,
    Column,
    KeyFigure,
    Report,
    Section,
    Series,
    Table,
    Tone,
    Value,
    ValueKind,
)

_HOURS = 24


def classes_report(
    datacenter: Datacenter,
    found: Classification,
    tests: Sequence[Backtest],
    stable: Stability | None,
    facts: Mapping[str, str],
) -> Report:
    """A page of classes.

    Args:
        datacenter: what was classified.
        found: its classes.
        tests: each period held against the one before; empty where the history is too short.
        stable: day to day; None where the history is too short.
        facts: lineage.
    """
    lede = f"{len(found.classes)} classes of {len(datacenter.tenants)} tenants. {_verdict(tests)}"
    figures = [KeyFigure("classes", len(found.classes))]
    if tests:
        kept = sum(test.pattern_kept for test in tests) / len(tests)
        figures.append(
            KeyFigure("pattern kept", kept, ValueKind.SHARE, note="of servers, to the next period")
        )
    if stable is not None:
        figures.append(
            KeyFigure("same classes the next day", round(stable.rand, 3), note="adjusted Rand index")
        )
    sections = (
        Section("Classes", (*_unknown(found), _classes(found), *_pictures(datacenter, found))),
        Section("Against the next period", _tests(tests)),
        Section("From day to day", (_stability(stable),)),
    )
    tone = Tone.NEUTRAL if tests else Tone.WARNING
    return Report(f"Classes of {datacenter.name}", "", lede, tone, tuple(figures), sections, facts)


def _verdict(tests: Sequence[Backtest]) -> str:
    if not tests:
        return "The history holds no two periods, so that nothing says how well they tell the next one."
    errors = {
        name: sum(f.rmse for test in tests for f in test.forecasts if f.name == name) / len(tests)
        for name in (forecast.name for forecast in tests[0].forecasts)
    }
    ours, own, mean = (errors[name] for name in ("class's profile", "tenant's own profile", "tenant's mean"))
    word = "better than" if ours < 0.98 * mean else "no better than"
    return (
        f"A class's mean day tells the next {tests[0].days} days {word} each tenant's mean: "
        f"an error of {ours:.1%} of a server against {mean:.1%}."
        + (f" Each tenant's own profile is off by {own:.1%} only." if own < 0.98 * ours else "")
    )


def _unknown(found: Classification) -> list[Block]:
    gaps = found.patterns.unknown
    if not gaps:
        return []
    return [Callout(f"{gaps} tenants have no class", "Too much of their utilisation is missing to tell.")]


def _classes(found: Classification) -> Table:
    columns = (
        Column("class"),
        Column("tenants", ValueKind.NUMBER),
        Column("servers", ValueKind.NUMBER),
        Column("average", ValueKind.SHARE),
        Column("peak", ValueKind.SHARE),
    )
    rows = [(c.name, len(c.tenants), c.servers, c.average, c.peak) for c in found.classes]
    return Table(columns, rows, "Utilisation classes", note="Peak: 99th percentile, mean over servers.")


def _pictures(datacenter: Datacenter, found: Classification) -> list[Chart]:
    """The mean week or day of every class, one chart a pattern with a panel a class."""
    charts = []
    for pattern in PATTERNS:
        mine = [each for each in found.classes if each.pattern is pattern]
        series = []
        for each in mine:
            profile = day_profile(datacenter, each.tenants).tolist()
            hours = [hour * 3600.0 for hour in range(len(profile))]
            series.append(Series("mean utilisation", hours, profile, panel=each.name, colour=0))
        if series:
            axes = Axis("time", ValueKind.DURATION), Axis("CPU", ValueKind.SHARE, extent=(0.0, 1.0))
            span = "week" if len(series[0].xs) > _HOURS else "day"
            charts.append(Chart(f"Mean {span} of {pattern.value} classes", *axes, tuple(series)))
    return charts


def _tests(tests: Sequence[Backtest]) -> tuple[Block, ...]:
    names = [forecast.name for forecast in tests[0].forecasts] if tests else []
    columns = (
        Column("period"),
        Column("pattern kept", ValueKind.SHARE),
        Column("average off by", ValueKind.SHARE),
        Column("above its peak", ValueKind.SHARE),
        *(Column(f"error by {name}", ValueKind.SHARE) for name in names),
    )
    rows: list[tuple[Value, ...]] = [
        (
            f"days {test.first_day} to {test.first_day + test.days}",
            test.pattern_kept,
            test.average_error,
            test.peak_exceeded,
            *(forecast.rmse for forecast in test.forecasts),
        )
        for test in tests
    ]
    note = "Errors: root mean square over slots, in shares of a server. Above its peak: 1 % where nothing changes."
    empty = "The history is too short: two periods of 30, 7 or 2 days are needed."
    return (Table(columns, rows, "Backtest: each period against the one before", note=note, empty=empty),)


def _stability(stable: Stability | None) -> Table:
    columns = (
        Column("window", ValueKind.NUMBER, "days"),
        Column("pattern kept", ValueKind.SHARE),
        Column("adjusted Rand index", ValueKind.NUMBER),
    )
    rows = [] if stable is None else [(stable.days, stable.pattern_kept, round(stable.rand, 3))]
    empty = "The history is no longer than one window."
    return Table(columns, rows, "Classes made again a day later", empty=empty)
