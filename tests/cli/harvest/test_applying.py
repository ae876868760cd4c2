"""`froude harvest apply`, `rollback` and `collect`; on a real ResourceManager in `tests/integration/test_harvest.py`."""

from __future__ import annotations

import json
import resource
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from froude.cli.app import run
from froude.cli.harvest.managers import only_one
from froude.harvest.live.types import Resource
from froude.harvest.telemetry.files import write_datacenter
from tests.support.cli.harvest.applying import CAPACITIES, PLAIN
from tests.support.documented import help_examples
from tests.support.harvest.datacenters import made
from tests.support.harvest.live.managers import NEW, NODE, serving

Out = pytest.CaptureFixture[str]


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A datacenter of one server that is called as the node is."""
    monkeypatch.chdir(tmp_path)
    write_datacenter(tmp_path / "lab", replace(made(np.full((1, 48), 0.2)), servers=["n"]))
    return tmp_path


def test_nothing_is_sent_unless_told(lab: Path, capsys: Out) -> None:
    """It shows what it would do, and with which words."""
    with serving({**PLAIN, "scheduler-conf": CAPACITIES}) as (port, sent):
        assert run(["harvest", "apply", "lab", "--resourcemanager", f"127.0.0.1:{port}", "--resources"]) == 0
        said = capsys.readouterr()
        assert not sent
    assert "constant-01" in said.out
    assert "labels added: constant-01" in said.out
    assert "root.accessible-node-labels = *" in said.out
    assert "--target-is 7" in said.err
    assert not (lab / "harvest-state.json").exists()


def test_what_was_there_is_written_before_anything_is_sent(lab: Path, capsys: Out) -> None:
    """Also where the first change is refused; another ResourceManager's state is never mixed in."""
    with serving({**PLAIN, "add-node-labels": None}) as (port, _):
        command = ["harvest", "apply", "lab", "--resourcemanager", f"127.0.0.1:{port}", "--keep-queues"]
        assert run([*command, "--target-is", "8"]) == 1
        assert "found 7; allowed: 8" in capsys.readouterr().err
        assert run([*command, "--target-is", "7"]) == 1
        assert "refuses add-node-labels" in capsys.readouterr().err
        kept = json.loads((lab / "harvest-state.json").read_text())
        assert (kept["labels_added"], kept["node_labels"]) == (["constant-01"], {"n:1": ""})
    with serving({**PLAIN, "info": {"clusterInfo": {"id": 9}}}) as (port, _):
        assert run(["harvest", "apply", "lab", "--resourcemanager", f"127.0.0.1:{port}"]) == 1
        assert "holds what another ResourceManager had; found 7; allowed: 9" in capsys.readouterr().err


def test_a_second_memory_of_one_cluster_is_refused(lab: Path, capsys: Out) -> None:
    """Its nodes are classified, and how they were before stands in another file."""
    node = {**NODE, "nodeLabels": ["constant-01"]}
    with serving({**PLAIN, "nodes": {"nodes": {"node": [node]}}}) as (port, sent):
        command = ["harvest", "apply", "lab", "--resourcemanager", f"127.0.0.1:{port}", "--resources"]
        assert run([*command, "--target-is", "7"]) == 1
        assert not sent
    assert "found n:1 is constant-01" in capsys.readouterr().err


def test_a_resourcemanager_without_labels_is_told_at_once(lab: Path, capsys: Out) -> None:
    """Not only when they are to be set; attributes need none, and one that does not say is believed."""
    disabled = {
        "property": {"key": "yarn.node-labels.enabled", "value": "false", "resource": "yarn-default.xml"}
    }
    with serving({**PLAIN, "/conf": disabled}) as (port, sent):
        command = ["harvest", "apply", "lab", "--resourcemanager", f"127.0.0.1:{port}", "--keep-queues"]
        assert run(command) == 1
        assert "has no node labels (yarn.node-labels.enabled is false)" in capsys.readouterr().err
        assert run([*command, "--as", "attributes"]) == 0
        assert not sent


