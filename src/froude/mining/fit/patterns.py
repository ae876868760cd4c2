"""Regular patterns: values that follow from a call's place alone (PatternMiner III.B.3)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import numpy.typing as npt

from froude.base.units import Quantity
from froude.mining.counts import LARGEST_GROUP, fit_count
from froude.mining.fit.random_values import of_digits
from froude.mining.shape.structure import Occurrence
from froude.workload.rules import Special, Value
from froude.workload.scale import term_of
from froude.workload.types import (
    LETTERS,
    NODE,
    Absent,
    Cases,
    Constant,
    Counter,
    Cycle,
    Generated,
    Rule,
    Scalar,
    Scaled,
    Template,
)

SLOT = re.compile(r"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d+)")
"""What may vary in a text: a UUID, or a run of digits."""

HEX_SLOT = re.compile(
    r"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    r"|(?<![0-9A-Za-z])[0-9a-f]+(?![0-9A-Za-z])|\d+)"
)
"""The same where numbers may be written to base 16."""

LETTER_SLOT = re.compile(r"((?<![0-9A-Za-z])[a-z]{1,3}(?![0-9A-Za-z])|\d+)")
"""The same where a few letters may count: `part-aa`, `part-ab`."""

WORD_SLOT = re.compile(r"(\d+|[A-Za-z]+)")
"""The same where words may take turns: `day`, `night`."""

ADDRESS = re.compile(r"\d+(?:\.\d+){3}(?::\d+)?")
"""An IPv4 address, with or without a port."""

_LARGEST_STEP = 12
"""Largest step by which a loop may go through things that stand in groups, and largest group that it may begin within:
days of the week, months."""
_EVIDENCE = 3
"""Calls for each number that a counter over groups is made of: fewer would fit by chance."""
_TELLING = 3
"""Different values that a number over groups of the Scale, or letters, must take: two alternate by chance. And nodes or
rounds that a line over numbers of addresses needs."""
_TURNS_SEEN, _FEWEST_TURNS = 3, 8
"""Calls for each of the values that take turns, and for all of them: fewer would alternate by chance."""
_SAMPLE = 200
"""Calls at which such a counter is tried first."""
_FIRST = 48
"""Calls at which it is looked first whether terms decide a number."""
_LARGEST_NUMBER = 1 << 52
"""Counters do not count further: fractions of larger numbers are not told apart."""

Ints = npt.NDArray[np.int64]

SlotRule = Callable[[Sequence[Occurrence], Sequence[int]], Rule | None]
"""Finds a rule for the numbers of one slot of a text, where no counter fits."""


def same(left: Value, right: Value) -> bool:
    """Equality that tells True from 1 and 1 from 1.0."""
    return type(left) is type(right) and left == right


def constant(values: Sequence[Value]) -> Rule | None:
    """The rule of values that are all the same."""
    first = values[0]
    if not all(same(value, first) for value in values):
        return None
    if isinstance(first, Special):
        return Absent() if first is Special.ABSENT else None
    return Constant(first)


def counter(
    occurrences: Sequence[Occurrence],
    values: Sequence[Value],
    scales: Sequence[Mapping[str, Quantity]] = (),
) -> Counter | None:
    """`base + Σ step·index` over the node's number and iterations, with as few indices as will do.

    With `scales` an index may count by a Scale variable, as numbers do that go on from node to node.

    Args:
        values: the argument's value at each, in the same order; only whole numbers can be counted.
        scales: the Scale of each run, by its number.

    Returns:
        The rule; None where none fits every value, or where the values do not vary.
    """
    numbers = [value for value in values if type(value) is int]
    if len(numbers) < len(values) or len(values) < 2 or max(abs(n) for n in numbers) > _LARGEST_NUMBER:
        return None
    if len(set(numbers)) < 2:
        return None
    wanted = np.array(numbers, np.int64)
    names = [NODE, *occurrences[0].indices]
    places = {name: np.array([_index(each, name) for each in occurrences], np.int64) for name in names}
    varied = [name for name in names if (places[name] != places[name][0]).any()]
    tried = [*([name] for name in reversed(varied)), *([varied] if len(varied) > 1 else [])]
    sizes: dict[str, Ints] = {}
    for variable in sorted({name for scale in scales for name in scale}):
        each = [round(scale[variable].value) if variable in scale else 0 for scale in scales]
        plain = not any(variable in scale and scale[variable].unit for scale in scales)
        of_run = (
            np.array([each[occurrence.run] for occurrence in occurrences], np.int64) if plain else wanted[:0]
        )
        if not plain or (of_run == of_run[0]).all():
            continue
        sizes[variable] = of_run
        for name in varied:
            product = f"{variable}*{name}"
            places[product] = of_run * places[name]
            tried.append([product, *(other for other in varied if other != name)])
    for chosen in tried:
        line = _line(chosen, [places[name] for name in chosen], wanted)
        if line is not None:
            return line
    return _grouped(varied, places, wanted, sizes) or _from_the_end(varied, places, wanted, sizes)


def is_thin(rule: Counter, occurrences: Sequence[Occurrence]) -> bool:
    """Whether a counter counts by something of which two values alone were seen: a line goes through any two numbers.

    A loop that always runs twice has no third round anywhere.
    """
    return any(_is_short(name, occurrences) for name in {term_of(step).names[-1] for step in rule.steps})


def is_seen_once(rule: Cases, occurrences: Sequence[Occurrence]) -> bool:
    """Whether a name with a number is said to be the same in all rounds but the first, and one such round was seen."""
    other = rule.otherwise.value if isinstance(rule.otherwise, Constant) else None
    numbered = isinstance(other, str) and any(character.isdigit() for character in other)
    return numbered and rule.first is not None and _is_short(rule.index, occurrences)


def _is_short(name: str, occurrences: Sequence[Occurrence]) -> bool:
    """Whether two values of an index at most were seen, and there may be more elsewhere."""
    return len({_index(occurrence, name) for occurrence in occurrences}) < 3 and not all(
        occurrence.last.get(name) == (_index(occurrence, name) == 1) for occurrence in occurrences
    )


def _grouped(
    varied: Sequence[str], places: Mapping[str, Ints], numbers: Ints, sizes: Mapping[str, Ints]
) -> Counter | None:
    """A counter over an index in groups, beside other indices; tried at a sample of the calls first."""
    step = max(1, len(numbers) // _SAMPLE)
    telling = [name for name in varied if len(np.unique(places[name])) >= _TELLING]
    for terms in _in_groups(telling, varied, places, sizes):
        if len(numbers) < _EVIDENCE * (len(terms) + 1):
            continue
        names, values = list(terms), list(terms.values())
        if step > 1 and _line(names, [value[::step] for value in values], numbers[::step]) is None:
            continue
        line = _line(names, values, numbers)
        if line is not None:
            return line
    return None


def _from_the_end(
    varied: Sequence[str], places: Mapping[str, Ints], numbers: Ints, sizes: Mapping[str, Ints]
) -> Counter | None:
    """A counter that begins where the Scale says: down from the last one, or on after so many whole groups."""
    if len(numbers) < _EVIDENCE * (len(varied) + 2):
        return None
    for variable, each in sizes.items():
        begun = {variable: each} | {f"{variable}//{by}": each // by for by in range(2, _LARGEST_STEP + 1)}
        for name, values in begun.items():
            if len(np.unique(values)) >= _TELLING:
                line = _line([name, *varied], [values, *(places[other] for other in varied)], numbers)
                if line is not None:
                    return line
    return None


def _decided(values: Sequence[Ints], numbers: Ints) -> bool:
    """Whether the same values of all terms always go with the same number: a quick no to most terms that are tried."""
    seen: dict[tuple[int, ...], int] = {}
    first = zip(
        zip(*(value[:_FIRST].tolist() for value in values), strict=True),
        numbers[:_FIRST].tolist(),
        strict=True,
    )
    if not all(seen.setdefault(key, number) == number for key, number in first):
        return False
    order = np.lexsort(values)
    same = np.ones(len(numbers) - 1, bool)
    for value in values:
        same &= np.diff(value[order]) == 0
    return not (np.diff(numbers[order])[same] != 0).any()


def _in_groups(
    telling: Sequence[str], varied: Sequence[str], places: Mapping[str, Ints], sizes: Mapping[str, Ints]
) -> Iterator[dict[str, Ints]]:
    """Terms of counters over an index in groups: its place in the group, the group's number, or both, beside others.

    A group's size is a number or a Scale variable, and is seen only where there are two groups or more.
    """
    for name in reversed(telling):
        indices = places[name]
        most = int(indices.max()) + 1
        known: dict[str, Ints | int] = {
            variable: each
            for variable, each in sizes.items()
            if each.min() > 0 and 1 < each.max() <= _most_turns(most)
        }
        literal = {str(size): size for size in range(2, min(LARGEST_GROUP, _most_turns(most)) + 1)}
        others = {other: places[other] for other in varied if other != name}
        for by, size in (known | literal).items():
            place, number = {f"{name}%{by}": indices % size}, {f"{name}//{by}": indices // size}
            for folds in (place, number, place | number):
                yield dict(folds)
                if others:
                    yield folds | others
        # What began before the loop goes on in it: the first of a loop need not be the first of a group.
        for by, size in (known | literal).items():
            largest = int(np.max(size))
            for plus in range(1, largest if largest <= _LARGEST_STEP else 0):
                moved = indices + plus
                for folds in (
                    {f"({name}+{plus})%{by}": moved % size},
                    {f"({name}+{plus})//{by}": moved // size},
                ):
                    yield dict(folds)
                    if others:
                        yield folds | others
        # Every third thing is in its place among the folders, too: which is no plain remainder of the iteration.
        for by, each in sizes.items():
            if each.min() > 0 and each.max() > 1:
                for factor in range(2, _LARGEST_STEP + 1):
                    yield {f"({factor}*{name})%{by}": factor * indices % each}


def _index(occurrence: Occurrence, name: str) -> int:
    return occurrence.node if name == NODE else occurrence.indices.get(name, 0)


def _line(names: Sequence[str], places: Sequence[Ints], numbers: Ints) -> Counter | None:
    if not _decided(places, numbers):
        return None
    base = int(numbers[0])
    rows = np.array([*places, np.ones(len(numbers), np.int64)], dtype=float).T
    solved = np.linalg.lstsq(rows, (numbers - base).astype(float), rcond=None)[0]
    steps = {name: round(float(step)) for name, step in zip(names, solved, strict=False)}
    start = base + round(float(solved[-1]))
    if max(abs(number) for number in (start, *steps.values())) > _LARGEST_NUMBER:
        return None
    line = np.full(len(numbers), start)
    for step, place in zip(steps.values(), places, strict=True):
        line += step * place
    fits = bool((line == numbers).all())
    return Counter(start, {name: step for name, step in steps.items() if step}) if fits else None


def scaled(
    occurrences: Sequence[Occurrence],
    values: Sequence[Value],
    scales: Sequence[Mapping[str, Quantity]],
    pieces: Sequence[int] = (),
) -> tuple[Scaled, ...]:
    """A whole number that follows from the Scale; needs three distinct scales: two points make any line.

    Args:
        values: the argument's value at each, in the same order.
        scales: the Scale of each run, by its number.
        pieces: sizes of pieces that things may be cut into, such as block sizes in bytes.

    Returns:
        The rules that fit, likeliest first; none where one run has more than one value.
    """
    numbers = [value for value in values if type(value) is int]
    if len(numbers) < len(values):
        return ()
    by_run: dict[int, int] = {}
    for occurrence, number in zip(occurrences, numbers, strict=True):
        if by_run.setdefault(occurrence.run, number) != number:
            return ()
    points = [(scales[run], float(number)) for run, number in by_run.items()]
    if len({str(scale) for scale, _ in points}) < 3 or len(set(numbers)) < 2:
        return ()
    fit = fit_count(points, pieces=pieces)
    if fit.count is None or not fit.count.whole or (fit.grouped and len(set(numbers)) < _TELLING):
        return ()
    return tuple(Scaled(count) for count in (fit.count, *fit.others) if count.whole)


def cycle(
    occurrences: Sequence[Occurrence], values: Sequence[Value], known: Sequence[Cycle] = ()
) -> Cycle | None:
    """Values that take turns by the node's number, by the round of a loop, or by the sum of some of them.

    Args:
        values: the argument's value at each, in the same order.
        known: what takes turns elsewhere; it needs no evidence here.

    Returns:
        The rule; None where none fits, or where they were not seen to come round often enough.
    """
    for rule in known:
        if all(same(_whose_turn(rule, o), value) for o, value in zip(occurrences, values, strict=True)):
            return rule
    distinct = len({(type(value), value) for value in values})
    if not 2 <= distinct <= _LARGEST_STEP or any(isinstance(value, Special) for value in values):
        return None
    places = {name: [_index(o, name) for o in occurrences] for name in (NODE, *occurrences[0].indices)}
    varied = [name for name in reversed(places) if len(set(places[name])) > 1]
    for names in (names for size in range(1, len(varied) + 1) for names in combinations(varied, size)):
        numbers = [sum(each) for each in zip(*(places[name] for name in names), strict=True)]
        for size in range(distinct, _LARGEST_STEP + 1):
            if size > _most_turns(max(numbers) + 1):
                break
            turns: dict[int, Value] = {}
            decided = all(
                same(turns.setdefault(number % size, value), value)
                for number, value in zip(numbers, values, strict=True)
            )
            if decided and len(turns) == size and len(values) >= max(_FEWEST_TURNS, _TURNS_SEEN * size):
                listed = (turns[at] for at in range(size))
                return Cycle(
                    tuple(value for value in listed if not isinstance(value, Special)),
                    Counter(0, dict.fromkeys(names, 1)),
                )
    return None


def _whose_turn(rule: Cycle, occurrence: Occurrence) -> Scalar:
    number = sum(_index(occurrence, name) for name in rule.counter.steps)
    return rule.values[number % len(rule.values)]


def _most_turns(seen: int) -> int:
    """Largest group of which enough came round again, where so many places were seen."""
    return min(2 * seen // 3, seen - 2)


def text(
    occurrences: Sequence[Occurrence],
    values: Sequence[Value],
    slot_rule: SlotRule,
    *,
    random: bool = False,
    known: Sequence[Cycle] = (),
) -> Rule | None:
    """Text whose fixed part is everywhere the same, and whose numbers follow rules.

    Args:
        values: the text in each.
        slot_rule: finds rules of numbers that no counter fits.
        random: whether slots of UUIDs and of numbers may be left to generators.
    """
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) < len(values) or len(texts) < 2:
        return None
    for slots in (SLOT, HEX_SLOT, LETTER_SLOT, WORD_SLOT):
        pieces = [slots.split(each) for each in texts]
        template = _by_slots(occurrences, pieces, slot_rule, known, random=random)
        if template is not None:
            accident = all(map(ADDRESS.fullmatch, texts)) and _is_accident(template, occurrences)
            return None if accident else template
    return None


def _is_accident(template: Template, occurrences: Sequence[Occurrence]) -> bool:
    """Whether the numbers of addresses are lines through two points that no one would have laid out like that.

    Two machines may well have addresses that follow each other. Where they differ by another number than one, or in
    several numbers, any two addresses would.
    """
    thin = [
        step
        for line in template.parts
        if isinstance(line, Counter)
        for name, step in line.steps.items()
        if len({_index(occurrence, term_of(name).names[-1]) for occurrence in occurrences}) < _TELLING
    ]
    return bool(thin) and thin != [1]


def _by_slots(
    occurrences: Sequence[Occurrence],
    pieces: Sequence[Sequence[str]],
    slot_rule: SlotRule,
    known: Sequence[Cycle],
    *,
    random: bool,
) -> Template | None:
    """The template of texts that are cut into fixed parts and slots."""
    if len({tuple(piece[::2]) for piece in pieces}) != 1:
        return None
    parts: list[str | Rule] = []
    for at in range(len(pieces[0])):
        column = [piece[at] for piece in pieces]
        part: str | Rule | None
        if len(set(column)) == 1:
            part = column[0]
        elif all("-" in piece for piece in column):
            part = Generated("uuid") if random else None
        else:
            part = _slot(occurrences, column, slot_rule, known) or (of_digits(column) if random else None)
        if part is None:
            return None
        parts.append(part)
    return Template(joined(parts))


def _slot(
    occurrences: Sequence[Occurrence], column: Sequence[str], slot_rule: SlotRule, known: Sequence[Cycle]
) -> Rule | None:
    """The rule of one slot's digits: a counter to base 10 or 16, or what `slot_rule` finds for plain numbers."""
    if all(digits.isalpha() for digits in column) and len({len(digits) for digits in column}) == 1:
        written = _lettered(occurrences, column)
        if written is not None:
            return written
    if all(digits.isalpha() for digits in column):
        return cycle(occurrences, column, known)
    decimal = all(digits.isdigit() for digits in column)
    if not any(character.isdigit() for digits in column for character in digits):
        return None  # letters that follow each other are letters, not numbers to base 16
    for radix in (10, 16) if decimal else (16,):
        line = counter(occurrences, [int(digits, radix) for digits in column])
        written = _written(line, column, radix) if line is not None else None
        if written is not None:
            return written
    if not decimal:
        return None
    other = slot_rule(occurrences, [int(digits) for digits in column]) or cycle(occurrences, column, known)
    if isinstance(other, Counter):
        return _written(other, column, 10)
    plain = all(str(int(digits)) == digits for digits in column)
    width = len(column[0])
    if isinstance(other, Scaled) and not plain and {len(digits) for digits in column} == {width}:
        return replace(other, width=width)
    return other if plain or isinstance(other, Cycle) else None


