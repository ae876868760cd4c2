"""The parts of a replay; every kind of scenario is read and written in `test_scenario`."""

from __future__ import annotations

from typing import Any

import pytest

from froude.base.errors import InputError
from froude.emulation.programs.audit.shared import KIND
from froude.emulation.settings import LogClientSettings
from froude.experiment.scenario.replay_options import (
    MadeLog,
    ReplayedDatanodes,
    ReplayLoad,
    ReplayNodes,
)


@pytest.mark.parametrize(
    ("kind", "options", "said"),
    [
        (ReplayLoad, {"audit_log": []}, "audit_log: is missing, and so are a Trace and a made-up log"),
        (ReplayLoad, {"audit_log": ["a"], "trace": "t"}, "stands beside another; found audit_log, trace"),
        (ReplayLoad, {"trace": "t", "made": {"rate": 2}}, "found trace, made.rate"),
        (ReplayLoad, {"trace": "t", "growth": {"clients": 2}}, r"growth\.clients: is for an audit log"),
        (ReplayLoad, {"trace": "t", "mode": "population"}, "mode: needs an audit log, and a Trace is given"),
        (
            ReplayLoad,
            {"audit_log": ["a"], "mode": "arrivals", "clients_per_s": 2},
            "clients_per_s: is not for a log, whose clients come as recorded",
        ),
        (ReplayLoad, {"audit_log": ["a"], "time_zone": "Mars"}, "time_zone: "),
        (MadeLog, {"rate": 1e6, "duration_s": 3600}, "rate: makes too many lines"),
    ],
)
def test_what_does_not_go_together(kind: Any, options: dict[str, Any], said: str) -> None:
    """Is refused with the field that says so."""
    with pytest.raises(InputError, match=said):
        kind(**options)


def test_clients_without_datanodes_write_no_blocks() -> None:
    """There is nobody who could take one."""
    clients = LogClientSettings(blocks=3)
    assert ReplayNodes(clients=clients).programs[KIND] == LogClientSettings(blocks=3)
    none = ReplayNodes(clients=clients, datanodes=ReplayedDatanodes(count=0))
    assert none.programs[KIND] == LogClientSettings(blocks=0)
