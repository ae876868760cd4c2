"""A comparison as the comment of a pull request: verdict, what decides, and, folded up, all else. Markdown of GitHub."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from froude.documents.lineage import BLANK, seal
from froude.documents.recognise import COMMENT
from froude.experiment.compare.compare import Comparison, Row, change_text, confidence_text
from froude.experiment.compare.measures import Sort
from froude.experiment.figures.comparison import compared_text, comparison_title, value_text
from froude.render.markdown import escaped, literal

_HEAD = ("measure", "outcome", "baseline", "candidate", "change", "interval")


def comment(comparison: Comparison, environment: Mapping[str, str]) -> str:
    """The comment's text.

    Args:
        environment: what the baseline was measured on.
    """
    return seal("\n\n".join(_blocks(comparison, environment)) + "\n")


def _blocks(comparison: Comparison, environment: Mapping[str, str]) -> Iterator[str]:
    yield f'{COMMENT}; "seal" content="{BLANK}" -->'
    yield f"### {escaped(comparison_title(comparison))}"
    yield escaped(comparison.answer)
    if comparison.remarks:
        yield "\n".join(f"- {escaped(remark)}" for remark in comparison.remarks)
    if comparison.deciding:
        yield _table(_HEAD, [_cells(comparison, row) for row in comparison.deciding])
    explaining = [row for row in comparison.rows if row.sort is Sort.RESOURCE]
    if explaining:
        yield _folded("What explains", _table(_HEAD, [_cells(comparison, row) for row in explaining]))
    yield _folded("On what it was measured", "\n\n".join(_measured(comparison, environment)))


def _measured(comparison: Comparison, environment: Mapping[str, str]) -> Iterator[str]:
    yield escaped(compared_text(comparison))
    differs = {name: (_code(first), _code(second)) for name, first, second in comparison.differences}
    rows = [
        (escaped(name), *differs.get(name, (_code(environment.get(name, "unknown")),) * 2))
        for name in dict.fromkeys([*differs, *environment])
    ]
    if rows:
        yield _table(("", "baseline", "candidate"), rows)
    left_out = [f"- left out: {literal(name)}: {escaped(why)}" for name, why in comparison.left_out.items()]
    if left_out:
        yield "\n".join(left_out)


def _cells(comparison: Comparison, row: Row) -> tuple[str, ...]:
    outcome = row.words
    low, high = (change_text(end, row.sort) for end in (row.low, row.high))
    return (
        _code(row.measure),
        f"**{outcome}**" if row in comparison.worse else outcome,
        *(value_text(mean, row.unit) for mean in row.means),
        change_text(row.change, row.sort),
        f"{low} to {high} ({confidence_text(row.level)})",
    )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows))


def _code(text: str) -> str:
    """A name in a cell, which a bar would end, also in code."""
    return literal(text).replace("|", "\\|")


def _folded(title: str, text: str) -> str:
    return f"<details>\n<summary>{title}</summary>\n\n{text}\n\n</details>"
