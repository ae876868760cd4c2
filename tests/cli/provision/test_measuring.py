"""`froude provision measure`: what it writes and says, and what it refuses; the measuring itself is stood in for."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from froude.base.errors import InputError
from froude.cli.app import run
from froude.cli.provision import measuring
from froude.provision.inputs.units import Dimension
from froude.provision.measure.documents import UnitFacts
from froude.provision.measure.live import measure as module
from froude.provision.measure.live.measure import Request
from froude.provision.measure.live.target import StorageKind, StorageTarget
from froude.provision.measure.measurement import Measurement, Sample, fit
from froude.provision.types import Op
from tests.support.provision.measure.documents import measurement

NO_DEVICE = "is no block device"


pytest.importorskip("scipy")

Asked = list[tuple[StorageTarget, Request]]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What would have been measured; every target turns out to be a disk that settled."""
    return _stand_in(monkeypatch, measurement())


def _stand_in(monkeypatch: pytest.MonkeyPatch, measurement: Measurement) -> Asked:
    asked: Asked = []

    def measured(target: StorageTarget, request: Request, *, progress: Any) -> Measurement:
        asked.append((target, request))
        return replace(measurement, target=target.name)

    monkeypatch.setattr(module, "measure", measured)
    return asked


@pytest.fixture
def go(tmp_path: Path) -> Callable[..., int]:
    """Runs the command on a folder, with the output beside it."""

    def command(*words: str) -> int:
        return run(["provision", "measure", str(tmp_path), "-o", str(tmp_path / "m.json"), *words])

    return command


def test_rate_gap_and_every_size(
    go: Callable[..., int], asked: Asked, capsys: pytest.CaptureFixture[str]
) -> None:
    """The four numbers, and what IOPS and rate would have promised at 200 KiB."""
    assert go("--size", "64MiB") == 0
    said = capsys.readouterr().out
    assert "reads: rate 90MBps, gap 8ms" in said
    assert "writes: rate 90MBps, gap 4ms" in said
    (line,) = [line for line in said.split("writes:")[0].splitlines() if line.startswith("200KiB")]
    assert line.split()[-2] == "+27.7%"
    assert asked[0][0].region_bytes == 64 << 20


def test_flags_reach_the_request(go: Callable[..., int], asked: Asked) -> None:
    """Sizes, rounds, time, durability and the seed."""
    words = (
        "--sizes",
        "4KiB, 1MiB",
        "--round",
        "60",
        "--rounds",
        "9",
        "--time-limit",
        "7",
        "--durable",
        "--seed",
        "5",
    )
    assert go("--size", "64MiB", *words) == 0
    request = asked[0][1]
    assert (request.sizes, request.round_s, request.rule.rounds) == ((4096, 1 << 20), 60.0, 9)
    assert (request.time_limit_s, request.durable, request.seed) == (7.0, True, 5)


def test_files_and_json(
    tmp_path: Path, go: Callable[..., int], asked: Asked, capsys: pytest.CaptureFixture[str]
) -> None:
    """The figures as printed, the unit with what was given, the page."""
    unit, page = tmp_path / "unit.yaml", tmp_path / "page.html"
    facts = (
        "--unit",
        "D",
        "--bus",
        "SAS",
        "--price",
        "200",
        "--power",
        "5W",
        "--capacity",
        "500GB",
        "--volatile",
    )
    words = ("--unit-file", str(unit), "--report", str(page), *facts, "--json")
    assert go("--size", "64MiB", *words) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads((tmp_path / "m.json").read_text())
    assert printed["lineage"]["command"].startswith("froude provision measure ")
    text = unit.read_text()
    for line in ('name: "D"', 'bus: "SAS"', "price: 200", "power: 5W", "capacity: 500GB", "volatile: 1"):
        assert line in text
    assert "blank" not in text
    assert page.is_file()


