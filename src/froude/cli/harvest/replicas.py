"""`froude harvest simulate durability` and `availability`: what a placement of replicas is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from froude.cli import answers
from froude.cli.fields import Fields, Given, with_fields
from froude.cli.harvest import common
from froude.harvest.simulate.settings import AvailabilitySetting, DurabilitySetting

if TYPE_CHECKING:
    from froude.cli.settings import Settings

_Policies = Annotated[
    list[str] | None,
    typer.Option(
        "--policy",
        metavar="NAME",
        help="stock, stock-paper, random, rack-fault-tolerant, environment, rows+environment, history, history-space, "
        "copyset; -soft after it gives way where nothing fits; repeat [all].",
    ),
]
_Distinct = Annotated[
    str | None,
    typer.Option(
        metavar="NAME,…",
        help="A policy of one's own: environment, rack, peak_row, reimage_column; ? after a soft one.",
    ),
]
_YEAR = Fields(
    DurabilitySetting,
    "blocks replicas days throttle_per_hour throttle",
    flags={"throttle_per_hour": "--throttle", "throttle": "--throttle-by"},
)
_ACCESSES = Fields(AvailabilitySetting, "blocks replicas means scaling busy", flags={"means": "--mean"})


@with_fields
def durability(
    ctx: typer.Context,
    *,
    folder: common.Folder,
    policy: _Policies = None,
    distinct: _Distinct = None,
    setting: Annotated[Given, _YEAR],
    fill: Annotated[
        list[float] | None,
        typer.Option(min=0.001, max=1, metavar="SHARE", help="Of the space that blocks take; repeat [0.5]."),
    ] = None,
    runs: common.Runs = 3,
    output: answers.Output = None,
    report: answers.Page = None,
) -> None:
    """Blocks that a year of reimages loses under each policy of placement.

    Example: froude harvest simulate durability dc9 --blocks 20000 --runs 2 --policy stock --policy history
    """
    settings: Settings = ctx.obj
    common.require()
    from froude.harvest import analyses

    answers.claim(settings, [folder], output, analyses.DURABILITY, report)
    policies, fills, how = common.chosen_policies(policy, distinct), fill or [0.5], answers.how(settings)
    common.answer(
        settings,
        folder,
        lambda dc: analyses.durability(dc, policies, fills=fills, runs=runs, **how, **setting),
        output,
        report,
    )


@with_fields
def availability(
    ctx: typer.Context,
    *,
    folder: common.Folder,
    policy: _Policies = None,
    distinct: _Distinct = None,
    setting: Annotated[Given, _ACCESSES],
    from_day: Annotated[
        float | None,
        typer.Option("--from-day", min=0, help="Classes are of the days before it [half of them]."),
    ] = None,
    runs: common.Runs = 3,
    output: answers.Output = None,
    report: answers.Page = None,
) -> None:
    """Accesses that fail since every server of a block is busy, under each policy of placement.

    Example: froude harvest simulate availability dc9 --blocks 20000 --runs 2 --policy stock --policy history
    """
    settings: Settings = ctx.obj
    common.require()
    from froude.harvest import analyses

    answers.claim(settings, [folder], output, analyses.AVAILABILITY, report)
    policies, how = common.chosen_policies(policy, distinct), answers.how(settings)
    common.answer(
        settings,
        folder,
        lambda dc: analyses.availability(dc, policies, from_day=from_day, runs=runs, **how, **setting),
        output,
        report,
    )
