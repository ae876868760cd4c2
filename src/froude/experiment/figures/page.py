"""A page of whatever one wants to look at together: Traces, Workloads, Plans, predictions and Runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from froude.emulation.run.run import Run
from froude.experiment.compare.compare import Comparison
from froude.experiment.figures.audit import audit_report
from froude.experiment.figures.comparison import comparison_section
from froude.experiment.figures.head import Part, head_of
from froude.experiment.figures.knee import knee_section
from froude.experiment.figures.latency import coloured_methods
from froude.experiment.figures.plan import plan_section
from froude.experiment.figures.prediction import prediction_section
from froude.experiment.figures.run import run_sections
from froude.experiment.figures.runs import runs_section
from froude.experiment.figures.sweep import sweep_sections
from froude.experiment.figures.trace import traces_section
from froude.experiment.figures.workload import workload_section
from froude.experiment.knee.knee import Knee
from froude.experiment.sweep.result import Swept
from froude.mining.check.prediction import Prediction
from froude.render import Report, Section, save
from froude.trace.audit.summary import AuditSummary
from froude.trace.types import Trace
from froude.workload.plan import Plan
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

        Returns:
            The page's path.

        Raises:
            MissingError: it cannot be written.
        """
        html, _ = save(self.report, Path(path), interactive=interactive)
        return html


def page(parts: Sequence[Part], *, title: str = "", names: Sequence[str] = ()) -> Page:
    """A page of parts in the order given; Traces are gathered in one section, at the place of the first.

    Args:
        parts: Traces, Workloads, Runs and whatever else has sections.
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
