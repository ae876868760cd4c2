"""A Workload as a picture and tables: who calls what, in which loops, and where the arguments come from.

Equal lanes of the picture are drawn as one: ten clients that do the same need no ten columns, and no arrows between
them.
"""

from __future__ import annotations

from collections import Counter
from collections import Counter as Tally
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from froude.base.summary import counted
from froude.base.units import Quantity
from froude.experiment.figures.names import does, named
from froude.render import (
    ArrowKind,
    Block,
    Callout,
    Column,
    Pattern,
    PatternArrow,
    PatternCall,
    PatternLane,
    PatternLoop,
    PatternPeriodic,
    PatternStep,
    Section,
    Table,
    Tone,
    Value,
    ValueKind,
    literal,
)
from froude.workload.groups import QuestionGroup, groups, number, open_by_cause
from froude.workload.rounds import how_often
from froude.workload.scale import Count
from froude.workload.types import (
    CallTemplate,
    Cases,
    Finding,
    NodeType,
    Repeat,
    Rule,
    StartRule,
    Step,
    Template,
    Workload,
)
from froude.workload.walk import fold, templates
from froude.workload.yaml_rules import rule_field

_LEAST = 3
"""Lanes that are worth joining: two stand well side by side."""
_MOST_CAUSES = 6
"""Arrows to one call that an eye can follow to their beginnings."""
_TELLING = ("src", "path", "dst", "clientName")
"""Arguments that tell calls of one method apart, most telling first."""

_MOST_QUESTIONS = 40
_DRAWN = "; drawn"
"""How a finding ends that says so of a loop's number."""
_KINDS = {
    "Constant": "constant",
    "Absent": "constant",
    "Counter": "regular",
    "Scaled": "regular",
    "Cycle": "regular",
    "Template": "regular",
    "Flow": "information flow",
    "NodeFact": "the node's own",
    "Generated": "generated",
    "Unknown": "unknown",
}


def workload_section(workload: Workload, scale: Mapping[str, Quantity] | None = None) -> Section:
    """The mined pattern: picture, arguments by kind, open questions.

    Args:
        scale: where counts are shown as numbers beside their formulas; None for formulas only.
    """
    blocks: list[Block] = [pattern(workload, scale), _argument_table(workload)]
    left = groups(workload)
    if left:
        blocks.append(_question_table(workload, left))
    for finding in workload.findings:
        tone = Tone.BAD if finding.fatal else Tone.WARNING
        blocks.append(Callout("Mining noticed", finding_text(finding), tone))
    calls = sum(1 for node_type in workload.node_types for _ in templates(node_type))
    intro = (
        f"{counted(len(workload.node_types), 'node type')}, {counted(calls, 'call')} of the pattern, "
        f"{counted(len(left), 'open question')}."
    )
    return Section("The mined pattern", tuple(blocks), intro)


def finding_text(finding: Finding) -> str:
    """What mining noticed, as Markdown; the words of files are explained."""
    drawn = " (*drawn*: each node takes a number between them, at random)" if _DRAWN in finding.what else ""
    return f"{literal(finding.what)}{drawn}"


def workload_reason(workload: Workload) -> str:
    """What of a workload keeps a page from being green."""
    left, findings = open_by_cause(workload), workload.findings
    said = [counted(len(left), "question") + " not answered"] if left else []
    if findings:
        first = next((finding for finding in findings if finding.fatal), findings[0])
        more = f", and {len(findings) - 1} more" if len(findings) > 1 else ""
        said.append(f"mining noticed: {finding_text(first)}{more}")
    return f"**Of the workload:** {'; '.join(said)}." if said else ""


def pattern(workload: Workload, scale: Mapping[str, Quantity] | None = None) -> Pattern:
    """The picture of a workload.

    Args:
        scale: where counts are shown as numbers, beside their formulas or in place of them; None for formulas
            only.
    """
    joined: dict[str, str] = {}
    drawn = [_lane(node_type, scale, joined) for node_type in workload.node_types]
    lanes, alias = merged_lanes(drawn)
    to_box = {call: alias.get(box, box) for call, box in joined.items()}
    arrows = from_lanes(merged_arrows(list(_arrows(workload)), {**alias, **to_box}), lanes)
    caption = (
        "A lane for each type of node, with its number and the first calls that tell it apart. Grey boxes are calls in "
        "order, blue boxes are loops with their count, dashed boxes are periodic calls. "
        "A number in a circle marks what starts or causes something else."
    )
    return Pattern("Who calls what", lanes, arrows, caption)


def argument_kinds(call: CallTemplate) -> Iterator[str]:
    """The kind of each argument's rule, in the paper's words (Tables IV and VI)."""
    for rule in call.arguments.values():
        yield _KINDS[type(rule.otherwise if isinstance(rule, Cases) else rule).__name__]


def _lane(node_type: NodeType, scale: Mapping[str, Quantity] | None, joined: dict[str, str]) -> PatternLane:
    """A node type as a lane; calls that share a box are told to `joined`, with the one that stands for them."""
    return PatternLane(
        name=node_type.name,
        count=_count(node_type.count, scale),
        start=_start(node_type.start),
        steps=_steps(node_type.steps, scale, joined),
        effects=_effects(node_type, joined),
        does=does(node_type),
        periodic=tuple(
            PatternPeriodic(_call(p.call), _seconds(p.every_s), p.every_s) for p in node_type.periodic
        ),
    )


