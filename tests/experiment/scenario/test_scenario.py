"""A scenario as a file: of its own kind, found from where it lies, and kept so that it can be run again."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.base.units import Quantity
from froude.experiment.scenario.options import NameNodeTarget, PlanLoad, Target, WorkloadLoad
from froude.experiment.scenario.scenario import (
    KINDS,
    KneeScenario,
    PlayScenario,
    Recording,
    RecordScenario,
    read_scenario,
    scenario_text,
)
from froude.workload.scale import Scale

HEAD = "froude: scenario/1\n"


def test_paths_are_those_of_the_files_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read from wherever one is; a program is found there as well, but not its arguments."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deep").mkdir()
    file = Path("deep/s.yaml")
    file.write_text(f"{HEAD}kind: play\ntarget:\n  conf: /etc/conf\nload:\n  plan: ../plan\n")
    play = read_scenario(file).scenario
    load = PlanLoad(plan=Path("deep/../plan"))
    assert play == PlayScenario(target=Target(conf=Path("/etc/conf")), load=load)
    file.write_text(f"{HEAD}kind: record\nrecord:\n  command: [./job.sh, ./data]\n")
    record = read_scenario(file).scenario
    assert isinstance(record, RecordScenario)
    assert record.record.command == ("deep/job.sh", "./data")
    file.rename("s.yaml")
    record = read_scenario(Path("s.yaml")).scenario
    assert isinstance(record, RecordScenario)
    assert record.record.command == ("./job.sh", "./data")


def test_a_kept_scenario_names_no_folder_of_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is read back as the same from the folder where it lies."""
    monkeypatch.chdir(tmp_path)
    play = PlayScenario(load=PlanLoad(plan=tmp_path / "plans" / "p"), seed=3)
    (tmp_path / "runs" / "r").mkdir(parents=True)
    text = play.kept(Path("runs/r"))
    assert "plan: ../../plans/p\n" in text
    assert str(tmp_path) not in text
    file = Path("runs/r/scenario.yaml")
    file.write_text(text)
    again = read_scenario(file).scenario
    assert scenario_text(again, file.parent) == text
    assert isinstance(again, PlayScenario)
    assert again.load.plan is not None
    assert again.load.plan.resolve() == tmp_path / "plans" / "p"
    assert again.seed == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("load:\n  plan: p\n", "s.yaml:1: kind: is missing; allowed: play, knee, duet, record, dyno, sweep"),
        ("kind: demo\n", "s.yaml:2: kind: is unknown; found demo"),
        ("kind: play\nload:\n  plan: p\nknee:\n  most: 3\n", "s.yaml:5: knee: "),
        ("kind: knee\nload:\n  plan: p\n", "s.yaml:4: load.plan: "),
        ("kind: knee\nload:\n  workload: w\n  sped: 1\n", r"s.yaml:5: load.sped: .*speed\?"),
        ("kind: knee\n", "s.yaml:1: load: workload "),
        (
            "kind: play\nload:\n  plan: p\nlimits:\n- p99 < 1 s\n- p98 < 1 s\n",
            r"s.yaml:7: limits\[1\]: is no",
        ),
        ("kind: play\nload:\n  at: {files: 3}\n", "s.yaml:4: load.plan: "),
        (
            "kind: play\nload:\n  plan: p\ntarget:\n  heap: 2 GB\n  running:\n    any: {address: 'h:1'}\n",
            "s.yaml:6: target.heap: is for a NameNode that Froude starts",
        ),
        (
            "kind: record\nrecord:\n  command: [x]\n  datanodes: [2, 3]\n  scales: {files: [1, 2, 3]}\n",
            "s.yaml:6: record.scales: ",
        ),
        (
            "kind: record\nrecord:\n  command: [x]\n  scales: {datanodes: [1]}\n",
            "scales: has a field of its own",
        ),
        *(
            (
                f"kind: {kind}\nload:\n  workload: w\nnodes:\n  datanodes:\n    blocks: b\n",
                r"nodes\.datanodes\.blocks: ",
            )
            for kind in ("play", "knee", "duet")
        ),
        ("kind: sweep\nbase: b\nvary: {}\nrepeat: 3\n", r"s.yaml:5: repeat: .*repeats\?"),
    ],
)
def test_what_is_wrong_in_a_file(
    text: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One error with file, line, field, and what is allowed."""
    monkeypatch.chdir(tmp_path)
    Path("s.yaml").write_text(HEAD + text)
    with pytest.raises(InputError, match=said) as stated:
        read_scenario(Path("s.yaml"))
    assert "\n" not in str(stated.value)


def test_another_document_is_none(tmp_path: Path) -> None:
    """By its stamp."""
    (tmp_path / "s.yaml").write_text("froude: workload/1\n")
    with pytest.raises(InputError, match="allowed: froude: scenario/1"):
        read_scenario(tmp_path / "s.yaml")


def test_each_kind_is_a_value_of_its_own() -> None:
    """Which is why a field of another kind has no place in it."""
    assert list(KINDS) == ["play", "knee", "duet", "record", "dyno", "sweep", "heap"]
    knee = KneeScenario(load=WorkloadLoad(workload=Path("w")), target=NameNodeTarget(heap="2 GB"))
    assert knee.kept(Path("run")) is None


def test_the_runs_of_a_recording() -> None:
    """A single value is repeated; or every value with every other."""
    files = {"files": (Quantity(1), Quantity(2))}
    recording = Recording(command=("x",), scales=files)
    assert recording.runs == [Scale.of(datanodes=3, files=1), Scale.of(datanodes=3, files=2)]
    crossed = Recording(command=("x",), datanodes=(2, 3), scales=files, cross=True)
    assert len(crossed.runs) == 4
