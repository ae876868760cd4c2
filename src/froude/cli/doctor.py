"""`froude doctor`: what is here, what is missing, how to get it."""

from __future__ import annotations

from dataclasses import asdict

import typer

from froude.cli.ending import Code, end
from froude.cli.settings import Settings
from froude.hadoop.cluster.checkup import Verdict, can_run, check_all

_MARK = {Verdict.OK: "ok", Verdict.ADVICE: "note", Verdict.MISSING: "MISSING"}


def doctor(ctx: typer.Context) -> None:
    """Say what is here, what is missing, and how to get it; ends with 0 when the demo can run.

    Example: froude doctor --json
    """
    settings: Settings = ctx.obj
    checks = check_all()
    ready = can_run(checks)
    settings.emit({"ready": ready, "checks": [{**asdict(c), "verdict": c.verdict.value} for c in checks]})
    width = max(len(check.name) for check in checks)
    for check in checks:
        settings.out(f"{_MARK[check.verdict]:<8} {check.name:<{width}}  {check.found}")
        if check.remedy is not None:
            settings.out(f"{'':<8} {'':<{width}}  {check.remedy}")
    settings.out("")
    settings.out("The demo can run: `froude demo`" if ready else "The demo cannot run yet: see MISSING above")
    if not ready:
        end(Code.ERROR)