def test_what_did_not_settle_ends_with_3(
    tmp_path: Path,
    go: Callable[..., int],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The figures are written all the same, and say so; so does stderr, by name."""
    loose = fit(Op.READ, [Sample(4096, 1e-3, steady=False), Sample(1 << 20, 2e-3)])
    _stand_in(monkeypatch, Measurement("", 1 << 20, (loose,), preconditioned=False))
    assert go("--size", "64MiB") == 3
    said = capsys.readouterr()
    assert "reads of 4KiB, random writes before the measuring" in said.err
    assert json.loads((tmp_path / "m.json").read_text())["status"] == "not steady"


def test_dry_run_measures_nothing(
    tmp_path: Path, go: Callable[..., int], asked: Asked, capsys: pytest.CaptureFixture[str]
) -> None:
    """It checks the target and says what would be done, and for how long."""
    assert go("--size", "64MiB", "--dry-run") == 0
    said = capsys.readouterr().out
    assert f"write and read 64MiB of a new file in {tmp_path.resolve()}, for 110 s" in " ".join(said.split())
    assert asked == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--size", "1"), "--size: has no unit"),
        (("--size", "-1GB"), "--size: is negative"),
        (("--sizes", "4KB,1MiB"), "nearest is 4KiB"),
        (("--sizes", "4KiB"), "too few"),
        (("--sizes", "4KiB,x"), "--sizes: "),
        (("--round", "0"), "--round"),
        (("--size", "8MiB"), "too small for the largest record"),
        (("--destroy", "/dev/sdx"), NO_DEVICE),
        (("--read-only",), NO_DEVICE),
        (("--unit", "D"), "--unit-file"),
        (("--volatile",), "--unit-file"),
        (("--unit-file", "m.json", "-o", "m.json"), "two outputs"),
        (("--unit-file", "u.yaml", "--price", "5W"), "--price"),
    ],
)
def test_what_cannot_be_is_one_line(
    words: tuple[str, ...],
    said: str,
    go: Callable[..., int],
    asked: Asked,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Ends with 1, names the flag, measures nothing."""
    assert go(*words) in {1, 2}
    error = capsys.readouterr().err
    assert said in error
    assert len(error.splitlines()) == 1
    assert asked == []


def test_what_would_be_done_to_a_target() -> None:
    """A file is new and is written; a device may be read alone, which takes less than half the time."""
    request = Request((4096, 1 << 20), round_s=3.0)
    device = StorageTarget(StorageKind.DEVICE, "/dev/sdx", 64 << 20)
    assert measuring._plan(device, request) == "write and read 64MiB of /dev/sdx, for 75 s or longer"
    alone = replace(device, read_only=True)
    assert measuring._plan(alone, request) == "read 64MiB of /dev/sdx, for 30 s or longer"
    folder = replace(device, kind=StorageKind.FILE, name="/mnt")
    assert "of a new file in /mnt, " in measuring._plan(folder, request)


def test_a_fit_as_text() -> None:
    """A row a record size: measured, each model, and how far it is off; and whether it was steady."""
    loose = Sample(4096, 1e-3, steady=False, rounds=(1e-3,) * 7)
    fitted = fit(Op.WRITE, [loose, Sample(1 << 20, 2e-3)])
    head, _, small, large = (" ".join(line.split()) for line in measuring._fit_summary(fitted).splitlines())
    assert head.startswith("writes: rate ")
    assert small.startswith("4KiB 4.096 1ms ")
    assert small.endswith(" no, after 7")
    assert large.startswith("1MiB 524.3 2ms ")
    assert large.endswith(" +0.0% yes")


def test_notes_stand_below_the_figures() -> None:
    """Each on its line."""
    lines = measuring._summary(replace(measurement(), notes=("one", "two"))).splitlines()
    assert lines[-2:] == ["note: one", "note: two"]
    assert measuring._summary(measurement()).splitlines()[-1].startswith("error: of the throughput predicted")


def test_what_did_not_settle_is_named() -> None:
    """Only that; what was not tried before the measuring is none of it."""
    loose = fit(Op.READ, [Sample(4096, 1e-3), Sample(1 << 20, 2e-3, steady=False)])
    unsettled = replace(measurement(), fits=(loose, *measurement(Op.WRITE).fits), preconditioned=None)
    assert measuring._unsteady(unsettled).startswith("not steady: reads of 1MiB; ")


def test_facts_of_a_unit() -> None:
    """In base units; what is not given stays blank."""
    facts = measuring._facts("D", "500GB", "SAS", "12.5", "5W", volatile=True)
    assert facts == UnitFacts("D", 500e9, "SAS", 12.5, 5.0, volatile=True)
    assert measuring._facts(None, None, None, None, None, volatile=False) == UnitFacts("measured")


@pytest.mark.parametrize("text", ["x", "-1W", "5"])
def test_a_quantity_that_is_none_names_its_flag(text: str) -> None:
    """With what was typed."""
    with pytest.raises(InputError, match=f"--power: .*{text}"):
        measuring._quantity(text, Dimension.POWER, "--power")
