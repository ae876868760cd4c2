"""From a Workload and a Scale to a Plan, with what must be refused (PatternMiner, III.B.5).

Where formulas that fit all recorded sizes differ at the Scale, the Plan is refused with the run that would decide.

Between which numbers the counters of a node type are at a Scale is found without walking through its loops, as bounds of
every node and iteration in which a rule decides: of `Cases` the rule `otherwise` decides in none in which `first` or
`last` does. They are met exactly where each index is in one term without remainders.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

from froude.base.errors import InputError, nearest
from froude.base.summary import counted
from froude.base.units import Quantity
from froude.workload.groups import open_by_cause
from froude.workload.plan import Plan, Refusal, one_at_a_time, unspoken
from froude.workload.references import endless_turn, uncounted
from froude.workload.remarks import options_of, remarks_on_scale
from froude.workload.rounds import check_size, iterations, made_in
from froude.workload.scale import Count, Scale, Term, term_of, variable_at
from froude.workload.types import (
    LAUNCHER,
    LETTERS,
    NODE,
    NODES,
    Cases,
    Counter,
    Cycle,
    Flow,
    NodeType,
    Rule,
    Scaled,
    Template,
    Workload,
    number_named,
)
from froude.workload.walk import parts, repeats, templates

Ends = tuple[int, int]
"""The lowest and the highest value of an index."""
APART = 0.05
"""Two formulas are at odds where they differ by more than this share of the larger."""
_STEPS = 16
"""Values of a variable that are tried as the size of a further run, up to twice its largest recorded one."""
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
            runs = _runs_of(node_type, workload.recorded.scales)
            found = [
                *_counts(node_type, scale, runs),
                *_at_odds(node_type, scale, runs),
                *_numbers(node_type, scale),
            ]
            # A real ResourceManager makes the launcher's calls itself: nothing that is played depends on its formulas.
            own = node_type.program != LAUNCHER
            refusals += [replace(each, fatal=each.fatal and own) for each in found]
            recorded = any(node_type.count.at(seen) >= 1 for seen in runs)
            if recorded and not counts[node_type.name] and node_type.count.at(scale) >= 0:
                refusals.append(Refusal(f"{node_type.name}: none at this Scale", node_type.name, fatal=False))
            first = node_type.start.follows is None or node_type.start.offset < 0
            if first and one_at_a_time(node_type, workload):
                refusals += _in_turn(node_type, counts[node_type.name], runs)
    return Plan(workload, scale, counts, tuple(refusals))


def _runs_of(node_type: NodeType, recorded: Sequence[Mapping[str, Quantity]]) -> list[Mapping[str, Quantity]]:
    """The runs that a type's numbers can be worked out at: in a mixture those of its own workload."""
    counts = [node_type.count, *node_type.rivals]
    counts += [count for loop in repeats(node_type.steps) for count in (loop.times, *loop.rivals)]
    needed = {name for count in counts for name in count.variables} & {
        name for run in recorded for name in run
    }
    return [run for run in recorded if needed <= run.keys()]


def _variables(workload: Workload, scale: Scale) -> Iterator[Refusal]:
    """Variables missing, unknown, of another unit, or asked to change though they never varied."""
    recorded = workload.recorded.scales
    known = {name for seen in recorded for name in seen}
    for name in sorted(set(scale) - known):
        variables = f" ({', '.join(sorted(known))})" if known else ""
        yield Refusal(f"'{name}' is no variable of the recorded runs{variables}{nearest(name, known)}")
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
    recorded = workload.recorded.scales
    # In a mixture the runs of each workload have variables of their own: one of each must be as asked for.
    same = {frozenset(seen) for seen in recorded if dict(seen).items() <= dict(scale).items()}
    elsewhere = not recorded or same != {frozenset(seen) for seen in recorded}
    for finding in workload.findings:
        if finding.variable is None:
            fatal = finding.fatal and elsewhere
            yield Refusal(finding.what, finding.node_type, fatal, finding.number if fatal else None)


