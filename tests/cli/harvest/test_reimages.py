"""`froude harvest reimages`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.hadoop.release.distribution import Hadoop
from tests.support.harvest.live.hdfs.namenodes import NODES, namenode

Out = pytest.CaptureFixture[str]


def test_look_by_look(hadoop: Hadoop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    """The first look only remembers; a wipe is written once; a table of something else is left alone."""
    monkeypatch.chdir(tmp_path)
    new = (replace(NODES[0], uuid="new"), *NODES[1:])
    for nodes, lines in ((NODES, 1), (new, 2), (new, 2)):
        with namenode(hadoop.schema(), nodes) as (host, port, _):
            command = [
                "harvest",
                "reimages",
                "--namenode",
                f"{host}:{port}",
                "-o",
                "wipes.csv",
                "--samples",
                "1",
            ]
            assert run(command) == 0
        written = Path("wipes.csv").read_text().splitlines()
        assert len(written) == lines
    assert written[0] == "server,time"
    assert written[1].startswith("s0,")
    capsys.readouterr()
    assert run(command) == 1
    assert "127.0.0.1:" in capsys.readouterr().err
    Path("wipes.csv").write_text("else\n")
    assert run(command) == 1
    assert "holds something else" in capsys.readouterr().err
