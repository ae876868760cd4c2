"""From a Workload and a Scale to a Plan, with what must be refused (PatternMiner, III.B.5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from froude.base.summary import counted
from froude.base.units import Quantity
from froude.workload.plan import Plan, Refusal, one_at_a_time
from froude.workload.remarks import remarks_on_scale
from froude.workload.scale import Count, Scale, at_node, term_of, variable_at
from froude.workload.types import LETTERS, NODE, Counter, NodeType, Rule, Scaled, Template, Workload
from froude.workload.walk import repeats, templates, within

_WHOLE = 1e-6
"""What a whole number may differ from one, by rounding."""


def extrapolate(workload: Workload, scale: Scale) -> Plan:
    """The Plan of a workload at a scale.

    Args:
        workload: the mined pattern.
        scale: the size asked for; every variable that was recorded must be given.

    Returns:
        The plan; what cannot be extrapolated stands in its refusals, not in an exception.

    Source:
        PatternMiner III.B.5; the refusals are ours.
    """
    refusals = [*_variables(workload, scale), *_findings(workload, scale), *_open_questions(workload)]
    refusals += [Refusal(remark, fatal=False) for remark in remarks_on_scale(workload)]
    counts: dict[str, int] = {}
    if not any(refusal.fatal and refusal.node_type is None for refusal in refusals):
        for node_type in workload.node_types:
            counts[node_type.name] = node_type.count.whole_at(scale)
            refusals += _counts(node_type, scale, workload.recorded.scales)
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
    for what, count in _all_counts(node_type):
        value = _at_ends(count, node_type, scale)
        if abs(value - round(value)) > _WHOLE:
            text = f"{node_type.name}: {what} would be {value:g} ({count}), which is not a whole number"
            yield Refusal(text, node_type.name, fatal=False)
        # What begins at some size is below zero, and meant to be none, at a recorded scale too.
        if value < 0 and not any(_at_ends(count, node_type, seen) < 0 for seen in recorded):
            yield Refusal(f"{node_type.name}: {what} would be {value:g} ({count})", node_type.name)


def _in_turn(
    node_type: NodeType, nodes: int, recorded: Sequence[Mapping[str, Quantity]]
) -> Iterator[Refusal]:
    """More nodes than were recorded, which wait for each other."""
    if nodes > max((node_type.count.at(seen) for seen in recorded), default=0):
        text = f"{node_type.name}: {nodes:,} run one after another, as they were recorded to: more of them take longer"
        yield Refusal(f"{text}, and are no more load", node_type.name, fatal=False)


def _numbers(node_type: NodeType, scale: Scale) -> Iterator[Refusal]:
    """Numbers of arguments that cannot be: a fraction, or, within a name, one below zero."""
    for call in templates(node_type):
        for path, rule in call.arguments.items():
            for number, named in _with_names(rule):
                value = (
                    number.count.at(scale)
                    if isinstance(number, Scaled)
                    else _end(number, node_type, scale, min)
                )
                text = f"{node_type.name}: {path} of {call.method} would hold {value:g}"
                if abs(value - round(value)) > _WHOLE:
                    yield Refusal(f"{text}, which is not a whole number", node_type.name, fatal=named)
                elif value < 0 and named:
                    yield Refusal(f"{text}, and a name has no number below zero", node_type.name)
                if isinstance(number, Counter) and number.radix == LETTERS:
                    most = _end(number, node_type, scale, max)
                    if most >= LETTERS**number.width:
                        text = (
                            f"{path} of {call.method} would need more than {counted(number.width, 'letter')}"
                        )
                        yield Refusal(f"{node_type.name}: {text}", node_type.name)


def _with_names(rule: Rule) -> Iterator[tuple[Scaled | Counter, bool]]:
    """The numbers of a rule that follow from place or Scale, and whether each stands within a text."""
    for part in within(rule):
        if isinstance(part, Template):
            yield from ((number, True) for number in part.parts if isinstance(number, Scaled | Counter))
    yield from ((number, False) for number in (rule,) if isinstance(number, Scaled | Counter))


def _end(counter: Counter, node_type: NodeType, scale: Scale, end: Callable[[float, float], float]) -> float:
    """The smallest or largest number, by `min` or `max`, that a counter comes to on any node in any iteration."""
    last = node_type.count.whole_at(scale) - 1
    ends = {
        segment.id: max(segment.times.whole_at(at_node(scale, node)) for node in (0, last)) - 1
        for segment in repeats(node_type.steps)
    }
    ends[NODE] = last
    total = float(counter.base)
    for name, step in counter.steps.items():
        term = term_of(name)
        each = variable_at(term.names[0], scale) if len(term.names) > 1 else 1.0
        most = each * max(0, ends.get(term.names[-1], 0))
        if term.fold:
            most = (
                term.folded(most, scale)
                if term.fold == "//"
                else min(term.factor * most, term.group_size(scale) - 1)
            )
        total += end(0.0, step * most)
    return total


def _at_ends(count: Count, node_type: NodeType, scale: Mapping[str, Quantity]) -> float:
    """A count at a Scale; of one that depends on the node's number the lower of its first and last node's."""
    if not count.of_node:
        return count.at(scale)
    last = max(0, node_type.count.whole_at(scale) - 1)
    return min(count.at(at_node(scale, node)) for node in (0, last))


def _all_counts(node_type: NodeType) -> Iterator[tuple[str, Count]]:
    yield "the number of nodes", node_type.count
    for segment in repeats(node_type.steps):
        yield f"the iterations of {segment.id}", segment.times
