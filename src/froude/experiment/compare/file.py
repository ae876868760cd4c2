"""A comparison as a JSON file, and as the document that `froude compare --json` prints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from froude.base.errors import InputError
from froude.documents.artifact import Origin
from froude.documents.lineage import dump_sealed_figures, open_sealed
from froude.documents.migrate import Migrations
from froude.documents.model import read_fields
from froude.experiment.compare.compare import Comparison

KIND = "comparison"
MIGRATIONS = Migrations(KIND, 1)
_LIMIT_BYTES = 64 << 20
_LEAST_LEVEL = 1e-300
"""Of a test: what is rarer has no quantile."""
_FORM = TypeAdapter(Comparison)


def comparison_text(comparison: Comparison, origin: Origin | None = None) -> str:
    """The file's text: the answer first."""
    fields = {"answer": comparison.answer, **_FORM.dump_python(comparison, mode="json")}
    return dump_sealed_figures(MIGRATIONS, fields, origin or Origin())


def read_comparison(path: Path) -> Comparison:
    """Read a comparison's file.

    Raises:
        ChangedError: it was edited or damaged.
        InputError: it is no comparison's file.
    """
    root = open_sealed(path, MIGRATIONS, limit_bytes=_LIMIT_BYTES)
    fields: dict[str, Any] = {
        name: value for name, value in root.fields.items() if name in Comparison.__slots__
    }
    comparison: Comparison = read_fields(Comparison, fields, path)
    check_rows(comparison, path)
    return comparison


def check_rows(comparison: Comparison, path: Path, place: str = "") -> None:
    """Refuse values of which there is no logarithm, as a page takes it of what is compared by its ratio.

    Args:
        place: where in it the comparison stands.

    Raises:
        InputError: there is one.
    """
    for at, row in enumerate(comparison.rows):
        least = min((*row.baseline, *row.candidate), default=0.0)
        if not (row.baseline and row.candidate) or least < 0 or (least == 0 and not row.by_difference):
            raise _out_of_range(path, f"{place}rows.{at}", least, "above 0")
        if not _LEAST_LEVEL <= row.level < 1:
            raise _out_of_range(path, f"{place}rows.{at}.level", row.level, f"{_LEAST_LEVEL:g} to 1")
        if comparison.together is not None and len(row.baseline) != len(row.candidate):
            found = f"{len(row.baseline)} and {len(row.candidate)}"
            raise _out_of_range(path, f"{place}rows.{at}", found, "as many values of both arms")
    if comparison.margin <= 0:
        raise _out_of_range(path, f"{place}margin", comparison.margin, "above 0")
    together = comparison.together
    if together is not None and min(together.measured_s, together.batch_s, together.looks) < 0:
        raise _out_of_range(path, f"{place}together", "less than 0", "0 and more")


def _out_of_range(path: Path, place: str, found: object, allowed: str) -> InputError:
    return InputError("is out of range", file=path, place=place, found=found, allowed=allowed)
