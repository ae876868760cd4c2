"""Questions about a datacenter, as Python asks them; the command line's own tests hold what they find."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import froude as fr
from froude.base.errors import InputError
from froude.harvest import analyses
from froude.harvest.telemetry.files import write_datacenter
from tests.support.harvest.datacenters import drawn

DATACENTER = drawn()


def test_a_question_in_a_notebook(tmp_path: Path) -> None:
    """The policies are rows of a table, the settings fields by their names; a folder is a text as well."""
    write_datacenter(tmp_path / "dc", DATACENTER)
    assert fr.harvest.read_datacenter(str(tmp_path / "dc")).tenants == DATACENTER.tenants
    stock = fr.harvest.preset("stock")
    answer = fr.harvest.durability(DATACENTER, [stock], blocks=2000, days=90, runs=1)
    assert answer.kind == analyses.DURABILITY
    (row,) = answer.table("policies").to_pylist()
    assert (row["policy"], row["fill"], len(row["outcomes"])) == ("stock", 0.5, 1)
    assert "stock" in answer.report.lede or answer.report.sections


@pytest.mark.parametrize("wrong", [{"blocks": 0}, {"fills": [2.0]}, {"days": 1e9}])
def test_a_setting_that_cannot_be(wrong: dict) -> None:
    """Is refused as on the command line."""
    with pytest.raises(InputError, match="is out of range"):
        fr.harvest.durability(DATACENTER, [], **wrong)


def test_characteristics_are_of_all_tenants() -> None:
    """A row each."""
    assert fr.harvest.characteristics(DATACENTER).table("tenants").num_rows == len(DATACENTER.tenants)


def test_a_period_that_is_too_long() -> None:
    """Named as the flag is."""
    with pytest.raises(InputError, match="period: is too long; found 30; allowed: at most 4 days here"):
        fr.harvest.classes(DATACENTER, period=30)


@pytest.mark.parametrize(
    ("question", "wrong", "place"),
    [
        (analyses.classes, {"period": 1}, "period"),
        (analyses.scheduling, {"runs": 0}, "runs"),
        (analyses.durability, {"runs": 0}, "runs"),
        (analyses.durability, {"fills": ()}, "number of fills"),
        (analyses.durability, {"policies": []}, "number of policies"),
        (analyses.availability, {"from_day": -1}, "from_day"),
        (analyses.availability, {"from_day": float("nan")}, "from_day"),
    ],
)
def test_arguments_out_of_range_are_refused(question: Any, wrong: dict[str, Any], place: str) -> None:
    """Before anything is simulated."""
    with pytest.raises(InputError) as caught:
        question(DATACENTER, **wrong)
    assert caught.value.place == place
