"""A workload held against a Trace, from the command line."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from froude.cli import inputs, prediction
from froude.cli.app import run
from froude.mining.check.intervals import Site
from froude.mining.fit.starts import Delay
from froude.trace.intervals import Observed
from tests.support.experiment.figures.prediction import PREDICTION


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A workload's file and a trace's folder whose comparison is known."""
    (tmp_path / "w.yaml").write_text("x")
    (tmp_path / "t").mkdir()
    trace = SimpleNamespace(meta=SimpleNamespace(scale={"datanodes": 6}))
    monkeypatch.setattr(inputs, "workload", lambda *_: SimpleNamespace(workload=None))
    monkeypatch.setattr(prediction, "read_trace", lambda _: trace)
    monkeypatch.setattr(prediction, "predict", lambda *_, **__: PREDICTION)
    monkeypatch.setattr(prediction, "recording_of", lambda _: None)
    monkeypatch.setattr(prediction, "match", lambda *_: SimpleNamespace(types=()))
    seen = Observed(9, 1.0, 1.1)
    monkeypatch.setattr(
        prediction, "intervals", lambda *_: (Site("namenode", "c1", "create", False, seen, seen),)
    )
    monkeypatch.setattr(prediction, "start_delays", lambda *_: (Delay("client", None, 1.0, 1.2),))
    return ["trace", "diff", str(tmp_path / "w.yaml"), str(tmp_path / "t")]


def test_says_what_came_true(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Sequences, shares beside their ceiling, and the misses; exit 0 without a limit."""
    assert run(files) == 0
    out = capsys.readouterr().out
    for part in ("Fitness and precision", "call 7: delete", "99 %   99.5 %", "Silently wrong"):
        assert part in out
    rows = [line.split() for line in out.splitlines()]
    assert ["create", "src", "wrong", "10", "'/a'", "for", "/b"] in rows
    assert ["namenode", "median", "1", "1", "1"] in rows
    assert ["client", "the", "beginning", "1.0", "1.2"] in rows


def test_a_limit_that_is_missed_is_3(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """In a script the exit code tells, and one JSON document says why."""
    assert run([*files, "--at-least", "0.9", "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["sequence_share"] == pytest.approx(0.8)