def _open_questions(workload: Workload) -> Iterator[Refusal]:
    open_ = open_by_cause(workload)
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
            text = f"{node_type.name}: {what} would be {value:g} ({count})"
            yield Refusal(text, node_type.name, number=number_named(what))


def _at_odds(
    node_type: NodeType, scale: Scale, recorded: Sequence[Mapping[str, Quantity]]
) -> Iterator[Refusal]:
    """Numbers of which several formulas fit the recordings, and come to other things here."""
    numbers = [(NODES, "the number of nodes", node_type.count, node_type.rivals)]
    numbers += [
        (segment.id, f"the iterations of {segment.id}", segment.times, segment.rivals)
        for segment in repeats(node_type.steps)
    ]
    agreeing = 0
    for number, what, count, rivals in numbers:
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
                number=number,
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


def at_odds(formulas: Sequence[Count], scale: Mapping[str, Quantity]) -> bool:
    """Whether formulas come to numbers of things at a Scale that differ by more than `APART`.

    Args:
        formulas: of one number; one that cannot be worked out there is at odds with any other.
    """
    numbers = [number_at(formula, scale) for formula in formulas]
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers):
        return len(formulas) > 1
    return bool(known) and max(known) - min(known) > APART * max(known)


def deciding_run(formulas: Sequence[Count], recorded: Sequence[Mapping[str, Quantity]]) -> Scale | None:
    """The smallest run at which formulas come to different numbers, one variable of a recorded run changed.

    Args:
        formulas: of one number, which are the same at all that was recorded.

    Returns:
        The run that tells most pairs of them apart, of these the smallest; None where none of those tried does.
    """
    names = sorted({name for formula in formulas for name in formula.variables})
    largest = {name: max((run[name].value for run in recorded if name in run), default=0.0) for name in names}

    def weight(run: Mapping[str, Quantity]) -> tuple[int, float, float]:
        sizes = [run[name].value / largest[name] for name in names if largest[name]]
        alike = sum(number_at(one, run) == number_at(other, run) for one, other in combinations(formulas, 2))
        return alike, max(sizes), sum(sizes)

    runs: list[Mapping[str, Quantity]] = [
        run for run in _runs(recorded, names, largest) if weight(run)[0] < _pairs(len(formulas))
    ]
    smallest: Mapping[str, Quantity] | None = min(runs, key=weight, default=None)
    return None if smallest is None else Scale(dict(smallest))


def _pairs(number: int) -> int:
    return number * (number - 1) // 2


def _runs(
    recorded: Sequence[Mapping[str, Quantity]], names: Sequence[str], largest: Mapping[str, float]
) -> Iterator[Mapping[str, Quantity]]:
    for run in recorded:
        for name in names:
            if name not in run or not largest[name]:
                continue
            for value in _values(largest[name]):
                if value != run[name].value:
                    yield {**run, name: Quantity(value, run[name].unit)}


def _values(largest: float) -> list[float]:
    """Whole values up to twice the largest, evenly."""
    step = max(1.0, 2 * largest / _STEPS)
    return sorted({float(round(step * number)) for number in range(1, _STEPS + 1)} - {0.0})


def number_at(formula: Count, scale: Mapping[str, Quantity]) -> int | None:
    """A number of things at a Scale; None where it cannot be worked out, as what is shared out among none."""
    try:
        return formula.whole_at(scale)
    except InputError:
        return None


