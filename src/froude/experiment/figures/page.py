"""A page of whatever one wants to look at together: Traces, Workloads, Plans, predictions and Runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from froude.emulation.run import Run
from froude.experiment.figures.plan import plan_section
from froude.experiment.figures.prediction import prediction_section
from froude.experiment.figures.run import run_sections
from froude.experiment.figures.trace import traces_section
from froude.experiment.figures.workload import workload_section
from froude.mining.prediction import Prediction
from froude.render import Report, Section, save
from froude.trace.types import Trace
from froude.workload.plan import Plan
from froude.workload.types import Workload

Part = Trace | Workload | Plan | Prediction | Run
"""What has sections of its own."""


@dataclass(frozen=True, slots=True)
class Page:
    """A report that can be saved."""

    report: Report

    def save(self, path: Path | str, *, interactive: bool = True) -> Path:
        """Write the HTML page and its figures as JSON beside it.

        Args:
            path: of the page.
            interactive: False for charts as pictures, a quarter of the size.

        Returns:
            The page's path.

        Raises:
            MissingError: it cannot be written.
        """
        html, _ = save(self.report, Path(path), interactive=interactive)
        return html


def page(parts: Sequence[Part], *, title: str = "Froude report") -> Page:
    """A page of parts in the order given; Traces are gathered in one section, at the place of the first.

    Args:
        parts: Traces, Workloads, Runs and whatever else has sections.
        title: the page's heading.

    Raises:
        TypeError: a part has no sections.
    """
    traces = [part for part in parts if isinstance(part, Trace)]
    sections: list[Section] = []
    for part in parts:
        if not isinstance(part, Trace):
            sections += sections_of(part)
        elif part is traces[0]:
            sections.append(traces_section(traces))
    return Page(Report(title, sections=tuple(sections)))


def sections_of(part: Part) -> tuple[Section, ...]:
    """The sections of one part.

    Raises:
        TypeError: it has none.
    """
    match part:
        case Trace():
            return (traces_section([part]),)
        case Workload():
            return (workload_section(part),)
        case Plan():
            return (plan_section(part), workload_section(part.workload, part.scale))
        case Prediction():
            return (prediction_section(part, "the held-out size"),)
        case Run():
            return run_sections(part)
    raise TypeError(f"a {type(part).__name__} has no place in a report")
