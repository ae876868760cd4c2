"""`froude cache solve`: who gets how much of an SSD, and why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError
from froude.base.files import read_bounded
from froude.cli import answers
from froude.documents.reading import LIMIT_BYTES

if TYPE_CHECKING:
    from froude.cli.settings import Settings


def solve(
    ctx: typer.Context,
    state: Annotated[
        str,
        typer.Argument(
            metavar="STATE",
            help="YAML or JSON of hypervisors and VMs, as a controller gives it (GET /v1/state) or you write it; or one "
            "that comes with Froude: table-1, two-clusters.",
        ),
    ],
    policy: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="How to split: none, shared, equal, working-set, importance, ac-ssd-ga, "
            "ac-ssd, hull, exact, deadline [exact].",
        ),
    ] = None,
    what_if: Annotated[
        str | None,
        typer.Option(
            "--what-if", metavar="X,...", help="Also with SSDs so many times as large; such as 0.5,2,4."
        ),
    ] = None,
    move_anyway: Annotated[
        bool, typer.Option("--move-anyway", help="Move even where it does not pay for itself.")
    ] = False,
    example: Annotated[
        bool, typer.Option("--example", help="Print the state's text instead, to begin one of your own with.")
    ] = False,
    output: answers.Output = None,
    report: answers.Page = None,
) -> None:
    """Who gets how much of each SSD, and why: a plan by one policy, from what is known of the VMs.

    Example: froude cache solve table-1 --what-if 0.5,2
    """
    from dataclasses import asdict

    from froude.cache.figures.plan import plan_report
    from froude.cache.solve.files import PLAN, read_state, shipped
    from froude.cache.solve.planner import Planning
    from froude.cache.solve.planner import solve as plan_of
    from froude.cache.solve.policies import DEFAULT
    from froude.cache.solve.policies import policy as named
    from froude.cache.solve.whatif import what_if as cases_of

    settings: Settings = ctx.obj
    path = shipped().get(state, Path(state))
    if example:
        text = read_bounded(path, limit_bytes=LIMIT_BYTES).decode("utf-8", "replace")
        settings.emit({"state": text})
        if not settings.json:
            print(text, end="")
        return
    answers.claim(settings, [path], output, PLAN.kind, report)
    chosen = named(policy or DEFAULT)
    factors = _factors(what_if)
    opened = read_state(path)
    planning = Planning(seeds=answers.seeds(settings), **({"least_gain": None} if move_anyway else {}))
    with settings.progress().task(f"{len(opened.state.vms)} VMs by policy {chosen.name}"):
        plan = plan_of(opened.state, chosen, planning)
        cases = cases_of(opened.state, chosen, factors, planning)
    content = asdict(plan)
    if cases:
        content["what_if"] = [
            {"factor": case.factor, "space_bytes": case.space_bytes, **asdict(case.plan.expected)}
            for case in cases
        ]
    answers.finish(
        settings,
        answers.Answer(PLAN.kind, content, lambda facts: plan_report(opened.state, plan, cases, facts)),
        inputs={state: opened.content},
        output=output,
        report=report,
    )


def _factors(text: str | None) -> list[float]:
    if text is None:
        return []
    allowed = "numbers from 0 to 100 with commas between, 50 at most"
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError as error:
        raise InputError("is no list of factors", place="--what-if", found=text, allowed=allowed) from error
    if len(found) > 50 or not all(0 <= factor <= 100 for factor in found):
        raise InputError("is no list of factors", place="--what-if", found=text, allowed=allowed)
    return sorted(set(found))