def test_one_command_at_a_time_has_a_state(lab: Path, capsys: Out) -> None:
    """Two that read what was there, change a cluster and write it would forget what one of them has changed."""
    state = lab / "harvest-state.json"
    with serving({**PLAIN, "scheduler-conf": CAPACITIES}) as (port, sent):
        command = ["harvest", "apply", "lab", "--resourcemanager", f"127.0.0.1:{port}", "--resources"]
        with only_one(state):
            assert run([*command, "--target-is", "7"]) == 1
            assert "harvest-state.json: " in capsys.readouterr().err
        assert not sent
        assert run([*command, "--target-is", "7"]) == 0
        with only_one(state):
            assert run(["harvest", "rollback"]) == 1
            assert "harvest-state.json: " in capsys.readouterr().err
        assert run(["harvest", "rollback", "--dry-run"]) == 0
    assert {path.name for path in lab.iterdir()} == {"lab", "harvest-state.json"}


def test_rollback_of_another_is_refused(lab: Path, capsys: Out) -> None:
    """One that was started again has another id, and is named."""
    from froude.harvest.live.prior_file import prior_json
    from froude.harvest.live.types import Prior

    with serving(PLAIN) as (port, sent):
        (lab / "s.json").write_text(
            prior_json(Prior(address=f"127.0.0.1:{port}", id="3", node_labels={"n:1": ""}))
        )
        assert run(["harvest", "rollback", "s.json"]) == 1
        assert "If it is the same cluster, say --target-is 7" in capsys.readouterr().err
        assert run(["harvest", "rollback", "s.json", "--target-is", "7", "--dry-run"]) == 0
        assert (lab / "s.json").exists()
        assert run(["harvest", "rollback", "s.json", "--target-is", "7"]) == 0
        assert not sent
    assert not (lab / "s.json").exists()


def test_one_node_of_no_known_form_stops_no_other(lab: Path, capsys: Out) -> None:
    """It is told, and left alone; but nothing is taken for rolled back of which a node cannot be read."""
    nodes = [{**NODE, "nodeLabels": []}, None]
    with serving({**PLAIN, "nodes": {"nodes": {"node": nodes}}, "scheduler-conf": CAPACITIES}) as (
        port,
        sent,
    ):
        assert (
            run(["harvest", "apply", "lab", "--resourcemanager", f"127.0.0.1:{port}", "--target-is", "7"])
            == 0
        )
        assert "note: 1 of 2 nodes in a form that is not known left alone" in capsys.readouterr().err
        assert sent
        assert run(["harvest", "rollback"]) == 1
        assert "answers with a form that is not known" in capsys.readouterr().err
    assert (lab / "harvest-state.json").exists()


def test_the_example_in_the_help_of_rollback_runs(lab: Path, capsys: Out) -> None:
    """As it stands: what was there is back, and its memory is removed."""
    from froude.harvest.live.prior_file import prior_json
    from froude.harvest.live.types import Prior

    _, *words = shlex.split(help_examples()["harvest rollback"])
    with serving({**NEW, "scheduler-conf": CAPACITIES}) as (port, sent):
        prior = Prior(
            address=f"127.0.0.1:{port}", id="7", resources={"n:1": Resource(memory_mb=16384, vcores=8)}
        )
        (lab / "harvest-state.json").write_text(prior_json(prior))
        assert run(["--dry-run", *words]) == 0
        assert "harvest-state.json stays" in capsys.readouterr().err
        assert not sent
        assert run(words) == 1  # what only writes down what it is told gives nothing back
        assert sent[0][2]["resource"] == {"memory": 16384, "vCores": 8}
        assert "did not all come back" in capsys.readouterr().err
        (lab / "harvest-state.json").write_text(
            prior_json(prior.replaced(resources={"n:1": Resource(memory_mb=8192, vcores=4)}))
        )
        assert run(words) == 0
    assert "Everything is as it was; harvest-state.json is removed" in capsys.readouterr().out
    assert not (lab / "harvest-state.json").exists()


