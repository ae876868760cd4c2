"""`froude mine`."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.cli.app import run
from tests.support.trace.importers.calls import store_table


def test_a_trace_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One clear error, nothing written."""
    assert run(["mine", str(tmp_path / "none"), "-o", str(tmp_path / "w.yaml")]) == 1
    assert "none" in capsys.readouterr().err
    assert not (tmp_path / "w.yaml").exists()


def test_a_workload_without_questions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next command is named, with the variables of the runs."""
    monkeypatch.chdir(tmp_path)
    sizes = ((2, 4), (3, 3), (4, 5))
    for number, (clients, keys) in enumerate(sizes, 1):
        table = store_table(tmp_path / f"{number}.csv", clients=clients, keys=keys)
        scale = ["--scale", f"clients={clients}", "--scale", f"keys={keys}"]
        assert run(["trace", "import", "calls", str(table), "-o", f"t{number}", *scale]) == 0
    assert run(["mine", "t1", "t2", "t3", "--no-check", "-o", "w.yaml"]) == 0
    next_ = "Predict another size: froude extrapolate w.yaml --at clients=… --at keys=…"
    assert capsys.readouterr().out.splitlines()[-1] == next_
