"""A page of whatever one wants to look at together: Traces, Workloads, Plans, predictions and Runs.

Plans and several Runs, which no other page shows, have their sections here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from froude.emulation.run.run import Run
from froude.experiment.compare.compare import Comparison
from froude.experiment.figures.audit import audit_report
from froude.experiment.figures.comparison import comparison_section
from froude.experiment.figures.environment import limit_words, scale_text
from froude.experiment.figures.head import Part, head_of
from froude.experiment.figures.knee import knee_section
from froude.experiment.figures.latency import coloured_methods
from froude.experiment.figures.names import named
from froude.experiment.figures.prediction import prediction_section
from froude.experiment.figures.run import run_sections
from froude.experiment.figures.sweep import sweep_sections
from froude.experiment.figures.trace import traces_section
from froude.experiment.figures.workload import workload_section
from froude.experiment.knee.answer import Knee
from froude.experiment.sweep.result import Swept
from froude.mining.check.prediction import Prediction
from froude.render import (
    Axis,
    Block,
    Callout,
    Chart,
    ChartKind,
    Column,
    Report,
    Section,
    Series,
    Table,
    Tone,
    Value,
    ValueKind,
    literal,
    save,
)
from froude.trace.audit.summary import AuditSummary
from froude.trace.types import Trace
from froude.workload.plan import Plan, calls_per_node
from froude.workload.types import Workload

_TITLE = "Froude report"


@dataclass(frozen=True, slots=True)
class Page:
    """A report that can be saved."""

    report: Report

    def save(self, path: Path | str, *, interactive: bool = True) -> Path:
        """Write the HTML page and its figures as JSON beside it.

        Args:
            interactive: False for charts as pictures, a quarter of the size.

        Raises:
            MissingError: it cannot be written.
        """
        html, _ = save(self.report, Path(path), interactive=interactive)
        return html


def page(parts: Sequence[Part], *, title: str = "", names: Sequence[str] = ()) -> Page:
    """A page of parts in the order given; Traces are gathered in one section, at the place of the first.

    Args:
        title: the page's heading; by default what it is of, and the result.
        names: of the parts, which stand below the heading; by default their kinds, in sections alone.

    Raises:
        TypeError: a part has no sections.
    """
    named = list(zip(names or _default_names(parts), parts, strict=True))
    if not named:
        return Page(Report(title or _TITLE))
    sections = _sections(named)
    head = head_of(named)
    subtitle = " · ".join(part for part in (", ".join(names), head.subtitle) if part)
    return Page(Report(title or head.title, subtitle, head.lede, head.tone, head.figures, sections))


def _sections(named: Sequence[tuple[str, Part]]) -> tuple[Section, ...]:
    """All sections; those of one title say whose they are."""
    traces = [(name, part) for name, part in named if isinstance(part, Trace)]
    runs = [(name, part) for name, part in named if isinstance(part, Run)]
    sections = [("", runs_section(runs))] if len(runs) > 1 else []
    methods = coloured_methods([run for _, run in runs])
    for name, part in named:
        if isinstance(part, Run):
            sections += [(name, section) for section in run_sections(part, methods)]
        elif not isinstance(part, Trace):
            sections += [(name, section) for section in sections_of(part)]
        elif part is traces[0][1]:
            gathered = traces_section([trace for _, trace in traces], names=[name for name, _ in traces])
            sections.append(("", gathered))
    titles = Counter(section.title for _, section in sections)
    return tuple(
        replace(section, title=f"{section.title}: {name}") if titles[section.title] > 1 else section
        for name, section in sections
    )


def _default_names(parts: Sequence[Part]) -> list[str]:
    """Such as `run`, or `run 1` and `run 2` where there are several."""
    kinds = [type(part).__name__.lower() for part in parts]
    numbers = Counter[str]()
    names = []
    for kind in kinds:
        numbers[kind] += 1
        names.append(f"{kind} {numbers[kind]}" if kinds.count(kind) > 1 else kind)
    return names


def sections_of(part: Part) -> tuple[Section, ...]:
    """The sections of one part.

    Raises:
        TypeError: it has none.
    """
    match part:
        case Trace():
            return (traces_section([part]),)
        case AuditSummary():
            return tuple(audit_report(part).sections)
        case Workload():
            return (workload_section(part),)
        case Plan():
            return (plan_section(part), workload_section(part.workload, part.scale))
        case Prediction():
            return (prediction_section(part, "the held-out size"),)
        case Run():
            return run_sections(part)
        case Knee():
            return (knee_section(part),)
        case Comparison():
            return (comparison_section(part),)
        case Swept():
            return tuple(sweep_sections(part))
    raise TypeError(f"a {type(part).__name__} has no place in a report")


def plan_section(plan: Plan) -> Section:
    """Nodes, calls and refusals."""
    rows: list[tuple[Value, ...]] = []
    for node_type in plan.workload.node_types:
        if node_type.name in plan.counts:
            count = plan.counts[node_type.name]
            rate = count * sum(1 / periodic.every_s for periodic in node_type.periodic)
            calls = calls_per_node(plan, node_type)
            rows.append((named(node_type), count, calls, count * calls, rate))
    columns = (
        Column("Node type"),
        Column("Nodes", ValueKind.NUMBER),
        Column("Calls of each", ValueKind.NUMBER),
        Column("Calls of all", ValueKind.NUMBER),
        Column("Periodic calls", ValueKind.NUMBER, "calls/s"),
    )
    blocks: list[Block] = [Table(columns, rows, "What would be played")]
    for refusal in plan.refusals:
        tone = Tone.BAD if refusal.fatal else Tone.WARNING
        title = "Refused" if refusal.fatal else "To be kept in mind"
        blocks.append(Callout(title, literal(refusal.what), tone))
    why = "see the refusals" if plan.refused else literal(plan.obstacle)
    playable = "It can be played." if plan.playable else f"It cannot be played: {why}."
    return Section(f"The plan at {plan.scale}", tuple(blocks), playable)


def runs_section(runs: Sequence[tuple[str, Run]]) -> Section:
    """The runs as rows, and each as a point of latency against load.

    Args:
        runs: with their names, in the order of the rows.
    """
    rows: list[tuple[Value, ...]] = []
    points = []
    for name, run in runs:
        latency = run.latency()
        errors = sum(sum(by_class.values()) for by_class in run.errors.values())
        times = (latency.seconds("p50_ms"), latency.seconds("p99_ms"))
        limit, _ = limit_words(run.bottleneck.by.value, run.environment, run.bottleneck.daemon)
        rows.append((name, scale_text(run), run.throughput(), *times, errors, limit, run.main_latency.value))
        points.append((run.throughput(), *times))
    points.sort(key=lambda point: point[0])
    columns = (
        Column("Run", ValueKind.CODE),
        Column("Scale"),
        Column("Answered", ValueKind.NUMBER, "calls/s"),
        Column("p50", ValueKind.DURATION),
        Column("p99", ValueKind.DURATION),
        Column("Errors", ValueKind.NUMBER),
        Column("Limited by"),
        Column("Latency is"),
    )
    loads = [point[0] for point in points]
    series = tuple(
        Series(name, loads, [point[at] for point in points]) for at, name in ((2, "p99"), (1, "p50"))
    )
    chart = Chart(
        "Latency against load, a point for each run",
        Axis("answered, all methods", unit="calls/s", extent=(0.0, 1.02 * loads[-1])),
        Axis("latency", ValueKind.DURATION, log=True),
        series,
        ChartKind.POINTS,
    )
    return Section("The runs side by side", (Table(columns, rows, "Runs"), chart))
