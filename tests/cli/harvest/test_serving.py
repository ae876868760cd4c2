"""`froude harvest serve`, with a ResourceManager that is made up; a real one is in `tests/integration`."""

from __future__ import annotations

import io
import json
import signal
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from froude.cli.app import run
from froude.harvest.live.prior_file import prior_json, read_prior
from froude.harvest.live.service_file import read_known
from froude.harvest.live.types import Prior, Resource
from froude.harvest.telemetry.files import write_datacenter
from tests.support.cli.harvest.applying import CAPACITIES, PLAIN
from tests.support.harvest.datacenters import made
from tests.support.harvest.live.managers import NODE, serving

Out = pytest.CaptureFixture[str]
METRICS = {"clusterMetrics": {"containersPending": 0}}
ANSWERS = {**PLAIN, "scheduler-conf": CAPACITIES, "metrics": METRICS, "apps": {"apps": None}}


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A datacenter of one server that is called as the node is."""
    monkeypatch.chdir(tmp_path)
    write_datacenter(tmp_path / "lab", replace(made(np.full((1, 48), 0.2)), servers=["n"]))
    return tmp_path


@pytest.fixture
def interrupted() -> Iterator[list[object]]:
    """Ctrl-C as soon as the daemon is there and has looked once, and what is put into the list is no longer empty."""
    done, awaited = threading.Event(), list[object]()

    def press() -> None:
        while not done.wait(0.01):
            files = [Path("harvest-service", name).exists() for name in ("service.json", "access.json")]
            if all(files) and all(awaited):
                signal.raise_signal(signal.SIGINT)
                return

    thread = threading.Thread(target=press)
    thread.start()
    yield awaited
    done.set()
    thread.join()


def serve(port: int, *flags: str) -> list[str]:
    """The command."""
    at = ["--resourcemanager", f"127.0.0.1:{port}", "--listen", "127.0.0.1:0", "--interval", "1s"]
    return ["harvest", "serve", *at, *flags]


def test_without_an_id_it_shows_the_first_look_and_ends(lab: Path, capsys: Out) -> None:
    """Nothing is sent, nothing is written."""
    with serving(ANSWERS) as (port, sent):
        assert run(serve(port, "lab", "--resources")) == 0
        assert not sent
    said = capsys.readouterr()
    assert "constant-01" in said.out
    assert "--target-is 7" in said.err
    assert not (lab / "harvest-service").exists()


def test_a_resourcemanager_without_labels_is_told_at_once(lab: Path, capsys: Out) -> None:
    """Before anything is looked at, with an id and without; attributes need none."""
    disabled = {"property": {"key": "yarn.node-labels.enabled", "value": "false"}}
    with serving({**ANSWERS, "/conf": disabled}) as (port, sent):
        for flags in ([], ["--target-is", "7"]):
            assert run(serve(port, "lab", *flags)) == 1
            assert "yarn.node-labels.enabled" in capsys.readouterr().err
        assert run(serve(port, "lab", "--as", "attributes")) == 0
        assert not sent
    assert not (lab / "harvest-service").exists()


def test_it_runs_until_interrupted_and_goes_on_afterwards(
    lab: Path, capsys: Out, interrupted: list[object]
) -> None:
    """It ends well; started again without a datacenter it knows its own, and any id that it had."""
    with serving(ANSWERS) as (port, sent):
        interrupted.append(sent)
        assert run(["--json", *serve(port, "lab", "--resources", "--target-is", "7")]) == 0
        done = json.loads(capsys.readouterr().out)
        assert done["failed"] == 0
        assert "add-node-labels" in {path.partition("?")[0] for _, path, _ in sent}
        known = read_known(lab / "harvest-service" / "service.json")
        assert (known.ids, known.nodes) == (("7",), {"n:1"})
        assert not (lab / "harvest-service" / "access.json").exists()
        assert run(["--dry-run", *serve(port)]) == 0
        assert run(["harvest", "rollback", "harvest-service/prior.json", "--dry-run"]) == 0


def test_an_interrupt_that_python_dropped_still_ends_it() -> None:
    """An exception in a finaliser of a file is gone without a word."""
    from froude.cli.harvest.serving import _until_told

    class Forgotten(io.RawIOBase):
        def close(self) -> None:
            if not self.closed:
                super().close()
                signal.raise_signal(signal.SIGINT)

    before = signal.getsignal(signal.SIGTERM)
    with _until_told() as told:
        assert not told.wait(0)
        Forgotten()
        assert told.wait(0)
        told.interrupted = False  # type: ignore[attr-defined]
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        assert told.wait(0)
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.usefixtures("interrupted")
def test_what_apply_remembers_is_taken_over(lab: Path, capsys: Out) -> None:
    """A second memory of one cluster would take what was pushed for a node's own; that of another is refused."""
    own = Resource(memory_mb=16384, vcores=8)
    labelled = {"nodes": {"nodes": {"node": [{**NODE, "nodeLabels": ["constant-01"]}]}}}
    with serving({**ANSWERS, **labelled}) as (port, sent):
        command = serve(port, "lab", "--resources", "--target-is", "7")
        strange = Prior(address=f"127.0.0.1:{port}", id="9", node_labels={"x:1": ""})
        (lab / "strange.json").write_text(prior_json(strange))
        assert run([*command, "--prior", "strange.json", "--state", "other"]) == 1
        assert "found 9" in capsys.readouterr().err
        memory = Prior(
            address=f"127.0.0.1:{port}", id="7", labels_added=("constant-01",), resources={"n:1": own}
        )
        (lab / "was.json").write_text(prior_json(memory))
        assert run([*command, "--state", "third"]) == 1
        assert "has classes already, and how it was before is not known here" in capsys.readouterr().err
        assert not sent
        assert run([*command, "--prior", "was.json"]) == 0
        assert not (lab / "was.json").exists()
        assert read_prior(lab / "harvest-service" / "prior.json").resources == {"n:1": own}
        assert run([*serve(port), "--prior", "lab"]) == 1
        assert "has one already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["lab", "--target-is", "8"], "is not the ResourceManager that was named; found 7; allowed: 8"),
        (["--resources"], "knows no tenants yet"),
        (["lab", "--forecast"], "says how nodes are resized"),
        (["lab", "--as", "words"], "is not one of its words"),
        (["lab", "--thresholds", "5s"], "are no thresholds"),
        (["lab", "--thresholds", "9s,5s"], "--thresholds"),
        (["lab", "--interval", "0.5s"], "--interval: is out of range"),
        (["lab", "--reclassify", "1s"], "--reclassify: is out of range"),
        (["lab", "--listen", "here"], "--listen: "),
        (["lab", "--listen", "0.0.0.0:0"], "--listen: needs a certificate"),
        (["lab", "--certificate", "c.pem"], "--certificate, --key: needs the other"),
        (["lab", "--usage", "none.csv"], "none.csv"),
        (["lab", "--state", "lab"], "lab/prior.json: "),
    ],
)
def test_what_cannot_be_served(flags: list[str], said: str, lab: Path, capsys: Out) -> None:
    """One line, and nothing sent."""
    with serving(ANSWERS) as (port, sent):
        assert run([*serve(port), *flags]) in {1, 2}
        assert not sent
    assert said in capsys.readouterr().err
