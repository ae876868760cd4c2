"""From a Workload and a Scale to a Plan, with what must be refused (PatternMiner, III.B.5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from froude.base.summary import counted
from froude.base.units import Quantity
from froude.workload.plan import Plan, Refusal, one_at_a_time, unspoken
from froude.workload.reach import Reach
from froude.workload.references import endless_turn, uncounted
from froude.workload.remarks import options_of, remarks_on_scale
from froude.workload.rivals import APART, at_odds, deciding_run, number_at
from froude.workload.rounds import check_size, iterations, made_in
from froude.workload.scale import Count, Scale
from froude.workload.types import LETTERS, Counter, NodeType, Workload
from froude.workload.walk import repeats, templates

_WHOLE = 1e-6
"""What a whole number may differ from one, by rounding."""


def extrapolate(workload: Workload, scale: Scale) -> Plan:
    """The Plan of a workload at a scale.

    Args:
        scale: the size asked for; every variable that was recorded must be given.

    Returns:
        The plan; what cannot be extrapolated stands in its refusals, not in an exception.

    Raises:
        InputError: more nodes, repetitions or steps than the limits of inputs allow.

    Source:
        PatternMiner III.B.5; the refusals are ours.
    """
    refusals = [*_variables(workload, scale), *_findings(workload, scale), *_open_questions(workload)]
    refusals += _broken(workload)
    refusals += [Refusal(remark, fatal=False) for remark in remarks_on_scale(workload)]
    if foreign := unspoken(workload):
        refusals.append(Refusal(f"{foreign}: the plan can be compared, not played", fatal=False))
    counts: dict[str, int] = {}
    if not any(refusal.fatal and refusal.node_type is None for refusal in refusals):
        for node_type in workload.node_types:
            check_size(node_type, scale)
            counts[node_type.name] = node_type.count.whole_at(scale)
            refusals += _counts(node_type, scale, workload.recorded.scales)
            refusals += _at_odds(node_type, scale, workload.recorded.scales)
            refusals += _numbers(node_type, scale)
            recorded = any(node_type.count.at(seen) >= 1 for seen in workload.recorded.scales)
            if recorded and not counts[node_type.name] and node_type.count.at(scale) >= 0:
                refusals.append(Refusal(f"{node_type.name}: none at this Scale", node_type.name, fatal=False))
            first = node_type.start.follows is None or node_type.start.offset < 0
            if first and one_at_a_time(node_type, workload):
                refusals += _in_turn(node_type, counts[node_type.name], workload.recorded.scales)
    return Plan(workload, scale, counts, tuple(refusals))


def _variables(workload: Workload, scale: Scale) -> Iterator[Refusal]:
    """Variables missing, unknown, of another unit, or asked to change though they never varied."""
    recorded = workload.recorded.scales
    known = {name for seen in recorded for name in seen}
    for name in sorted(set(scale) - known):
        yield Refusal(f"'{name}' is no variable of the recorded runs ({', '.join(sorted(known)) or 'none'})")
    for name in sorted(known):
        if name not in scale:
            values = sorted(
                {run[name] for run in recorded if name in run}, key=lambda quantity: quantity.value
            )
            shown = ", ".join(map(str, values))
            yield Refusal(f"the scale does not say '{name}': give --at {name}=… (recorded: {shown})")
            continue
        seen = {run[name] for run in recorded if name in run}
        units = {quantity.unit for quantity in seen}
        if scale[name].unit not in units:
            yield Refusal(
                f"'{name}' was recorded in {units.pop() or 'plain counts'}, and asked for as {scale[name]}"
            )
        elif len(seen) == 1 and scale[name] not in seen:
            only = next(iter(seen))
            yield Refusal(
                f"'{name}' was {only} in every recorded run: what it does at {scale[name]} cannot be known"
            )


def _findings(workload: Workload, scale: Scale) -> Iterator[Refusal]:
    elsewhere = dict(scale) not in [dict(seen) for seen in workload.recorded.scales]
    for finding in workload.findings:
        if finding.variable is None:
            yield Refusal(finding.what, finding.node_type, fatal=finding.fatal and elsewhere)


def _open_questions(workload: Workload) -> Iterator[Refusal]:
    open_ = [question for question in workload.questions if not question.answered]
    if open_:
        yield Refusal(
            f"{counted(len(open_), 'question')} not answered: the likeliest rule or an example stands in "
            "(`froude review` shows what hangs on them)",
            fatal=False,
        )


def _counts(
    node_type: NodeType, scale: Scale, recorded: Sequence[Mapping[str, Quantity]]
) -> Iterator[Refusal]:
    lowest_recorded = [_lowest(node_type, seen) for seen in recorded]
    for what, (count, value) in _lowest(node_type, scale).items():
        if abs(value - round(value)) > _WHOLE:
            text = f"{node_type.name}: {what} would be {value:g} ({count}), which is not a whole number"
            yield Refusal(text, node_type.name, fatal=False)
        # What begins at some size is below zero, and meant to be none, at a recorded scale too.
        if value < 0 and not any(seen[what][1] < 0 for seen in lowest_recorded):
            yield Refusal(f"{node_type.name}: {what} would be {value:g} ({count})", node_type.name)


def _at_odds(
    node_type: NodeType, scale: Scale, recorded: Sequence[Mapping[str, Quantity]]
) -> Iterator[Refusal]:
    """Numbers of which several formulas fit the recordings, and come to other things here."""
    numbers = [("the number of nodes", node_type.count, node_type.rivals)]
    numbers += [
        (f"the iterations of {segment.id}", segment.times, segment.rivals)
        for segment in repeats(node_type.steps)
    ]
    agreeing = 0
    for what, count, rivals in numbers:
        formulas = (count, *rivals)
        if rivals and at_odds(formulas, scale):
            said = " or ".join(f"{number_at(formula, scale)} ({formula})" for formula in formulas)
            run = deciding_run(formulas, recorded)
            remedy = (
                "answer its question" if run is None else f"record {options_of(run)}, or answer its question"
            )
            yield Refusal(
                f"{node_type.name}: {what} would be {said}: all fit what was recorded; {remedy}",
                node_type.name,
            )
        agreeing += bool(rivals)
    if agreeing:
        text = f"{node_type.name}: {counted(agreeing, 'number')} with several formulas that fit what was recorded"
        yield Refusal(
            f"{text}: the simplest is taken where they agree within {APART:.0%}", node_type.name, fatal=False
        )


def _broken(workload: Workload) -> Iterator[Refusal]:
    """What an edit broke: loops that are not there, and nodes that wait for each other."""
    for name, loop in dict.fromkeys(uncounted(workload)):
        yield Refusal(f"{name}: counts by {loop}, which is no loop of it", name)
    circle = endless_turn({each.name: each.start for each in workload.node_types})
    if circle:
        yield Refusal(f"{circle[0]}: nodes wait for each other's ends: {' → '.join(circle)}", circle[0])


def _in_turn(
    node_type: NodeType, nodes: int, recorded: Sequence[Mapping[str, Quantity]]
) -> Iterator[Refusal]:
    """More nodes than were recorded, which wait for each other."""
    if nodes > max((node_type.count.at(seen) for seen in recorded), default=0):
        text = f"{node_type.name}: {nodes:,} run one after another, as they were recorded to: more of them take longer"
        yield Refusal(f"{text}, and are no more load", node_type.name, fatal=False)


def _numbers(node_type: NodeType, scale: Scale) -> Iterator[Refusal]:
    """Numbers of arguments that cannot be: a fraction, or, within a name, one below zero."""
    whole, made = Reach.of(node_type, scale), made_in(node_type, scale)
    for call in templates(node_type):
        reach = whole.narrowed(made.get(call.id, {}))
        for path, rule in call.arguments.items():
            for number, named, least, most in reach.numbers(rule):
                text = f"{node_type.name}: {path} of {call.method} would hold {least:g}"
                if abs(least - round(least)) > _WHOLE:
                    yield Refusal(f"{text}, which is not a whole number", node_type.name, fatal=named)
                elif least < 0 and named:
                    yield Refusal(f"{text}, and a name has no number below zero", node_type.name)
                if isinstance(number, Counter) and number.radix == LETTERS and most >= LETTERS**number.width:
                    letters = counted(number.width, "letter")
                    what = f"{path} of {call.method} would need more than {letters}"
                    yield Refusal(f"{node_type.name}: {what}", node_type.name)


def _lowest(node_type: NodeType, scale: Mapping[str, Quantity]) -> dict[str, tuple[Count, float]]:
    """The number of nodes and of each loop's iterations at a Scale: the formula, and the lowest that it comes to."""
    lowest = {"the number of nodes": (node_type.count, node_type.count.at(scale))}
    ends = iterations(node_type, scale)
    return lowest | {
        f"the iterations of {segment.id}": (segment.times, ends[segment.id][0])
        for segment in repeats(node_type.steps)
    }
