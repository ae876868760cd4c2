"""A measurement as JSON, and as a storage unit that the inputs take."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from froude.provision.inputs.read import read_parts
from froude.provision.inputs.tree import FlawedInputError
from froude.provision.measure.documents import UnitFacts, measurement_document, measurement_json, unit_yaml
from froude.provision.measure.measurement import Measurement, Sample, fit
from froude.provision.types import Op
from tests.support.provision.measure.documents import measurement

pytest.importorskip("scipy")

_ALL = UnitFacts('a "disk": #1', 500e9, "SAS", 200.0, 5.0)
_REST = """    - {name: DRAM, capacity: 1GB, bus: DDR, rateR: 12GBps, gapR: 0, rateW: 12GBps, gapW: 0, volatile: 1,
       price: 25, power: 3W}
  cpu: {price: 85, power: 20W}
  server: [{name: S, price: 1000, cpus: 8, BW: 1Gbps, power: 100W, bus: [{name: SAS, slots: 4, BW: 600MBps},
     {name: DDR, slots: 4, BW: 12GBps}]}]
"""


def _read_back(folder: Path, text: str) -> Path:
    path = folder / "unit.yaml"
    path.write_text(text + _REST)
    return path


def test_a_full_unit_is_read_back(tmp_path: Path) -> None:
    """Every number, to the digits that were kept; a name of any characters."""
    parts = read_parts([_read_back(tmp_path, unit_yaml(measurement(), _ALL))])
    assert parts.catalog is not None
    unit = parts.catalog.units[0]
    assert (unit.name, unit.bus, unit.capacity, unit.price, unit.power) == (
        'a "disk": #1',
        "SAS",
        500e9,
        200,
        5,
    )
    assert unit.rate_r == pytest.approx(90e6, rel=1e-3)
    assert (unit.gap_r, unit.gap_w) == (pytest.approx(8e-3, rel=1e-3), pytest.approx(4e-3, rel=1e-3))
    assert not unit.volatile


def test_blanks_are_named_with_their_lines(tmp_path: Path) -> None:
    """What nobody measured or gave is refused until it is filled in, never guessed."""
    text = unit_yaml(measurement(Op.READ), UnitFacts("x"))
    with pytest.raises(FlawedInputError) as refused:
        read_parts([_read_back(tmp_path, text)])
    said = [str(flaw) for flaw in refused.value.flaws]
    for name in ("capacity", "bus", "rateW", "gapW", "price", "power"):
        line = next(at for at, row in enumerate(text.splitlines(), 1) if row.strip().startswith(f"{name}:"))
        assert any(f"unit.yaml:{line}:" in text and name in text for text in said), (name, said)


def test_a_device_tells_its_capacity() -> None:
    """Exactly; a file does not, and what is given goes first."""
    device = replace(measurement(), capacity=256 << 20)
    assert "capacity: 256MiB\n" in unit_yaml(device, UnitFacts("x"))
    assert "capacity: 500GB\n" in unit_yaml(device, _ALL)
    assert "capacity: blank" in unit_yaml(measurement(), UnitFacts("x"))


def test_names_cannot_leave_the_comment() -> None:
    """A folder whose name has a line break adds no field."""
    text = unit_yaml(replace(measurement(), target="/a\nprice: 1", notes=("one\ntwo",)), UnitFacts("x"))
    assert text.splitlines()[0].startswith("# Measured on 1GiB of /a price: 1")
    assert text.splitlines()[1] == "# one two"


def test_what_did_not_settle_says_so_everywhere() -> None:
    """In the unit, in the document, and by size."""
    loose = fit(Op.READ, [Sample(4096, 1e-3, steady=False), Sample(1 << 20, 2e-3)])
    measurement = Measurement("/data", 1 << 30, (loose,))
    assert "did not settle" in unit_yaml(measurement, UnitFacts("x"))
    document = measurement_document(measurement)
    assert document["status"] == "not steady"
    assert [size["steady"] for size in document["read"]["sizes"]] == [False, True]


def test_the_document_has_both_models_at_every_size() -> None:
    """As plain JSON, with the errors of each."""
    document = json.loads(measurement_json(measurement()))
    assert document["froude"] == "measurement/1"
    assert document["write"]["gap"] == pytest.approx(4e-3)
    at_200_kb = document["read"]["sizes"][2]
    assert at_200_kb["rate_gap"]["error"] == pytest.approx(0, abs=1e-6)
    assert at_200_kb["iops_rate"]["error"] == pytest.approx(0.277, abs=1e-3)
