"""What a figure holds for: the machine, the versions and the settings under which it was measured."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from froude.emulation.run import Run
from froude.render import Column, Table, ValueKind


def facts_table(facts: Mapping[str, str], caption: str) -> Table:
    """Names and values.

    Args:
        facts: values by name; empty ones are left out.
        caption: what they say.
    """
    rows = [(name, value) for name, value in facts.items() if value]
    return Table((Column("What"), Column("Value", ValueKind.CODE)), rows, caption)


def settings_of(run: Run) -> dict[str, str]:
    """How a run was played, by name."""
    return {
        "Scale": scale_text(run),
        "Played at": when(run.begun_at_s),
        "Against": run.target,
        "Cluster": run.target_id,
        "Pacing": run.pacing if run.speed == 1 else f"{run.pacing}, {run.speed:g} times as fast",
        "Seed": str(run.seed),
        "Calls written down": run.record,
        "Cores shared by NameNode and player": str(run.cores),
    }


def scale_text(run: Run) -> str:
    """Such as `datanodes=200, clients=50`."""
    return ", ".join(f"{name}={value}" for name, value in run.scale.items())


def when(seconds: float) -> str:
    """A wall time in words, UTC.

    Args:
        seconds: since the epoch.
    """
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"