def _effects(node_type: NodeType, joined: dict[str, str]) -> tuple[PatternCall, ...]:
    """One box for each method: what differs between its calls is who causes them, which the arrows say."""
    by_method: dict[str, list[CallTemplate]] = {}
    for effect in node_type.effects:
        by_method.setdefault(effect.call.method, []).append(effect.call)
    for calls in by_method.values():
        joined |= {call.id: calls[0].id for call in calls[1:]}
    return tuple(_call(calls[0], len(calls)) for calls in by_method.values())


def _steps(
    steps: tuple[Step, ...], scale: Mapping[str, Quantity] | None, joined: dict[str, str]
) -> tuple[PatternStep, ...]:
    """Steps as they are drawn; neighbours of one method share a box."""

    def call(template: CallTemplate) -> _Drawn:
        return (template.method, template.poll), template.id, lambda count: _call(template, count)

    def repeat(segment: Repeat, body: list[_Drawn]) -> _Drawn:
        plain = scale is None or not segment.times.slopes or not segment.times.names <= scale.keys()
        value = "" if scale is None or plain else str(segment.times.whole_at(scale))
        loop = PatternLoop(how_often(segment), _boxes(body, joined), value)
        return segment.id, segment.id, lambda _: loop

    return _boxes(fold(steps, call, repeat), joined)


_Drawn = tuple[object, str, Callable[[int], PatternStep]]
"""What neighbours in one box have in common, an id, and the box of so many of them."""


def _boxes(drawn: Sequence[_Drawn], joined: dict[str, str]) -> tuple[PatternStep, ...]:
    groups = [list(group) for _, group in groupby(drawn, key=lambda step: step[0])]
    for group in groups:
        joined |= {name: group[0][1] for _, name, _ in group[1:]}
    return tuple(group[0][2](len(group)) for group in groups)


def _call(call: CallTemplate, count: int = 1) -> PatternCall:
    note = f"until {call.poll.path} = {call.poll.until!r}" if call.poll else ""
    if call.fails:
        note = f"fails: {call.fails.rpartition('.')[2]}"
    telling = next((call.arguments[name] for name in _TELLING if name in call.arguments), None)
    if not note and count == 1 and isinstance(telling, Template):
        note = _template_text(rule_field(telling)["template"])
    return PatternCall(call.id, call.method, note, count)


def _template_text(parts: object) -> str:
    """A template as one text, its pieces in braces; a piece with settings is named by the most telling of them."""
    if not isinstance(parts, list):
        return str(parts)
    return "".join(
        part if isinstance(part, str) else f"{{{next(iter(dict(part).values()))}}}" for part in parts
    )


def _arrows(workload: Workload) -> Iterator[PatternArrow]:
    """Start rules and causes; flows of values are in the table of arguments."""
    known = {call.id for node_type in workload.node_types for call in templates(node_type)}
    for node_type in workload.node_types:
        if node_type.start.after:
            yield PatternArrow(
                node_type.start.after, node_type.name, ArrowKind.START, _start(node_type.start)
            )
        for effect in node_type.effects:
            source = effect.cause if effect.cause in known else effect.cause_type
            yield PatternArrow(source, effect.call.id, ArrowKind.CAUSE, effect.each or "")


def _argument_table(workload: Workload) -> Table:
    kinds = ("constant", "regular", "information flow", "the node's own", "generated", "unknown")
    rows: list[tuple[Value, ...]] = []
    for node_type in workload.node_types:
        tally = Tally(kind for call in templates(node_type) for kind in argument_kinds(call))
        rows.append((named(node_type), sum(tally.values()), *(tally[kind] for kind in kinds)))
    columns = (
        Column("Node type"),
        *(Column(title.capitalize(), ValueKind.NUMBER) for title in ("arguments", *kinds)),
    )
    note = (
        "An argument is a value in the request of a call. *Regular*: counted, or put together, by a rule. "
        "*Information flow*: taken from an earlier request or answer. *The node's own*: its address, name or id. "
        "*Generated*: random by nature, of known form."
    )
    return Table(columns, rows, "Where the arguments come from", note)


def _question_table(workload: Workload, left: tuple[QuestionGroup, ...]) -> Table:
    rows = [
        (
            number(workload, group.questions[0]),
            group.text,
            ", ".join(map(repr, group.examples)),
            str(_short(group.questions[0].candidates[0])) if group.choices else None,
        )
        for group in left[:_MOST_QUESTIONS]
    ]
    columns = (
        Column("Question", ValueKind.CODE),
        Column("What is not known"),
        Column("Seen", ValueKind.CODE),
        Column("Stands for now", ValueKind.CODE),
    )
    hidden = len(left) - len(rows)
    note = "Answer them with `froude review`" + (f", which asks {hidden:,} more." if hidden > 0 else ".")
    return Table(columns, rows, "Open questions", note)


