"""`froude cache serve` and `froude cache agent`: the controller and its agents, each served until it is told to stop."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from froude.cli.needed import require
from froude.cli.settings import Settings

_NEEDED = ("fastapi", "uvicorn", "pyroute2", "qemu", "xxhash")


def serve(
    ctx: typer.Context,
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="YAML of the controller.")],
) -> None:
    """Split SSDs among VMs every minute: observe by agents, decide by a policy, apply, remember; REST beside it.

    Every change is made in an order in which no SSD is promised twice, whatever fails. With `apply: false` in its file,
    plans are only shown. Ends at Ctrl-C or SIGTERM, with 0; limits stay as they are.

    Example: froude cache serve controller.yaml
    """
    settings: Settings = ctx.obj
    require("cache", *_NEEDED)
    from froude.cache.control.config import read_controller
    from froude.cache.control.process import run_controller

    told = read_controller(config)
    if settings.dry_run:
        settings.would(
            f"split the SSDs of {', '.join(told.hypervisors)} by {told.policy}, and serve at {told.listen}"
        )
        return
    run_controller(
        told,
        ready=lambda address: _ready(settings, address),
        failed=lambda text: settings.note(f"note: {text}"),
        seed=settings.seed,
    )


def agent(
    ctx: typer.Context,
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="YAML of the agent.")],
) -> None:
    """Report to the controller: what VMs do and have on a hypervisor, or what runs on a VM; and change limits.

    A hypervisor's agent refuses what its SSD has not, whoever asks. At its start it measures whether each back-end
    limits at all. Ends at Ctrl-C or SIGTERM, with 0; limits stay as they are.

    Example: froude cache agent agent.yaml
    """
    settings: Settings = ctx.obj
    require("cache", *_NEEDED)
    from froude.cache.agents.config import read_agent
    from froude.cache.control.process import run_agent

    told = read_agent(config)
    if settings.dry_run:
        settings.would(f"serve the agent {told.name} at {told.listen}")
        return
    run_agent(
        told,
        ready=lambda address: _ready(settings, address),
        failed=lambda text: settings.note(f"note: {text}"),
    )


def _ready(settings: Settings, address: str) -> None:
    settings.emit({"address": address})
    settings.note(f"serving at {address}; Ctrl-C ends it")
