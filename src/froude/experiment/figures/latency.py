"""A Run's latency: by method, as a distribution, over time, and against the load."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise

from froude.emulation.run.run import Latency, Run, histogram_of
from froude.emulation.run.tally import Histogram
from froude.experiment.figures.phases import phase_marks, time_axis
from froude.hadoop.rpc.target import daemon_name
from froude.render import Axis, Block, Chart, ChartKind, Column, Section, Series, Table, Value, ValueKind

_MOST_PANELS = 9
_MOST_LINES = 4
_MOST_COLOURS = 5
"""Methods that have a colour of their own, the same in every chart of a page; the two colours left are for all calls
and for the other methods."""
_ALL, _OTHERS = 5, 6
_LATENCY = Axis("latency", ValueKind.DURATION, log=True)
_SHARES = (
    0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.925, 0.95, 0.965, 0.98, 0.985, 0.99, 0.9925,
    0.995, 0.9965, 0.998, 0.999, 0.9995, 0.9998, 0.9999, 0.99995, 0.99998, 0.99999,
)  # fmt: skip
"""Percentiles that are drawn, where enough calls were made to have them."""
_PACED = {
    Latency.RESPONSE: "From the time at which the plan had a call due: a server that stands still cannot hide calls.",
    Latency.SERVICE: "From the time at which a call was sent. Closed clients wait for their answers, so a server that "
    "stands still is met by fewer calls; the corrected column adds those, by the interval in which they were expected.",
}
_BESIDE = {Latency.SERVICE: "p99 of service time", Latency.CORRECTED: "p99, corrected"}


def latency_section(run: Run, methods: Sequence[str] = ()) -> Section:
    """Every chart and table of latency and throughput.

    Args:
        methods: those of the page, the most frequent first, so that each has one colour; empty for the run's own.
    """
    coloured = methods or coloured_methods([run])
    late = run.lateness
    charts = (distribution(run, coloured), against_load(run, coloured))
    blocks: list[Block] = [
        by_method(run),
        *(chart for chart in charts if chart.series),
        over_time(run, _by_calls(run)),
        throughput(run, coloured),
    ]
    intro = (
        f"{run.pacing.capitalize()} pacing."
        + f" Calls were sent {late.p50_ms:.2f} ms (median) and {late.p99_ms:.1f} ms (p99) after they were due."
        * bool(late.count)
    )
    return Section("Latency and throughput", tuple(blocks), intro)


def coloured_methods(runs: Sequence[Run]) -> tuple[str, ...]:
    """The most frequent methods of all runs of a page, which are told apart by colour in every chart."""
    calls = Counter[str]()
    for run in runs:
        calls.update({name: sent for name, (sent, answered) in run.counts.items() if answered})
    return tuple(name for name, _ in calls.most_common(_MOST_COLOURS))


def by_method(run: Run) -> Table:
    """Calls, errors and percentiles of every method that was answered."""
    other = _beside(run)
    rows: list[tuple[Value, ...]] = []
    for daemon, part in (run.parts or {"": run}).items():
        for method in ([None] if daemon else []) + _by_calls(part):
            counts = [counted for name, counted in part.counts.items() if method in {None, name}]
            sent, answered = (sum(each) for each in zip(*counts, strict=True))
            main, beside = part.latency(method), part.latency(method, other)
            errors = sum(sum(by.values()) for name, by in part.errors.items() if method in {None, name})
            times = (main.seconds(name) for name in ("p50_ms", "p99_ms", "p999_ms", "max_ms"))
            who = [daemon_name(daemon)] if daemon else []
            rows.append((*who, method or "all", sent, answered, errors, *times, beside.seconds("p99_ms")))
    columns = (
        *([Column("Daemon")] if run.parts else []),
        Column("Method", ValueKind.CODE),
        Column("Sent", ValueKind.NUMBER),
        Column("Answered", ValueKind.NUMBER),
        Column("Errors", ValueKind.NUMBER),
        *(Column(title, ValueKind.DURATION) for title in ("p50", "p99", "p99.9", "Max", _BESIDE[other])),
    )
    title = f"{run.main_latency.value.capitalize()} by method"
    return Table(columns, rows, title, _PACED[run.main_latency])


def distribution(run: Run, methods: Sequence[str]) -> Chart:
    """Latency at every percentile, of all calls and of the most frequent methods.

    Args:
        methods: in the order of their colours.
    """
    everything = _merged(run, run.main_latency)
    other = _beside(run)
    lines = [
        _percentiles("all calls", everything, _ALL),
        _percentiles(f"all calls ({other.value})", _merged(run, other), _ALL, dashed=True),
        *(
            _percentiles(method, histogram_of(run.tally.series[method], run.main_latency), colour)
            for colour, method in _answered(run, methods)[:_MOST_LINES]
        ),
    ]
    return Chart(
        f"{run.main_latency.value.capitalize()} at every percentile",
        Axis("percentile of the calls", ValueKind.PERCENTILE),
        _LATENCY,
        tuple(line for line in lines if line.xs),
        caption="Every further nine has the same room. A line ends where too few calls were made to say more.",
    )


def against_load(run: Run, methods: Sequence[str]) -> Chart:
    """Each interval as a point: how many calls were answered in a second, and the p99 of a method in it.

    Args:
        methods: in the order of their colours.
    """
    totals: dict[float, int] = defaultdict(int)
    for row in run.tally.rows:
        totals[row.time_s] += row.answered
    lengths = _lengths(run)
    series = []
    for colour, method in _answered(run, methods)[:_MOST_LINES]:
        rows = [
            row for row in run.tally.rows if row.method == method and row.answered and lengths[row.time_s]
        ]
        points = sorted((totals[row.time_s] / lengths[row.time_s], row.p99_ms / 1e3) for row in rows)
        loads, p99s = [load for load, _ in points], [p99 for _, p99 in points]
        series.append(Series(method, loads, p99s, colour=colour))
    highest = max((totals[end] / length for end, length in lengths.items() if length), default=0.0)
    return Chart(
        "Latency against load",
        Axis("answered, all methods", unit="calls/s", extent=(0.0, 1.02 * highest)),
        Axis("p99 of the interval", ValueKind.DURATION, log=True),
        tuple(each for each in series if len(each.xs) > 1),
        ChartKind.POINTS,
        caption="A point for each interval of the run and method.",
    )


def over_time(run: Run, methods: Sequence[str]) -> Chart:
    """Percentiles of the most frequent methods, a panel each.

    Args:
        methods: in the order of their panels.
    """
    series = []
    for method in methods[:_MOST_PANELS]:
        rows = [row for row in run.tally.rows if row.method == method and row.answered]
        times = [row.time_s for row in rows]
        series.append(Series("p99", times, [row.p99_ms / 1e3 for row in rows], panel=method))
        series.append(Series("p50", times, [row.p50_ms / 1e3 for row in rows], panel=method, dashed=True))
    title = "Latency over time, from when calls were due"
    return Chart(title, time_axis(run), _LATENCY, tuple(series), marks=phase_marks(run))


def throughput(run: Run, methods: Sequence[str]) -> Chart:
    """Answered calls in a second, the most frequent methods apart.

    Args:
        methods: in the order of their colours.
    """
    lengths = _lengths(run)
    shown = {method: colour for colour, method in _answered(run, methods)} | {"others": _OTHERS}
    rates = {name: dict.fromkeys(lengths, 0.0) for name in shown}
    for row in run.tally.rows:
        name = row.method if row.method in shown else "others"
        rates[name][row.time_s] += row.answered / lengths[row.time_s] if lengths[row.time_s] > 0 else 0.0
    series = (
        Series(name, list(each), list(each.values()), colour=shown[name])
        for name, each in rates.items()
        if any(each.values())
    )
    axis = Axis("answered", unit="calls/s")
    return Chart("Answered calls", time_axis(run), axis, tuple(series), ChartKind.AREA, phase_marks(run))


def _by_calls(run: Run) -> list[str]:
    """Methods that were answered, the most frequent first."""
    counts = run.counts
    return sorted(
        (name for name, (_, answered) in counts.items() if answered), key=lambda name: -counts[name][0]
    )


def _answered(run: Run, methods: Sequence[str]) -> list[tuple[int, str]]:
    """Those of a page's methods that the run has, with the numbers of their colours."""
    counts = run.counts
    return [(colour, name) for colour, name in enumerate(methods) if name in counts and counts[name][1]]


def _beside(run: Run) -> Latency:
    return Latency.SERVICE if run.main_latency is Latency.RESPONSE else Latency.CORRECTED


def _merged(run: Run, latency: Latency) -> Histogram:
    total = Histogram()
    for series in run.tally.series.values():
        total.merge(histogram_of(series, latency))
    return total


def _percentiles(name: str, histogram: Histogram, colour: int, *, dashed: bool = False) -> Series:
    """As far as at least one call lies beyond."""
    shares = [share for share in _SHARES if share <= 1 - 1 / max(1, histogram.total)]
    values = [ms / 1e3 for ms in histogram.quantiles_ms(shares)] if histogram.total else []
    return Series(name, shares if values else [], values, dashed=dashed, colour=colour)


def _lengths(run: Run) -> dict[float, float]:
    """How long every interval of the run was, by its end."""
    ends = sorted({row.time_s for row in run.tally.rows})
    return {end: end - before for before, end in pairwise([0.0, *ends])}