def test_rollback_beside_a_daemon_is_refused(lab: Path, capsys: Out) -> None:
    """It would do everything again within a minute; once it has ended, its file is as any other."""
    from froude.harvest.live.prior_file import prior_json
    from froude.harvest.live.serving import Places, one_daemon
    from froude.harvest.live.types import Prior

    places = Places(lab / "service")
    with serving(PLAIN) as (port, sent):
        with one_daemon(places):
            places.prior.write_text(
                prior_json(Prior(address=f"127.0.0.1:{port}", id="7", node_labels={"n:1": ""}))
            )
            assert run(["harvest", "rollback", str(places.prior)]) == 1
            assert "is a running daemon's, which would undo it" in capsys.readouterr().err
        assert run(["harvest", "rollback", str(places.prior)]) == 0
        assert not sent
    assert not places.prior.exists()


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ([], "has nothing to do"),
        (["lab", "--reserve", "5%"], "--reserve: is no reserve"),
        (["lab", "--reserve", "5%,200%"], "--reserve: is out of range"),
        (["--resources", "--usage", "u.csv"], "u.csv:2 ('1.5')"),
        (["lab", "--classes", "1"], "--classes: "),
    ],
)
def test_what_cannot_be_applied(flags: list[str], said: str, lab: Path, capsys: Out) -> None:
    """One line that says what is allowed, and nothing sent."""
    (lab / "u.csv").write_text("server,cpu\nn,1.5\n")
    with serving(PLAIN) as (port, sent):
        assert run(["harvest", "apply", *flags, "--resourcemanager", f"127.0.0.1:{port}"]) in {1, 2}
        assert not sent
    assert said in capsys.readouterr().err


def test_samples_are_added_to_a_table(lab: Path, capsys: Out) -> None:
    """Which the import reads; a file of something else is left alone."""
    (lab / "other.csv").write_text("a,b\n")
    with serving(NEW) as (port, _):
        command = [
            "harvest",
            "collect",
            "--resourcemanager",
            f"127.0.0.1:{port}",
            "--interval",
            "1s",
            "--samples",
            "1",
        ]
        for _ in range(2):
            assert run([*command, "-o", "cpu.csv"]) == 0
        assert run([*command, "-o", "other.csv"]) == 1
        assert run([*command[:4], "--interval", "2d", "-o", "cpu.csv"]) == 2
        with (lab / "cpu.csv").open("a") as file:
            file.write("1795622")  # of a run that was killed while it wrote
        assert run([*command, "-o", "cpu.csv"]) == 0
    lines = (lab / "cpu.csv").read_text().splitlines()
    assert lines[0] == "time,server,cpu"
    assert [line.split(",")[1:] for line in lines[1:]] == [["n", "0.2500"]] * 3
    assert "other.csv: " in capsys.readouterr().err
    assert run(["harvest", "import", "cpu.csv", "--scale", "share", "-o", "dc"]) == 0


def test_a_full_disk_leaves_whole_lines(lab: Path, capsys: Out) -> None:
    """The write that fails is one clear error and is taken back; a line that was cut before goes away."""
    table = lab / "cpu.csv"
    with serving(NEW) as (port, _):
        command = ["harvest", "collect", "--resourcemanager", f"127.0.0.1:{port}", "--samples", "1"]
        command += ["-o", "cpu.csv"]
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        for size in (10, len("time,server,cpu\n") + 5):
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
            try:
                assert run(command) == 1
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, before)
            assert table.read_bytes() == b""
            assert "cpu.csv: cannot be written (File too large)" in capsys.readouterr().err
        assert run(command) == 0
        whole = table.read_text()
        table.write_text(whole + "1795452157,n")
        assert run(command) == 0
    lines = table.read_text().splitlines()
    assert "\n".join(lines[:2]) + "\n" == whole
    assert len(lines) == 3
    assert lines[2].endswith(",n,0.2500")
