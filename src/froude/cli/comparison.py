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
from froude.cli.tables import aligned
from froude.render import save

if TYPE_CHECKING:
    from froude.documents.artifact import Origin
    from froude.experiment.compare.compare import Comparison, Row


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
        origin: how it came to be.
        written: where.
        environment: what the baseline was measured on.
        time_s: when the candidate was measured, seconds since the epoch.

    Raises:
        typer.Exit: the candidate is worse.
    """
    output, report = written.output, written.report
    from froude.experiment.compare.compare import Outcome
    from froude.experiment.compare.file import comparison_text

    text = comparison_text(comparison, origin)
    if output is not None:
        atomic_write_text(output, text)
    if report is not None:
        from froude.experiment.figures.page import page

        save(page([comparison]).report, report, suffix=_suffix(output, report), origin=origin)
    if written.markdown is not None:
        from froude.experiment.figures.comment import comment

        atomic_write_text(written.markdown, comment(comparison, environment))
    settings.emit(text)
    settings.out(comparison_table(comparison))
    if written.history is not None:
        past.add(settings, comparison, written.history, written.tag, time_s)
    for path in (output, report, written.markdown):
        if path is not None:
            settings.out(f"Written to {path}")
    if comparison.outcome is Outcome.WORSE:
        end(Code.MISSED)


def comparison_table(comparison: Comparison) -> str:
    """The verdict, what to keep in mind with it, what was compared, and every measure."""
    from froude.experiment.compare.comparable import LIMITED
    from froude.experiment.compare.compare import change_text
    from froude.experiment.compare.measures import Sort
    from froude.experiment.figures.comparison import compared_text, value_text

    lines = [comparison.answer, *(f"{remark}." for remark in comparison.remarks), compared_text(comparison)]
    lines += [f"Left out: {name}: {why}" for name, why in comparison.left_out.items()]
    if any(why in LIMITED for why in comparison.left_out.values()):
        lines.append("Of runs that were made in turns, what limits all alike may count: --limited.")
    lines += [f"Differs: {name}: {first} and {second}" for name, first, second in comparison.differences]
    rows: list[tuple[str, ...]] = [
        (
            "measure",
            "outcome",
            "baseline",
            "candidate",
            "change",
            "from",
            "to",
            "runs needed" if comparison.together is None else "time needed",
        )
    ]
    for row in comparison.rows:
        if row.sort is Sort.RESOURCE and not rows[-1][0].startswith(" "):
            rows.append(("what explains", *[""] * 7))
        name = f"  {row.measure}" if row.sort is Sort.RESOURCE else row.measure
        values = [value_text(mean, row.unit) for mean in row.means]
        changes = [change_text(each, row.sort) for each in (row.change, row.low, row.high)]
        rows.append((name, row.words, *values, *changes, _needed(comparison, row)))
    if comparison.rows:
        lines += ["", aligned(rows, words=2)]
    for why in dict.fromkeys(comparison.not_compared.values()):
        names = [name for name, reason in comparison.not_compared.items() if reason == why]
        lines.append(f"Not compared, {why}: {', '.join(names)}")
    return "\n".join(lines)


def _needed(comparison: Comparison, row: Row) -> str:
    """How much more would have to be measured for a measure that is open; empty for one that is not."""
    from froude.experiment.compare.compare import minutes_text

    if not row.outcome.open:
        return ""
    if row.needed is None:
        return "many"
    together = comparison.together
    return str(row.needed) if together is None else minutes_text(row.needed * together.batch_s)


def _suffix(output: Path | None, report: Path | None) -> str:
    """That of a page's figures, by which they do not take the comparison's own place."""
    if report is not None:
        refuse_special(report)  # of `.` and `/` there is no name with another suffix
    same = report is not None and output == report.with_suffix(".json")
    return ".report.json" if same else ".json"
