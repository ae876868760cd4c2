"""`froude mix`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.workload.yaml_file import open_workload, write_workload
from tests.support.cli.command_lines import recorded

Out = pytest.CaptureFixture[str]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the same workload as `a.yaml` and as `b/workload.yaml`."""
    (tmp_path / "b").mkdir()
    for name in ("a.yaml", "b/workload.yaml"):
        write_workload(tmp_path / name, recorded())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_names_come_from_files_and_folders(here: Path, capsys: Out) -> None:
    """The mixture names the workloads that it is made of, and can be extrapolated by their variables."""
    assert run(["mix", "a.yaml", "b/workload.yaml", "-o", "m.yaml"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Node types: datanode, a_client, b_client\nScale variables: ")
    assert out.endswith("Workload written to m.yaml\n")
    lineage = open_workload(here / "m.yaml").lineage
    assert lineage is not None
    assert lineage.inputs == tuple(
        open_workload(here / name).content for name in ("a.yaml", "b/workload.yaml")
    )
    at = [
        "--at",
        "datanodes=3",
        "--at",
        "a_clients=2",
        "--at",
        "a_files=2",
        "--at",
        "b_clients=5",
        "--at",
        "b_files=2",
    ]
    assert run(["extrapolate", "m.yaml", *at]) == 0
    assert [line.split() for line in capsys.readouterr().out.splitlines()[:3]] == [
        ["3", "datanode"],
        ["2", "a_client"],
        ["5", "b_client"],
    ]


def test_a_name_of_ones_own(here: Path, capsys: Out) -> None:
    """One workload may be there twice; a dry run writes nothing."""
    assert run(["mix", "one=a.yaml", "two=a.yaml", "--dry-run", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["node_types"] == ["datanode", "one_client", "two_client"]
    assert {"datanodes", "one_clients", "two_clients"} < set(shown["variables"])
    assert not (here / "mixture.yaml").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["a.yaml", "a.yaml"],
            "names two workloads of the mixture; found a; allowed: another name for one of them",
        ),
        (["a.yaml"], "a mixture is of two workloads or more; found 1"),
        (["a.yaml", "x=c.yaml"], "c.yaml: cannot be read"),
        (["a.yaml", "x_y=a.yaml"], "cannot name a workload in a mixture; found x_y"),
    ],
)
def test_what_cannot_be_mixed_is_an_error(here: Path, capsys: Out, words: list[str], message: str) -> None:
    """With what was found, and nothing is written."""
    assert run(["mix", *words]) == 1
    assert message in capsys.readouterr().err
    assert not (here / "mixture.yaml").exists()
