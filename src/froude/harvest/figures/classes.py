"""The page of utilisation classes: a picture of each, how stable they are, and how well they predict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from froude.base.summary import base_text
from froude.harvest.classify.backtest import Backtest, Stability
from froude.harvest.classify.classes import Classification, UtilisationClass, day_profile
from froude.harvest.figures.tenants import gaps, not_known
from froude.harvest.telemetry.datacenter import Datacenter
from froude.harvest.telemetry.profiles import PATTERNS
from froude.render import (
    Axis,
    Block,
    Chart,
    Column,
    KeyFigure,
    Report,
    Section,
    Series,
    Table,
    TableOf,
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
        tests: each period held against the one before; empty where the history is too short.
        stable: day to day; None where the history is too short.
    """
    lede = f"{len(found.classes)} classes of {len(datacenter.tenants)} tenants. {_verdict(tests)}"
    figures = [KeyFigure("classes", len(found.classes))]
    known = [test for test in tests if test.pattern_kept is not None]
    if known:
        kept = sum(test.pattern_kept or 0.0 for test in known) / len(known)
        base = base_text(min(test.with_pattern for test in known), known[0].servers, "server")
        figures.append(
            KeyFigure("pattern kept", kept, ValueKind.SHARE, note=f"to the next period, of {base}")
        )
    if stable is not None and stable.rand is not None:
        note = f"adjusted Rand index, of {base_text(stable.with_pattern, stable.servers, 'server')}"
        figures.append(KeyFigure("same classes the next day", round(stable.rand, 3), note=note))
    sections = (
        Section(
            "Classes",
            (*not_known(datacenter, found.patterns, "class"), _classes(found), *_pictures(datacenter, found)),
        ),
        Section("Against the next period", _tests(tests)),
        Section("From day to day", (_stability(stable),)),
    )
    tone = Tone.NEUTRAL if tests else Tone.WARNING
    return Report(f"Classes of {datacenter.name}", "", lede, tone, tuple(figures), sections, facts)


def _verdict(tests: Sequence[Backtest]) -> str:
    if not tests:
        return "The history holds no two periods, so that nothing says how well they tell the next one."
    known = [test for test in tests if test.forecast]
    if not known:
        return (
            f"How well they predict the next period is not known: by {tests[0].days} days alone, of whose samples "
            f"{min(test.samples for test in tests):.0%} are known, no server has a class and samples after it."
        )
    errors = {
        name: sum(f.rmse or 0.0 for test in known for f in test.forecasts if f.name == name) / len(known)
        for name in (forecast.name for forecast in known[0].forecasts)
    }
    ours, own, mean = (errors[name] for name in ("class's profile", "tenant's own profile", "tenant's mean"))
    if not mean:
        return f"Utilisation did not vary in the next {known[0].days} days: every forecast is exact."
    word = "better than" if ours < 0.98 * mean else "no better than"
    base = base_text(min(test.forecast for test in known), known[0].servers, "server")
    return (
        f"A class's mean day predicts the next {known[0].days} days {word} each tenant's mean: "
        f"an error of {ours:.1%} of a server against {mean:.1%} ({base})."
        + (f" Each tenant's own profile is off by {own:.1%} only." if own < 0.98 * ours else "")
    )


def _classes(found: Classification) -> Table:
    return (
        TableOf[UtilisationClass]()
        .words("class", lambda each: each.name)
        .number("tenants", lambda each: len(each.tenants))
        .number("servers", lambda each: each.servers)
        .share("average", lambda each: each.average)
        .share("peak", lambda each: each.peak)
        .share("samples known", lambda each: each.known)
        .of(found.classes, "Utilisation classes", note="Peak: 99th percentile, mean over servers.")
    )


def _pictures(datacenter: Datacenter, found: Classification) -> list[Chart]:
    """The mean week or day of every class, one chart a pattern with a panel a class."""
    charts = []
    for pattern in PATTERNS:
        mine = [each for each in found.classes if each.pattern is pattern]
        series = []
        for each in mine:
            profile = gaps(day_profile(datacenter, each.tenants))
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
        Column("of servers"),
        Column("average off by", ValueKind.SHARE),
        Column("above its peak", ValueKind.SHARE),
        Column("of servers"),
        *(Column(f"error by {name}", ValueKind.SHARE) for name in names),
        Column("of servers"),
        Column("samples known", ValueKind.SHARE),
    )
    rows: list[tuple[Value, ...]] = [
        (
            f"days {test.first_day} to {test.first_day + test.days}",
            test.pattern_kept,
            f"{test.with_pattern} of {test.servers}",
            test.average_error,
            test.peak_exceeded,
            f"{test.measured} of {test.servers}",
            *(forecast.rmse for forecast in test.forecasts),
            f"{test.forecast} of {test.servers}",
            test.samples,
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
        Column("of servers"),
    )
    rows: list[tuple[Value, ...]] = []
    if stable is not None:
        rand = None if stable.rand is None else round(stable.rand, 3)
        rows = [(stable.days, stable.pattern_kept, rand, f"{stable.with_pattern} of {stable.servers}")]
    empty = "The history is no longer than one window."
    return Table(columns, rows, "Classes made again a day later", empty=empty)
