"""A job in CI, as the how-to has it: a NameNode alone, a play on it, its own counts, and the end of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.workload.plan_file import write_plan
from froude.workload.types import Recorded
from tests.emulation.plans import plan

pytestmark = pytest.mark.integration


@pytest.mark.usefixtures("hadoop")
def test_a_play_on_what_runs_here(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No address and no id is typed, every call is counted once, the guard's own question too; errors as well."""
    planned = plan(datanodes=3, clients=2, files=2)
    recorded = Recorded((planned.scale,), ("CID-source",))
    write_plan(tmp_path / "plan", replace(planned, workload=replace(planned.workload, recorded=recorded)))
    here = ["--json", "--workspace", str(tmp_path)]
    assert run([*here, "hadoop", "up", "--datanodes", "0", "--fast"]) == 0
    try:
        capsys.readouterr()
        assert run([*here, "play", str(tmp_path / "plan"), "-o", str(tmp_path / "run")]) == 0
        document = json.loads(capsys.readouterr().out)
    finally:
        assert run([*here, "hadoop", "down"]) == 0
    assert (document["failure"], document["differences"], document["left_out"]) == (None, [], {})
    assert document["methods"]["create"]["answered"] == 4
    assert run([*here, "report", str(tmp_path / "run"), "-o", str(tmp_path / "run.html")]) == 0
    assert not (tmp_path / "hadoop").exists()
