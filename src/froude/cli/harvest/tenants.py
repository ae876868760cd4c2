"""`froude harvest characterise` and `froude harvest classify`: what tenants are like, and in which classes they fall."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError
from froude.cli import answers
from froude.cli.harvest import common

if TYPE_CHECKING:
    from froude.cli.settings import Settings
    from froude.harvest.classify.classes import Grouping
    from froude.harvest.telemetry.datacenter import Datacenter

_PERIOD = typer.Option(
    min=2, max=366, metavar="DAYS", help="Of the backtest [the longest of 30, 7, 2 that fits twice]."
)


def characterise(
    ctx: typer.Context, folder: common.Folder, output: answers.Output = None, report: answers.Page = None
) -> None:
    """Shares of the patterns, how often servers are reimaged, how tenants move: the paper's Figures 1 to 6.

    Example: froude harvest characterise dc9 --report dc9.html
    """
    settings: Settings = ctx.obj
    answers.claim(settings, [folder], output, "datacenter-characteristics", report)

    def find(datacenter: Datacenter) -> answers.Answer:
        from froude.harvest.classify.characterise import characterise as look
        from froude.harvest.figures.tenants import characterise_report
        from froude.harvest.telemetry.profiles import PATTERNS

        found = look(datacenter)
        names = [pattern.value for pattern in PATTERNS]
        content = {
            "tenant_shares": found.tenant_shares and dict(zip(names, found.tenant_shares, strict=True)),
            "server_shares": found.server_shares and dict(zip(names, found.server_shares, strict=True)),
            "servers": len(datacenter.servers),
            "servers_with_pattern": found.servers_with_pattern,
            "unknown_tenants": found.patterns.unknown,
            "days_left_out": list(found.patterns.days_left_out),
            "months_of_reimages": found.months,
            "reimages_a_server_month": float(found.server_reimages.mean()) if found.months else None,
            "tenants": [
                {"tenant": tenant, "pattern": names[pattern] if pattern >= 0 else None}
                for tenant, pattern in zip(datacenter.tenants, found.patterns.pattern.tolist(), strict=True)
            ],
        }
        return answers.Answer(
            "datacenter-characteristics", content, lambda facts: characterise_report(datacenter, found, facts)
        )

    common.finish(settings, folder, find, output, report)


def classify(
    ctx: typer.Context,
    folder: common.Folder,
    features: Annotated[
        str, typer.Option(help="folded (mean day or week) or spectrum (the paper's).")
    ] = "folded",
    classes: Annotated[
        str, typer.Option(metavar="P,C,U", help="How many periodic, constant, unpredictable; or auto.")
    ] = "13,5,5",
    period: Annotated[int | None, _PERIOD] = None,
    output: answers.Output = None,
    report: answers.Page = None,
) -> None:
    """Utilisation classes, held against the next period and the next day.

    Example: froude harvest classify dc9 --classes auto --report classes.html
    """
    settings: Settings = ctx.obj
    answers.claim(settings, [folder], output, "utilisation-classes", report)
    common.require()
    how = grouping(features, classes)

    def find(datacenter: Datacenter) -> answers.Answer:
        from dataclasses import asdict

        from froude.base.seeds import Seeds
        from froude.harvest.classify.backtest import PERIODS, backtest, stability
        from froude.harvest.classify.classes import classify as group
        from froude.harvest.classify.classes import slots_a_day
        from froude.harvest.figures.classes import classes_report

        seeds = Seeds(settings.seed)
        days = datacenter.slots // slots_a_day(datacenter)
        with settings.progress().task("Making classes"):
            found = group(datacenter, seeds, how)
        with settings.progress().task("Holding them against the next period and the next day"):
            long_enough = days >= 2 * (period or PERIODS[-1])
            if period is not None and not long_enough:
                raise InputError(
                    "is too long", place="--period", found=period, allowed=f"at most {days // 2} days here"
                )
            tests = backtest(datacenter, seeds, how, days=period) if long_enough else []
            stable = stability(datacenter, seeds, how, days=min(30, days - 1)) if days > 2 else None
        content = {
            "classes": [
                {
                    "name": each.name,
                    "pattern": each.pattern.value,
                    "servers": each.servers,
                    "average": each.average,
                    "peak": each.peak,
                    "tenants": [datacenter.tenants[tenant] for tenant in each.tenants.tolist()],
                }
                for each in found.classes
            ],
            "unknown_tenants": found.patterns.unknown,
            "days_left_out": list(found.patterns.days_left_out),
            "backtest": [asdict(test) for test in tests],
            "stability": None if stable is None else asdict(stable),
        }
        return answers.Answer(
            "utilisation-classes",
            content,
            lambda facts: classes_report(datacenter, found, tests, stable, facts),
        )

    common.finish(settings, folder, find, output, report)


def grouping(features: str, classes: str) -> Grouping:
    """How classes are made, from flags.

    Args:
        features: of `--features`.
        classes: of `--classes`.

    Raises:
        InputError: one of them is none.
    """
    from froude.harvest.classify.classes import Features, Grouping
    from froude.harvest.telemetry.profiles import PATTERNS

    try:
        kind = Features(features)
    except ValueError as error:
        allowed = ", ".join(each.value for each in Features)
        raise InputError("are no features", place="--features", found=features, allowed=allowed) from error
    if classes == "auto":
        return Grouping(kind, None)
    numbers = classes.split(",")
    if len(numbers) != len(PATTERNS) or not all(
        n.isascii() and n.isdecimal() and 1 <= int(n) <= 999 for n in numbers
    ):
        raise InputError(
            "are no numbers of classes", place="--classes", found=classes, allowed="13,5,5 or auto"
        )
    return Grouping(kind, dict(zip(PATTERNS, map(int, numbers), strict=True)))
