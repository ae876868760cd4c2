"""`froude sweep`: the arms as a table, the comparison behind it, and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.experiment.comparable import Sample
from froude.experiment.compare import compare
from froude.experiment.runners import SweepRunner
from froude.experiment.sweep import Swept
from froude.hadoop.distribution import Hadoop
from froude.workload.extrapolate import extrapolate
from froude.workload.plan_file import write_plan
from tests.cli.command_lines import ORIGIN, SCALES, recorded
from tests.experiment.comparisons import arms

Out = pytest.CaptureFixture[str]
SWEEP = "froude: scenario/1\nkind: sweep\nbase: base.yaml\nvary: {target.heap: [1 GB, 4 GB]}\n"
GIVEN = arms(4, 1.3, spread=0.02)
ARMS = {
    name: [Sample(f"{name}/{at}", each) for at, each in enumerate(GIVEN[arm], 1)]
    for name, arm in (("heap=1GB", "baseline"), ("heap=4GB", "candidate"))
}
COMPARED = compare(**GIVEN)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a sweep and its base; there is no Hadoop."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FROUDE_WORKSPACE", raising=False)
    monkeypatch.delenv("FROUDE_SEED", raising=False)
    monkeypatch.setattr(Hadoop, "find", lambda *_, **__: None)
    write_plan(Path("plan"), extrapolate(recorded(), SCALES[0]), ORIGIN)
    Path("base.yaml").write_text("froude: scenario/1\nkind: play\nload: {plan: plan}\n")
    Path("sweep.yaml").write_text(SWEEP)


@pytest.mark.parametrize(
    ("swept", "code", "said"),
    [
        (Swept(ARMS, comparison=COMPARED), 3, "The candidate is slower"),
        (Swept(ARMS, kept=2, remarks=("a remark",)), 0, "2 runs had been made before, and kept.\na remark"),
        (Swept(ARMS, interrupted=True), 130, "heap=4GB     4       0"),
    ],
)
def test_what_came_of_it_is_shown(
    swept: Swept, code: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    """By both commands alike."""
    monkeypatch.setattr(SweepRunner, "run", lambda *_: swept)
    assert run(["run", "sweep.yaml"]) == code
    same = capsys.readouterr()
    assert run(["sweep", "sweep.yaml"]) == code
    out, err = capsys.readouterr()
    assert (out, err) == same
    assert out.startswith("arm       runs  failed  calls/s")
    assert said in out
    assert ("interrupted after 8 of 6 runs" in err) is swept.interrupted


def test_as_json(monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    """One document: the comparison, or the folders by arm."""
    for swept, key in ((Swept(ARMS, comparison=COMPARED), "answer"), (Swept(ARMS), "arms")):
        monkeypatch.setattr(SweepRunner, "run", lambda *_, swept=swept: swept)
        run(["sweep", "sweep.yaml", "--json"])
        assert key in json.loads(capsys.readouterr().out)


def test_a_dry_run_says_what_would_be_run(capsys: Out) -> None:
    """Arm by arm; nothing is made."""
    assert run(["sweep", "sweep.yaml", "-o", "out", "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert "Would make 6 runs into out\n  heap=1GB: 3 runs\n  heap=4GB: 3 runs" in out
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("sweep base.yaml", "is no sweep; found play"),
        ("sweep sweep.yaml -o plan", "is no folder of a sweep; found plan"),
        ("sweep sweep.yaml -o plan/sweep", "lies in another artifact"),
        ("sweep sweep.yaml -o base.yaml", "is no folder of a sweep"),
        ("sweep odd.yaml", "vary.target.heat: is not a field of the base"),
        ("sweep self.yaml", "cannot be swept"),
    ],
)
def test_what_is_refused(line: str, said: str, capsys: Out) -> None:
    """Before anything is started."""
    Path("odd.yaml").write_text(SWEEP.replace("heap", "heat"))
    Path("self.yaml").write_text(SWEEP.replace("base.yaml", "sweep.yaml"))
    assert run(line.split()) == 1
    assert said in capsys.readouterr().err
