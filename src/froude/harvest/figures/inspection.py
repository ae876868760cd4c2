"""The page of blocks as they lie: constraints that they break, and what a year of reimages would cost them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from froude.base.summary import counted
from froude.harvest.figures.replicas import count_text, least_and_most
from froude.harvest.place.existing import Broken, Existing
from froude.harvest.place.policies import Attribute
from froude.harvest.simulate.durability import Compared
from froude.harvest.simulate.spread import runs_text
from froude.render import Callout, Column, KeyFigure, Report, Section, Table, TableOf, Tone, Value, ValueKind

WITHOUT = "without a replica"
"""Why a block is left out that is lost already."""
_NEARLY_ALL = 0.995
_LEGEND = (
    "environment, rack: two replicas in one may be wiped together. peak_row: servers that peak alike may be busy "
    "together. reimage_column: servers that are reimaged alike. Rows and columns are free again after each third "
    "replica, as in Algorithm 2. Racks are those of the datacenter's inventory. What is not known is not judged: racks "
    "that no inventory names, reimages where none was recorded in three months."
)
_BREAKS = {
    Attribute.ENVIRONMENT: "have replicas in the same environment",
    Attribute.RACK: "have more replicas in a rack than they need to",
    Attribute.PEAK_ROW: "have replicas on servers that peak alike",
    Attribute.REIMAGE_COLUMN: "have replicas on servers that are reimaged alike",
}


@dataclass(frozen=True, slots=True, eq=False)
class Inspected:
    """What was found."""

    existing: Existing
    broken: tuple[Broken, ...]
    left_out: Mapping[str, int]
    """Blocks that could not be looked at, by reason."""
    days: float
    """Of reimages that were simulated; 0 for none."""
    as_it_is: Sequence[Compared] = ()
    """The blocks as they lie, repaired by each policy."""
    anew: Sequence[Compared] = ()
    """As many blocks placed, and repaired, by each policy."""
    bad: Mapping[str, int] = field(default_factory=dict)
    """Replicas that count as none, by why."""


def inspection_report(name: str, found: Inspected, facts: Mapping[str, str]) -> Report:
    """A page of what was found."""
    blocks = found.existing.blocks
    judged = [each for each in found.broken if each.judged]
    lede = f"Nothing is known of the servers on which {blocks:,} blocks lie: no constraint can be judged."
    if judged:
        worst = max(judged, key=lambda each: each.blocks)
        lede = f"{worst.blocks / blocks:.1%} of {blocks:,} blocks {_BREAKS[worst.attribute]}."
        if worst.judged < _NEARLY_ALL:
            lede += f" Only {worst.judged:.0%} of their replicas are on servers of which that is known."
    figures = [KeyFigure("blocks", blocks)]
    if found.as_it_is:
        first = found.as_it_is[0]
        lost = count_text(first.lost.mean) if first.lost.mean else "none"
        how = f"{found.days:g} days of reimages if {first.policy} copies"
        lede += f" As they lie, {lost} of them would be lost in {how}."
        figures.append(
            KeyFigure("lost", round(first.lost.mean, 1), unit="blocks", note=f"in {found.days:g} days")
        )
    lede += _thin(found)
    sections = [Section("Constraints", (*_remarks(found), _broken_table(found)))]
    if found.as_it_is:
        sections.append(Section(f"{found.days:g} days of reimages", (_lost_table(found),)))
    title = f"Blocks as they lie on {name}"
    return Report(title, "", lede, Tone.NEUTRAL, tuple(figures), tuple(sections), facts)


def _thin(found: Inspected) -> str:
    """What is nearer to its loss than most, or beyond it, which what is lost of the others does not tell."""
    numbers = {
        "fewer replicas than most": found.existing.few,
        "no replica at all": found.left_out.get(WITHOUT, 0),
    }
    return "".join(
        f" {counted(number, 'block')} {'has' if number == 1 else 'have'} {what}."
        for what, number in numbers.items()
        if number
    )


def _remarks(found: Inspected) -> list[Callout]:
    remarks = []
    if found.existing.unknown:
        first = found.existing.unknown[0]
        text = f"Such as {first}. Each is a server of its own that nobody reimages; no constraint is judged of it."
        remarks.append(Callout(f"{len(found.existing.unknown):,} DataNodes are on no known server", text))
    left = {reason: number for reason, number in found.left_out.items() if number}
    if left:
        text = ", ".join(f"{number:,} {reason}" for reason, number in left.items())
        remarks.append(Callout(f"{sum(left.values()):,} blocks are left out", text))
    few = found.existing.few
    if few:
        single = found.existing.counts.get(1, 0)
        text = "Whether their files want more, a listing of blocks does not tell."
        if single:
            text = f"{counted(single, 'block')} of these with one: the next reimage or broken disk there loses it."
        remarks.append(Callout(f"{counted(few, 'block')} with fewer replicas than most", text))
    if found.bad:
        text = ", ".join(f"{number:,} {why}" for why, number in found.bad.items())
        remarks.append(Callout(f"{sum(found.bad.values()):,} replicas count as none", text))
    return remarks


def _broken_table(found: Inspected) -> Table:
    blocks = found.existing.blocks
    return (
        TableOf[Broken]()
        .words("must differ in", lambda each: each.attribute.value)
        .number("broken by", lambda each: each.blocks if each.judged else "not known", "blocks")
        .share("share", lambda each: each.blocks / blocks if each.judged else None)
        .number("to move", lambda each: each.replicas if each.judged else None, "replicas")
        .share("replicas judged", lambda each: each.judged)
        .of(found.broken, "Constraints, each by itself", note=_LEGEND)
    )


def _lost_table(found: Inspected) -> Table:
    columns = (
        Column("blocks"),
        Column("copied by"),
        Column("lost", ValueKind.NUMBER, "blocks"),
        Column("least", ValueKind.NUMBER),
        Column("most", ValueKind.NUMBER),
        Column("copied again", ValueKind.NUMBER, "replicas"),
    )
    rows: list[tuple[Value, ...]] = [
        (
            where,
            each.policy,
            round(each.lost.mean, 1),
            *least_and_most(each),
            round(each.of(lambda outcome: outcome.repaired).mean),
        )
        for where, group in (("as they lie", found.as_it_is), ("placed anew", found.anew))
        for each in group
    ]
    runs = runs_text(len(found.as_it_is[0].outcomes))
    note = (
        f"The last {found.days:g} days of reimages that are known, in {runs}. "
        "Placed anew: by the same policy as they are copied."
    )
    return Table(columns, rows, "What the reimages would cost", note=note)