class Numbers(NamedTuple):
    """What a number within a rule comes to."""

    rule: Scaled | Counter
    within_text: bool
    """Whether it is part of a text."""
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Reach:
    """The values of the indices of a node type at a Scale."""

    scale: Scale
    ends: Mapping[str, Ends]
    """By index, of a rule that nothing limits; a loop of no iterations ends below its beginning."""
    lasts: Mapping[str, Ends]
    """The last value by index: the lowest and the highest of any node."""

    @classmethod
    def of(cls, node_type: NodeType, scale: Scale) -> Reach:
        """The reach of a node type.

        Args:
            scale: quantity of each Scale variable.

        Raises:
            InputError: the Scale lacks a variable that a count depends on.
        """
        last = node_type.count.whole_at(scale) - 1
        ends, lasts = {NODE: (0, last)}, {NODE: (last, last)}
        for loop, numbers in iterations(node_type, scale).items():
            least, most = (max(0, round(number)) for number in numbers)
            ends[loop] = (0, most - 1)
            lasts[loop] = (max(0, least - 1), most - 1)
        return cls(scale, ends, lasts)

    def narrowed(self, rounds: Mapping[str, Ends]) -> Reach:
        """The same for a call that is made in some rounds alone.

        Args:
            rounds: the first and the last of a loop in which it is made, by the loop's id.
        """
        return Reach(self.scale, {**self.ends, **rounds}, self.lasts)

    def numbers(self, rule: Rule, *, within_text: bool = False) -> Iterator[Numbers]:
        """Every number in a rule that follows from place or Scale, and what it comes to.

        Args:
            within_text: the rule is part of a text.
        """
        if isinstance(rule, Scaled):
            value = rule.count.at(self.scale)
            yield Numbers(rule, within_text, value, value)
        elif isinstance(rule, Counter):
            least, most = self._between(rule)
            yield Numbers(rule, within_text, least, most)
        elif isinstance(rule, Cases):
            for reach, case in self._cases(rule):
                yield from reach.numbers(case, within_text=within_text)
        elif not isinstance(
            rule, Flow | Cycle
        ):  # the number of an element is no value: beyond the list is none
            for part in parts(rule):
                yield from self.numbers(part, within_text=within_text or isinstance(rule, Template))

    def _cases(self, rule: Cases) -> Iterator[tuple[Reach, Rule]]:
        """Each case that ever decides, and where it does."""
        if rule.index not in self.ends:
            yield from ((self, case) for case in parts(rule))
            return
        (low, high), lasts = self.ends[rule.index], self.lasts[rule.index]
        if rule.first is not None and low == 0:
            yield from self._where(rule.index, 0, min(0, high), rule.first)
            low = 1
        if rule.last is not None:  # of some nodes it is an earlier iteration than of others
            yield from self._where(rule.index, max(low, lasts[0]), high, rule.last)
            high -= high == lasts[1]
        yield from self._where(rule.index, low, high, rule.otherwise)

    def _where(self, index: str, low: int, high: int, rule: Rule) -> Iterator[tuple[Reach, Rule]]:
        if low <= high:
            yield Reach(self.scale, {**self.ends, index: (low, high)}, self.lasts), rule

    def _ends(self, name: str) -> Ends:
        if name in self.scale:
            return (round(variable_at(name, self.scale)),) * 2
        return self.ends.get(name, (0, 0))

    def _between(self, counter: Counter) -> tuple[float, float]:
        """The smallest and largest number that a counter comes to."""
        least = most = float(counter.base)
        for name, step in counter.steps.items():
            term = term_of(name)
            each = round(variable_at(term.names[0], self.scale)) if len(term.names) > 1 else 1
            ends = self._ends(term.names[-1])
            terms = [step * end for end in _folded(term, [each * max(0, end) for end in ends], self.scale)]
            least, most = least + min(terms), most + max(terms)
        return least, most


def _folded(term: Term, ends: list[int], scale: Mapping[str, Quantity]) -> list[float]:
    """The ends of a term, from those of what it folds; a remainder may be any once it has gone round."""
    if term.fold == "%":
        size = int(term.group_size(scale))
        if (term.factor * ends[0] + term.plus) // size != (term.factor * ends[1] + term.plus) // size:
            return [0, size - 1]
    return [term.folded(end, scale) for end in ends]
