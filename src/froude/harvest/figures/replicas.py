"""Pages of placement: blocks that a year of reimages loses, and accesses that busy servers deny, by policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from froude.harvest.simulate.availability import Availability
from froude.harvest.simulate.durability import Compared
from froude.harvest.simulate.settings import AvailabilitySetting, DurabilitySetting
from froude.harvest.simulate.spread import Spread, runs_text
from froude.render import (
    Axis,
    Block,
    Callout,
    Chart,
    Column,
    KeyFigure,
    Report,
    Section,
    Series,
    Table,
    Tone,
    Value,
    ValueKind,
)

_STOCK, _HISTORY = "stock", "history"
_DRAWN = (_STOCK, "random", "environment", "rows+environment", _HISTORY)
"""Policies that a chart shows where they are: nine lines could not be told apart."""
_LEGEND = (
    "stock: HDFS as it is, two replicas on one other rack. stock-paper: two on the writer's rack. history: Algorithm 2. "
    "environment, rows+environment: those constraints alone. All policies see the same wipes, writers and numbers."
)


def durability_report(
    name: str, setting: DurabilitySetting, found: Sequence[Compared], facts: Mapping[str, str]
) -> Report:
    """Blocks lost in a year.

    Args:
        setting: what was simulated; the fill level may be of another.
        found: by policy and fill level.
    """
    some = [each for each in found if any(outcome.placed for outcome in each.outcomes)]
    lost = {each.policy: each.lost for each in some if each.setting.fill == found[0].setting.fill}
    told = f"of {setting.blocks:,} blocks in {setting.days:g} days"
    runs = len(found[0].outcomes)
    base = runs_text(runs)
    if not some:
        lede = f"No policy could place any of {setting.blocks:,} blocks: nothing says how many would be lost."
    elif lost and any(each.lost.most for each in some):
        lede = _fewest(lost, told, base)
    else:
        lede = f"No policy lost any {told} ({base}), so that they cannot be distinguished. Try more blocks or days."
    figures = tuple(
        KeyFigure(
            f"lost by {policy}",
            round(lost[policy].mean, 1),
            unit="blocks",
            note=f"at most {lost[policy].most:,.0f} in {base}" if runs > 1 else f"of {base}",
        )
        for policy in (_STOCK, _HISTORY)
        if policy in lost
    )
    levels = sorted({each.setting.fill for each in found})
    blocks: list[Block] = [*_refusals(found), _lost_table(found)]
    if len(levels) > 1:
        blocks.append(_against_fill(found))
    title = f"Blocks lost on {name}"
    return Report(title, "", lede, Tone.NEUTRAL, figures, (Section("Policies", tuple(blocks)),), facts)


def _fewest(lost: Mapping[str, Spread], told: str, base: str) -> str:
    """Under which policies the fewest are lost, and how many under HDFS as it is."""
    fewest = min(spread.mean for spread in lost.values())
    best = [policy for policy, spread in lost.items() if spread.mean == fewest]
    verb = "lose" if len(best) > 1 else "loses"
    stock = f", stock HDFS {count_text(lost[_STOCK].mean)}" if _STOCK in lost and _STOCK not in best else ""
    return f"{' and '.join(best)} {verb} {count_text(fewest)} {told}{stock} ({base})."


def availability_report(
    name: str, setting: AvailabilitySetting, found: Sequence[Availability], facts: Mapping[str, str]
) -> Report:
    """Accesses that fail since all servers of a block are busy.

    Args:
        found: by policy and mean utilisation.
    """
    policies = list(dict.fromkeys(each.policy for each in found))
    middle = min(setting.means, key=lambda mean: abs(mean - 0.5))
    base = runs_text(len(found[0].failed))
    at = {each.policy: each.spread.mean for each in found if each.mean == middle and each.spread}
    lede = _fail_least(at, middle, base)
    known = min((share for each in found if each.spread for share in each.known), default=1.0)
    if known < 1:
        lede += (
            f" Shares are of the accesses whose servers were all measured: {_share(known)} of all at least."
        )
    lines = tuple(
        Series(policy, list(setting.means), [_mean(each) for each in found if each.policy == policy])
        for policy in [each for each in _DRAWN if each in policies] or policies[: len(_DRAWN)]
    )
    axes = Axis("mean utilisation", ValueKind.SHARE), Axis("failed accesses", ValueKind.SHARE, log=True)
    caption = "Logarithmic: where none failed there is no point. Other policies are in the table."
    chart = Chart(f"Failed accesses, {setting.scaling.value} scaling", *axes, lines, caption=caption)
    columns = (Column("policy"), *(Column(f"{mean:.0%}", ValueKind.SHARE) for mean in setting.means))
    rows: list[tuple[Value, ...]] = [
        (policy, *(_mean(each) for each in found if each.policy == policy)) for policy in policies
    ]
    note = (
        f"Of {setting.blocks:,} blocks at {setting.moments} moments a run, {base}; "
        f"busy is above {setting.busy:.0%}."
    )
    table = Table(columns, rows, "Share of accesses that fail, by mean utilisation", note=note)
    return Report(
        f"Failed accesses on {name}",
        "",
        lede,
        Tone.NEUTRAL,
        (),
        (Section("Policies", (table, chart)),),
        facts,
    )


def _fail_least(at: Mapping[str, float], middle: float, base: str) -> str:
    """Under which policies the fewest accesses fail, as far as they differ, and how many under HDFS as it is."""
    if not at:
        return f"At {middle:.0%} utilisation no access has servers that were all measured: no policy is compared."
    least = min(at.values())
    best = [policy for policy, share in at.items() if share == least]
    if len(best) == len(at) > 1:
        return (
            f"At {middle:.0%} utilisation {_share(least)} of the accesses fail, whatever the policy ({base})."
        )
    stock = f", {_share(at[_STOCK])} under stock HDFS" if _STOCK in at and _STOCK not in best else ""
    best_text = " and ".join(best)
    return (
        f"At {middle:.0%} utilisation {_share(least)} of the accesses fail under {best_text}{stock} ({base})."
    )


def _mean(found: Availability) -> float | None:
    return found.spread.mean if found.spread else None


def count_text(mean: float) -> str:
    """A mean of counts: whole where it is."""
    return f"{mean:,.0f}" if mean == round(mean) else f"{mean:,.1f}"


def least_and_most(found: Compared) -> tuple[int | None, int | None]:
    """Blocks lost in the best and in the worst run; None where there was one alone."""
    return (int(found.lost.least), int(found.lost.most)) if len(found.outcomes) > 1 else (None, None)


def _share(value: float) -> str:
    return f"{value:.2%}" if value >= 0.0001 or not value else f"{value:.4%}"


def _refusals(found: Sequence[Compared]) -> list[Callout]:
    refused = [each for each in found if any(outcome.refused for outcome in each.outcomes)]
    if not refused:
        return []
    most = max(outcome.refused for each in refused for outcome in each.outcomes)
    names = ", ".join(dict.fromkeys(each.policy for each in refused))
    text = f"Under {names}: hard constraints that no servers fulfil any more. Those blocks are in no other count."
    return [Callout(f"Up to {most:,} blocks could not be placed", text)]


def _lost_table(found: Sequence[Compared]) -> Table:
    columns = (
        Column("policy"),
        Column("fill", ValueKind.SHARE),
        Column("lost", ValueKind.NUMBER, "blocks"),
        Column("least", ValueKind.NUMBER),
        Column("most", ValueKind.NUMBER),
        Column("copied again", ValueKind.NUMBER, "replicas"),
        Column("relaxed", ValueKind.NUMBER, "replicas"),
        Column("repairs wait", ValueKind.SHARE),
    )
    rows: list[tuple[Value, ...]] = [
        (
            each.policy,
            each.setting.fill,
            round(each.lost.mean, 1),
            *least_and_most(each),
            round(each.of(lambda outcome: outcome.repaired).mean),
            round(each.of(lambda outcome: sum(outcome.relaxed.values())).mean),
            each.of(lambda outcome: outcome.busy_share).mean,
        )
        for each in found
    ]
    base = runs_text(len(found[0].outcomes))
    note = f"{_LEGEND} Least and most: in {base}. Repairs wait: share of the time in which any does."
    return Table(columns, rows, "What the wipes cost", note=note)


def _against_fill(found: Sequence[Compared]) -> Chart:
    policies = dict.fromkeys(each.policy for each in found)
    series = []
    for policy in policies:
        mine = sorted((each for each in found if each.policy == policy), key=lambda each: each.setting.fill)
        series.append(Series(policy, [e.setting.fill for e in mine], [e.lost.mean for e in mine]))
    axes = Axis("fill level", ValueKind.SHARE), Axis("lost", unit="blocks")
    return Chart("Loss against how full the file system is", *axes, tuple(series))
