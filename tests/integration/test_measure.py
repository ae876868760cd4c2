"""`froude provision measure` with the real fio: on a file, on a disk of a known law, and its end when interrupted."""

from __future__ import annotations

import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from froude.base.units import KIB, MIB
from froude.cli.app import run
from froude.provision.measure.live.measure import Request, measure
from froude.provision.measure.live.target import served
from froude.provision.measure.measurement import Fit, Sample, fit_rate_gap
from froude.provision.measure.steady_state import Rule
from froude.provision.types import Op
from testbed.nbd_disk import SlowDisk
from tests.conftest import Gone
from tests.support.integration.measure import has_nbd

pytest.importorskip("scipy")
pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not here: make setup-system installs it"),
]


def test_a_disk_of_a_known_law(tmp_path: Path) -> None:
    """Its gap is found within a fifth of what it did, its rate within a third; IOPS and rate promise too much."""
    if not has_nbd():
        pytest.skip("this fio is built without its nbd engine")
    asked = Request((4 * KIB, 200 * KIB, MIB), 0.2, Rule(window=2, rounds=2))
    with SlowDisk(tmp_path / "nbd", size=8 * MIB, rate=10e6, gap=40e-3) as disk:
        measured = measure(replace(served(disk.uri, 8 * MIB), read_only=True), asked)
    assert disk.written == 0
    (fit,) = measured.fits
    assert fit.op is Op.READ
    took = [Sample(size, statistics.mean(times)) for size, times in disk.served.items() if size >= 4 * KIB]
    law = fit_rate_gap(took)
    assert law.gap >= 0.9 * 40e-3
    assert fit.rate_gap.gap == pytest.approx(law.gap, rel=0.2)
    assert fit.rate_gap.rate == pytest.approx(law.rate, rel=0.33)
    _check_claim(fit)


def _check_claim(fit: Fit) -> None:
    """The paper's: at 200 KB rate and gap hold and IOPS and rate do not."""
    row = fit.rows[1]
    assert abs(row.error(row.rate_gap)) < row.error(row.iops_rate) / 2
    assert row.error(row.iops_rate) > 0.15


def test_a_file_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Figures and unit are written; of the file nothing is left; 3 only where something did not settle."""
    data = tmp_path / "data"
    data.mkdir()
    words = ["provision", "measure", str(data), "--size", "8MiB", "--sizes", "4KiB,2MiB", "--round", "0.05"]
    out, unit = tmp_path / "m.json", tmp_path / "unit.yaml"
    places = ["-o", str(out), "--unit-file", str(unit), "--time-limit", "6"]
    code = run([*words, *places, "--unit", "disk", "--json"])
    printed = json.loads(capsys.readouterr().out)
    assert code in {0, 3}, printed
    assert printed == json.loads(out.read_text())
    assert code == (0 if printed["status"] == "steady" else 3)
    assert printed["read"]["rate"] > 0
    assert printed["write"]["gap"] >= 0
    assert 'name: "disk"' in unit.read_text()
    assert list(data.iterdir()) == []


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_outlives_an_interruption(tmp_path: Path, by: signal.Signals, gone: Gone) -> None:
    """No fio, no file, no figures: also when Froude has no time to clean up."""
    program = [sys.executable, "-c", "from froude.cli.app import main; main()", "provision", "measure"]
    words = [str(tmp_path), "--size", "8MiB", "--sizes", "4KiB,1MiB", "--round", "30"]
    child = subprocess.Popen([*program, *words, "-o", str(tmp_path / "m.json")], stderr=subprocess.PIPE)
    below: list[psutil.Process] = []
    deadline = time.monotonic() + 30
    while (
        not any("randwrite" in " ".join(_words_of(process)) for process in below)
        and time.monotonic() < deadline
    ):
        below = psutil.Process(child.pid).children(recursive=True)
        time.sleep(0.05)
    assert below
    os.kill(child.pid, by)
    child.communicate(timeout=30)
    assert child.returncode == (130 if by is signal.SIGTERM else -signal.SIGKILL)
    assert gone(below)
    assert list(tmp_path.iterdir()) == []


def _words_of(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:
        return []
