"""What a figure holds for: the machine, the versions and the settings under which it was measured."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from froude.emulation.run.bottleneck import LimitedBy
from froude.emulation.run.run import TARGET, Run
from froude.emulation.settings import Mode
from froude.hadoop.rpc.target import daemon_name
from froude.render import Column, Table, ValueKind


def facts_table(facts: Mapping[str, str], caption: str) -> Table:
    """Names and values.

    Args:
        facts: values by name; empty ones are left out.
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
        **({} if run.mode == Mode.ONCE.value else {"Load kept up by": run.mode}),
        "Pacing": run.pacing if run.speed == 1 else f"{run.pacing}, {run.speed:g} times as fast",
        "Seed": str(run.seed),
        "Calls written down": run.record,
        "Cores shared by targets and player": str(run.cores),
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


def server_of(environment: Mapping[str, str]) -> str:
    """What was played against, such as `ResourceManager and NameNode`: by name, else the server that it was."""
    return environment.get(TARGET) or ("NameNode" if "Hadoop" in environment else "server")


def in_words(text: str, environment: Mapping[str, str]) -> str:
    """A reason as a page tells it: by the name of what was played against, not as the target.

    Args:
        text: of a verdict or a bottleneck.
    """
    return text.replace("the target", f"the {server_of(environment)}")


def limit_words(by: str, environment: Mapping[str, str], daemon: str = "") -> tuple[str, str]:
    """Who was the limit, in a word or two, and what that means.

    Args:
        by: a value of `LimitedBy`.
        daemon: the target that was the limit, such as `namenode`, where it is known.
    """
    server = daemon_name(daemon) if daemon else server_of(environment)
    return {
        LimitedBy.PLAYER: ("player", "Froude's own process was busy or late"),
        LimitedBy.TARGET: (server, "it was busy, or calls waited for it"),
        LimitedBy.MACHINE: ("other work", "on this machine, which left too little CPU"),
        LimitedBy.NEITHER: ("nobody", f"{server} and player had CPU left"),
        LimitedBy.UNKNOWN: ("unknown", f"the {server}'s CPU was not seen"),
    }[LimitedBy(by)]


def environment_facts(environment: Mapping[str, str]) -> dict[str, str]:
    """What was measured on, by names that a page can show.

    Args:
        environment: by the names that files have.
    """
    return {in_words(name, environment): value for name, value in environment.items()}


def place_text(environment: Mapping[str, str]) -> str:
    """Release, JVM, heap and machine in one line.

    Args:
        environment: what was measured on; what it does not name is left out.
    """
    forms = {
        "Hadoop": "Hadoop {}",
        "JVM": "{}",
        "heap": "heap {}",
        "cores": "{} cores",
        "memory": "{} memory",
    }
    return " · ".join(form.format(environment[name]) for name, form in forms.items() if environment.get(name))
