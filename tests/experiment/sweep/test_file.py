"""A sweep's file reads as it was written; one that was changed is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from froude.base.errors import ChangedError, InputError
from froude.documents.artifact import Origin
from froude.documents.lineage import dump_sealed_figures
from froude.documents.recognise import kind_of
from froude.experiment.sweep.file import KIND, MIGRATIONS, read_swept, swept_text
from tests.support.experiment.sweeps import swept


@pytest.mark.parametrize("factors", [(1.0,), (1.0, 1.4), (1.0, 1.4, 0.7)])
def test_what_is_written_is_read(factors: tuple[float, ...], tmp_path: Path) -> None:
    """Every field, those of the comparisons too; the answer stands first."""
    found = swept(*factors)
    (tmp_path / "s.json").write_text(swept_text(found, Origin("froude sweep")))
    assert read_swept(tmp_path / "s.json") == found
    assert json.loads((tmp_path / "s.json").read_text())["answer"] == found.answer
    assert kind_of(tmp_path / "s.json") == KIND


def test_an_edited_one_is_refused(tmp_path: Path) -> None:
    """By its hash."""
    text = swept_text(swept(1.0, 1.5))
    (tmp_path / "s.json").write_text(text.replace('"slower"', '"faster"', 1))
    with pytest.raises(ChangedError):
        read_swept(tmp_path / "s.json")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda fields: fields.update(arms=[]), "arms: has no arm"),
        (lambda fields: fields.update(repeats="many"), "repeats"),
        (
            lambda fields: fields["arms"][1]["comparison"]["rows"][0].update(baseline=[0.0]),
            r"arms\.1\.comparison\.rows\.0: ",
        ),
    ],
    ids=["no arm", "no number", "no logarithm"],
)
def test_one_of_another_form_is_refused(change: Any, said: str, tmp_path: Path) -> None:
    """With the place; its hash is right."""
    fields = json.loads(swept_text(swept(1.0, 1.5)))
    plain = {name: value for name, value in fields.items() if name not in {"froude", "lineage"}}
    change(plain)
    (tmp_path / "s.json").write_text(dump_sealed_figures(MIGRATIONS, plain, Origin()))
    with pytest.raises(InputError, match=said):
        read_swept(tmp_path / "s.json")
