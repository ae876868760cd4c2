"""A comparison of two arms, as it is written and printed: file, page, comment, history, and a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from froude.base.files import atomic_write_text, refuse_special
from froude.cli import history as past
from froude.cli.ending import Code, end
from froude.cli.outputs import Output
from froude.cli.outputs import page as page_places
from froude.cli.settings import Settings

if TYPE_CHECKING:
    from froude.documents.artifact import Origin
    from froude.experiment.compare.compare import Comparison


@dataclass(frozen=True, slots=True)
class Written:
    """Where a comparison is written; None for nowhere."""

    output: Path | None = None
    """The comparison, JSON."""
    report: Path | None = None
    """Its page."""
    markdown: Path | None = None
    """Its comment."""
    history: Path | None = None
    """A table that a line is added to."""
    tag: str = ""
    """What of the line, such as a commit."""

    @property
    def places(self) -> list[Output]:
        """All of them, to be claimed."""
        named = [(self.output, "comparison"), (self.markdown, "comment")]
        places = [Output(path, kind) for path, kind in named if path is not None]
        return [
            *places,
            *page_places(self.report, _suffix(self.output, self.report)),
            *past.place(self.history),
        ]


def show(
    settings: Settings,
    comparison: Comparison,
    origin: Origin,
    written: Written,
    environment: Mapping[str, str],
    time_s: float,
) -> None:
    """Write and print what was found.

    Args:
        environment: what the baseline was measured on.
        time_s: when the candidate was measured, seconds since the epoch.

    Raises:
        typer.Exit: the candidate is worse.
    """
    output, report = written.output, written.report
    from froude.cli.page_text import page_text
    from froude.experiment.compare.comparable import LIMITED
    from froude.experiment.compare.compare import Outcome
    from froude.experiment.compare.file import comparison_text
    from froude.experiment.figures.comparison import compared_text
    from froude.experiment.figures.page import page
    from froude.render import save

    text = comparison_text(comparison, origin)
    if output is not None:
        atomic_write_text(output, text)
    shown = page([comparison]).report
    if report is not None:
        save(shown, report, suffix=_suffix(output, report), origin=origin)
    if written.markdown is not None:
        from froude.experiment.figures.comment import comment

        atomic_write_text(written.markdown, comment(comparison, environment))
    settings.emit(text)
    settings.out(f"{page_text(shown)}\n\n{compared_text(comparison)}")
    if LIMITED.intersection(comparison.left_out.values()):
        settings.out("Of runs that were made in turns, what limits all alike may count: --limited.")
    if written.history is not None:
        past.add(settings, comparison, written.history, written.tag, time_s)
    for path in (output, report, written.markdown):
        if path is not None:
            settings.out(f"Written to {path}")
    if comparison.outcome is Outcome.WORSE:
        end(Code.MISSED)


def _suffix(output: Path | None, report: Path | None) -> str:
    """That of a page's figures, by which they do not take the comparison's own place."""
    if report is not None:
        refuse_special(report)  # of `.` and `/` there is no name with another suffix
    same = report is not None and output == report.with_suffix(".json")
    return ".report.json" if same else ".json"
