"""A comparison's file reads as it was written; one that was changed is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from froude.base.errors import ChangedError, InputError
from froude.documents.artifact import Origin
from froude.documents.lineage import dump_sealed_figures
from froude.experiment.compare.compare import Comparison, compare
from froude.experiment.compare.file import MIGRATIONS, comparison_text, read_comparison
from tests.support.experiment.comparisons import arms


@pytest.mark.parametrize("runs", [1, 3, 7])
def test_what_is_written_is_read(runs: int, tmp_path: Path) -> None:
    """Every field; the answer stands first for whoever opens it."""
    comparison: Comparison = compare(**arms(runs, 1.2))
    (tmp_path / "c.json").write_text(comparison_text(comparison, Origin("froude compare", ("ab",))))
    assert read_comparison(tmp_path / "c.json") == comparison
    fields = json.loads((tmp_path / "c.json").read_text())
    assert fields["answer"] == comparison.answer
    assert fields["lineage"]["inputs"] == ["ab"]


def test_an_edited_one_is_refused(tmp_path: Path) -> None:
    """By its hash."""
    text = comparison_text(compare(**arms(3, 1.5)))
    (tmp_path / "c.json").write_text(text.replace('"slower"', '"faster"', 1))
    with pytest.raises(ChangedError):
        read_comparison(tmp_path / "c.json")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"margin": "much"}, "margin"),
        ({"outcome": "fine"}, "outcome"),
        ({"rows": [{"measure": "mean"}]}, "rows.0"),
    ],
)
def test_one_of_another_form_is_refused(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    """With the place; its hash is right."""
    fields = json.loads(comparison_text(compare(**arms(3))))
    plain = {name: value for name, value in fields.items() if name not in {"froude", "lineage"}}
    (tmp_path / "c.json").write_text(dump_sealed_figures(MIGRATIONS, {**plain, **change}, Origin()))
    with pytest.raises(InputError, match=said):
        read_comparison(tmp_path / "c.json")


def test_a_value_of_which_there_is_no_logarithm_is_refused(tmp_path: Path) -> None:
    """A page would take it."""
    fields = json.loads(comparison_text(compare(**arms(3))))
    plain = {name: value for name, value in fields.items() if name not in {"froude", "lineage"}}
    plain["rows"][0]["baseline"] = [0.0]
    (tmp_path / "c.json").write_text(dump_sealed_figures(MIGRATIONS, plain, Origin()))
    with pytest.raises(InputError, match=r"rows\.0: is out of range"):
        read_comparison(tmp_path / "c.json")
