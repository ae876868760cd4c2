"""`froude harvest simulate durability` and `availability`: what a placement of replicas is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError
from froude.base.progress import counting
from froude.base.summary import counted
from froude.cli import answers
from froude.cli.harvest import common
from froude.cli.inputs import member
from froude.cli.numbers import ranged

if TYPE_CHECKING:
    from froude.cli.settings import Settings
    from froude.harvest.place.policies import Policy
    from froude.harvest.simulate.durability import Outcome
    from froude.harvest.telemetry.datacenter import Datacenter

_DAY_S = 86400.0
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
_Runs = Annotated[int, typer.Option(min=1, max=1000, help="On this datacenter, each with chance of its own.")]
_Replicas = Annotated[int, typer.Option(min=1, max=10, help="Of each block.")]
_DURABILITY, _AVAILABILITY = "durability-simulation", "availability-simulation"


def durability(
    ctx: typer.Context,
    folder: common.Folder,
    policy: _Policies = None,
    distinct: _Distinct = None,
    blocks: Annotated[int, typer.Option(min=1, max=100_000_000, help="Placed at the start.")] = 4_000_000,
    replicas: _Replicas = 3,
    fill: Annotated[
        list[float] | None, typer.Option(metavar="SHARE", help="Of the space that blocks take; repeat [0.5].")
    ] = None,
    days: Annotated[
        float, typer.Option(min=1, max=3660, help="The last ones of the record of reimages.")
    ] = 365.0,
    throttle: Annotated[
        float, typer.Option(min=0.1, max=36000, help="Blocks an hour that a server repairs.")
    ] = 30.0,
    throttle_by: Annotated[
        str, typer.Option("--throttle-by", help="source (who is copied from) or lost (who was wiped).")
    ] = "source",
    runs: _Runs = 3,
    output: answers.Output = None,
    report: answers.Page = None,
) -> None:
    """Blocks that a year of reimages loses under each policy of placement.

    Example: froude harvest simulate durability dc9 --blocks 20000 --runs 2 --policy stock --policy history
    """
    settings: Settings = ctx.obj
    answers.claim(settings, [folder], output, _DURABILITY, report)
    common.require()
    levels = fill or [0.5]
    for level in levels:
        ranged("--fill", level, 0.001, 1.0)

    def find(datacenter: Datacenter) -> answers.Answer:
        from dataclasses import asdict

        from froude.base.seeds import Seeds
        from froude.harvest.figures.replicas import durability_report
        from froude.harvest.simulate.durability import DurabilitySetting, Throttle, compare, year_of

        by = member(Throttle, throttle_by, "--throttle-by")
        setting = DurabilitySetting(
            blocks, replicas, levels[0], days, throttle_per_hour=throttle, throttle=by
        )
        year = year_of(datacenter, reimages_start(datacenter, days), days)
        chosen = chosen_policies(policy, distinct)
        years = runs * len(levels)
        said = f"{counted(years, 'simulated year')} under each of {len(chosen)} policies"
        with settings.progress().task(said, years * len(chosen)) as task:
            found = compare(
                [year], setting, Seeds(settings.seed), chosen, runs, settings.workers, levels,
                done=counting(task, year_text),
            )  # fmt: skip
        content = {
            "policies": [
                {
                    "policy": each.policy,
                    "fill": each.setting.fill,
                    "outcomes": [asdict(o) for o in each.outcomes],
                }
                for each in found
            ]
        }
        return answers.Answer(
            _DURABILITY, content, lambda facts: durability_report(datacenter.name, setting, found, facts)
        )

    common.finish(settings, folder, find, output, report)


def availability(
    ctx: typer.Context,
    folder: common.Folder,
    policy: _Policies = None,
    distinct: _Distinct = None,
    blocks: Annotated[int, typer.Option(min=1, max=20_000_000, help="Placed at the start.")] = 1_000_000,
    replicas: _Replicas = 3,
    mean: Annotated[
        list[float] | None,
        typer.Option(metavar="SHARE", help="Mean utilisation to scale to; repeat [0.3 to 0.75]."),
    ] = None,
    scaling: Annotated[str, typer.Option(help="linear or root.")] = "linear",
    busy: Annotated[
        float, typer.Option(metavar="SHARE", help="Utilisation above which a server denies.")
    ] = 0.66,
    from_day: Annotated[
        float | None,
        typer.Option("--from-day", min=0, help="Classes are of the days before it [half of them]."),
    ] = None,
    runs: _Runs = 3,
    output: answers.Output = None,
    report: answers.Page = None,
) -> None:
    """Accesses that fail since every server of a block is busy, under each policy of placement.

    Example: froude harvest simulate availability dc9 --blocks 20000 --runs 2 --policy stock --policy history
    """
    settings: Settings = ctx.obj
    answers.claim(settings, [folder], output, _AVAILABILITY, report)
    common.require()
    ranged("--busy", busy, 0.0, 1.0)
    for each in mean or []:
        ranged("--mean", each, 0.001, 0.999)

    def find(datacenter: Datacenter) -> answers.Answer:
        from froude.base.seeds import Seeds
        from froude.harvest.figures.replicas import availability_report
        from froude.harvest.simulate.availability import AvailabilitySetting
        from froude.harvest.simulate.availability import availability as simulate
        from froude.harvest.simulate.scaling import Scaling

        means = tuple(mean) if mean else AvailabilitySetting().means
        setting = AvailabilitySetting(
            means, member(Scaling, scaling, "--scaling"), blocks, replicas, busy=busy
        )
        start_s = datacenter.slots * datacenter.slot_s / 2 if from_day is None else from_day * _DAY_S
        chosen = chosen_policies(policy, distinct)
        said = f"{counted(runs, 'run')} under each of {len(chosen)} policies"
        with settings.progress().task(said, runs * len(chosen)) as task:
            seeds = Seeds(settings.seed)
            found = simulate(
                datacenter, start_s, setting, seeds, chosen, runs, settings.workers, counting(task)
            )
        content = {
            "policies": [
                {
                    "policy": each.policy,
                    "mean": each.mean,
                    "failed": list(each.failed),
                    "known": list(each.known),
                    "refused": each.refused,
                }
                for each in found
            ]
        }
        return answers.Answer(
            _AVAILABILITY, content, lambda facts: availability_report(datacenter.name, setting, found, facts)
        )

    common.finish(settings, folder, find, output, report)


def year_text(outcome: Outcome) -> str:
    """What a simulated year came to, beside the progress."""
    return f"{outcome.policy}, run {outcome.run + 1}: {counted(outcome.lost, 'block')} lost"


def reimages_start(datacenter: Datacenter, days: float) -> float:
    """When the last days of the record of reimages begin.

    Raises:
        InputError: no reimage is known.
    """
    if not len(datacenter.reimages.time_s):
        remedy = "Import them: `froude harvest import --reimages`"
        raise InputError("has no reimages", place=datacenter.name, remedy=remedy)
    return float(datacenter.reimages.time_s[-1]) - days * _DAY_S


def chosen_policies(names: list[str] | None, distinct: str | None) -> list[Policy]:
    """Policies by name, and one of a user's own.

    Args:
        names: of those that are known; none for all, unless `distinct` is given.
        distinct: attributes with commas between, a question mark after a soft one.

    Raises:
        InputError: a name or an attribute is not known.
    """
    from froude.harvest.place.policies import PRESETS, constrained, preset

    chosen = [preset(name) for name in names or []]
    if distinct is not None:
        parts = [part.strip() for part in distinct.split(",") if part.strip()]
        soft = [part.rstrip("?") for part in parts if part.endswith("?")]
        chosen.append(constrained([part.rstrip("?") for part in parts], soft))
    return chosen or list(PRESETS)