def _lettered(occurrences: Sequence[Occurrence], column: Sequence[str]) -> Counter | None:
    """A counter in letters, where enough different ones were seen for it to be no accident."""
    if len(set(column)) < _TELLING or not all(digits.isascii() and digits.islower() for digits in column):
        return None
    numbers = [
        sum((ord(digit) - ord("a")) * LETTERS**at for at, digit in enumerate(reversed(digits)))
        for digits in column
    ]
    line = counter(occurrences, numbers)
    return None if line is None else Counter(line.base, line.steps, len(column[0]), LETTERS)


def _written(line: Counter, column: Sequence[str], radix: int) -> Counter | None:
    """The counter in the form in which its numbers are written; None where they are not all written alike."""
    width = len(column[0]) if len({len(digits) for digits in column}) == 1 else 0
    for tried in dict.fromkeys((0, width)):
        written = Counter(line.base, line.steps, tried, radix)
        if all(written.digits(int(digits, radix)) == digits for digits in column):
            return written
    return None


def joined(parts: Sequence[str | Rule]) -> tuple[str | Rule, ...]:
    """Parts with neighbouring fixed texts as one, and empty ones left out."""
    merged: list[str | Rule] = []
    for part in parts:
        if isinstance(part, str) and merged and isinstance(merged[-1], str):
            merged[-1] += part
        elif part != "":
            merged.append(part)
    return tuple(merged)
