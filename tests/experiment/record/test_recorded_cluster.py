"""The recording before a background cluster, with stand-ins for both."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from froude.experiment.record import recorded_cluster
from froude.experiment.record.recorded_cluster import RecordingWanted, recorded
from froude.hadoop.cluster.background import Wanted
from froude.hadoop.cluster.loopback import NAMENODE
from froude.hadoop.cluster.supervisor import Front


@pytest.mark.parametrize("fixed", [True, False])
def test_clients_are_led_to_the_proxy(fixed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the usual address where that was asked for; the Trace is named as wanted."""
    asked: list[Any] = []

    @contextmanager
    def record(cluster: object, workspace: Any, **options: Any) -> Iterator[Any]:
        asked.append((cluster, workspace.folder, options))
        yield SimpleNamespace(address=("127.0.0.1", 9), trace=tmp_path / "traces" / "t")

    monkeypatch.setattr(recorded_cluster, "record", record)
    wanted = RecordingWanted(str(tmp_path), {"files": "3"}, "t", "froude x")
    cluster: Any = SimpleNamespace()
    with recorded(cluster, Wanted(fixed=fixed, recording=asdict(wanted)), tmp_path) as front:
        assert front == Front(("127.0.0.1", 9), str(tmp_path / "traces" / "t"))
    listen = NAMENODE if fixed else None
    options = {"scale": {"files": "3"}, "name": "t", "listen": listen, "command": "froude x"}
    assert asked == [(cluster, tmp_path, options)]