def _short(rule: Rule) -> object:
    return rule_field(rule)


def _count(count: Count, scale: Mapping[str, Quantity] | None) -> str:
    return str(count) if scale is None or not count.slopes else f"{count} = {count.whole_at(scale)}"


def _start(rule: StartRule) -> str:
    delay = _seconds(rule.delay_s) if rule.delay_s >= 0.05 else ""
    beside = "" if rule.within_s is None else "side by side"
    turns = "one after another" if rule.follows is None else f"in turn with {rule.follows}"
    parts = [f"after {delay}" if delay else "", turns if rule.in_turn else beside]
    if rule.after is not None:
        moment = f"{_how_many(rule)} {rule.after} has {rule.moment.value}"
        parts[0] = f"after {moment}{f' and {delay}' if delay else ''}"
    return ", ".join(part for part in parts if part)


def _how_many(rule: StartRule) -> str:
    if rule.nth is not None:
        return f"number {rule.nth} of"
    if rule.share is not None:
        return f"{rule.share:.0%} of"
    return "every" if rule.every else "the first"


def _seconds(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1e3:.3g} ms"


def merged_lanes(lanes: Sequence[PatternLane]) -> tuple[tuple[PatternLane, ...], dict[str, str]]:
    """Join lanes whose nodes make the same calls in the same loops.

    Args:
        lanes: in the order of the picture.

    Returns:
        The lanes left, and by the name or id of what is joined what stands for it.
    """
    groups: dict[object, list[PatternLane]] = {}
    for lane in lanes:
        groups.setdefault(_shape(lane), []).append(lane)
    alias: dict[str, str] = {}
    merged = []
    for group in groups.values():
        if len(group) < _LEAST:
            merged += group
            continue
        joined = _joined(group)
        merged.append(joined)
        for lane in group:
            alias[lane.name] = joined.name
            alias |= {call.id: kept.id for call, kept in zip(lane.calls(), joined.calls(), strict=True)}
    order = {lane.name: at for at, lane in enumerate(lanes)}
    first = {alias[lane.name]: order[lane.name] for lane in reversed(lanes) if lane.name in alias}
    merged.sort(key=lambda lane: first.get(lane.name, order.get(lane.name, 0)))
    return tuple(merged), alias


def merged_arrows(arrows: Sequence[PatternArrow], alias: Mapping[str, str]) -> tuple[PatternArrow, ...]:
    """Arrows between what is drawn: each once, none from a lane to itself.

    Args:
        arrows: between names and ids, drawn or not.
        alias: what stands for those that are not drawn.
    """
    labels: dict[tuple[str, str, ArrowKind], list[str]] = {}
    for arrow in arrows:
        ends = (alias.get(arrow.source, arrow.source), alias.get(arrow.target, arrow.target), arrow.kind)
        if ends[0] != ends[1]:
            labels.setdefault(ends, [])
            if arrow.label and arrow.label not in labels[ends]:
                labels[ends].append(arrow.label)
    return tuple(PatternArrow(*ends, "; ".join(texts)) for ends, texts in labels.items())


def from_lanes(arrows: Sequence[PatternArrow], lanes: Sequence[PatternLane]) -> tuple[PatternArrow, ...]:
    """Arrows to a call that very many cause, from the lanes of these: dozens side by side cannot be followed."""
    owner = {call.id: lane.name for lane in lanes for call in lane.calls()}
    causes = Counter(arrow.target for arrow in arrows if arrow.kind is ArrowKind.CAUSE)
    kept: list[PatternArrow] = []
    calls: Counter[tuple[str, str]] = Counter()
    for arrow in arrows:
        if arrow.kind is not ArrowKind.CAUSE or causes[arrow.target] <= _MOST_CAUSES:
            kept.append(arrow)
        else:
            calls[owner.get(arrow.source, arrow.source), arrow.target] += 1
    kept += [
        PatternArrow(source, target, ArrowKind.CAUSE, f"{number} of its calls" if number > 1 else "")
        for (source, target), number in calls.items()
        if source != owner[target]
    ]
    return tuple(kept)


def _joined(group: Sequence[PatternLane]) -> PatternLane:
    first, last, number = group[0], group[-1], len(group)
    names = {lane.name for lane in group}
    starts = list(dict.fromkeys(lane.start for lane in group))
    outside = [start for start in starts if not any(name in start.split() for name in names)]
    start = outside[0] if outside else first.start
    if len(outside) < len(starts):
        start = f"{start}, then one after another" if start else "one after another"
    count = str(number) if first.count in {"", "1"} else f"{number} types, {first.count} each"
    return replace(first, name=f"{first.name} … {last.name}", count=count, start=start)


def _shape(lane: PatternLane) -> object:
    return (
        lane.count,
        tuple(_step(step) for step in lane.steps),
        tuple((call.name, call.count) for call in lane.effects),
        tuple((each.call.name, each.every) for each in lane.periodic),
    )


def _step(step: PatternStep) -> object:
    if isinstance(step, PatternLoop):
        return (step.times, step.value, tuple(_step(inner) for inner in step.steps))
    assert isinstance(step, PatternCall)
    return (step.name, step.count)
