"""Counts as functions of the Scale (PatternMiner III.B.2 "Compute number of repetition").

The simplest exact fit is taken: a constant, one variable times a whole number or cut into pieces, one variable and
an offset, a ceiling on one variable, a product or quotient of two, a line that begins at some size, then several
variables. Where several equally simple ones fit, which is right matters
at any other Scale, so all of them are given.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np

from froude.base.units import Quantity
from froude.workload.scale import NODE, Count

Points = Sequence[tuple[Mapping[str, Quantity], float]]
"""(scale, count seen) of each run."""
_EXACT = 1e-6
"""What a count may differ by: whole numbers below 10^9 fit to the unit, times in milliseconds too."""
_ROUNDING = 1e-14
"""Of a large value: rounding of a few operations on doubles."""
_LARGE = 1e6
FARTHER, _COMPARED = 4, 1000
"""Up to this multiple of the largest size seen two counts are compared, and up to this size."""
_MOST_ASKED = 4
"""Other counts that are asked about."""
_SIZES_NEEDED = 3
"""Different sizes that show how things are dealt out."""
_DENOMINATOR = 16
"""Of the fractions in sums over several variables."""
_LARGEST_DEALT = 16
"""Largest group of what nodes have more or less of by their number."""
_BY_CHANCE = 0.01
"""Formulas that may fit by chance, of all that are tried."""
LARGEST_GROUP = 64
"""Largest group that is looked for, unless a Scale variable is its size."""


@dataclass(frozen=True, slots=True)
class Fit:
    """What was found for a count."""

    count: Count | None
    """The simplest exact fit; None if nothing fits."""
    others: tuple[Count, ...] = ()
    """Others as simple as it; of counts over groups every other one that fits, since many are tried."""
    sure: bool = True
    """Whether enough sizes were seen; where not, even a count without others may fit by chance."""
    grouped: bool = False
    """Whether it counts over groups, of which many were tried."""


def fit_count(points: Points, *, name: str = "", pieces: Sequence[int] = ()) -> Fit:
    """Fit a count.

    Args:
        points: (scale, count seen) of each run; one scale may come several times.
        name: what is counted; a variable whose name resembles it goes before its equals.
        pieces: sizes of pieces that things may be cut into, such as the block sizes that were asked for.
    """
    values = [value for _, value in points]
    if not points:
        return Fit(None)
    if all(abs(value - values[0]) < _EXACT for value in values):
        return Fit(Count(float(values[0])))
    varied = varied_in(points)

    def single(points: Points, varied: Sequence[str]) -> list[Count]:
        return [*_one(points, varied), *_cut(points, varied, pieces)]

    families = (
        single,
        _capped,
        _products,
        _squares,
        _from_some_size_on,
        _shared_out,
        _groups,
        _begun_groups,
        _dealt_by_groups,
        _several,
    )
    for family in families:
        fits = [count for count in family(points, varied) if _holds(count, points)]
        if not fits:
            continue
        if family in (_groups, _begun_groups):
            fit = _of_groups(fits, points)
            return fit if family is _groups else replace(fit, sure=False)
        ranked = sorted(fits, key=lambda count: (_rank(count), not alike(count, name), str(count)))
        if any(count.per is None and not count.whole for count in ranked):
            # Sizes that were all odd, or all even, make half of them look like a line: which it is must be asked.
            grouped = [count for count in _groups(points, varied) if _holds(count, points)]
            if grouped:
                best, *equals = _distinct([*sorted(grouped, key=_simple), *ranked], points)
                return Fit(best, tuple(equals[:_MOST_ASKED]))
        best = ranked[0]
        sizes = {tuple(scale[each].value for each in varied) for scale, _ in points}
        if family is _capped and _one_step(points, len(sizes)):
            equals = _distinct([best, *ranked[1:], *_of_fewer_numbers(points, varied)], points)[1:]
            return Fit(best, tuple(equals[:_MOST_ASKED]), sure=False)
        # A plane through one size more than it has numbers may be chance, too.
        numbers = len(best.slopes) + bool(best.intercept)
        sure = family is not _several or len(sizes) > max(_SIZES_NEEDED, numbers + 1)
        if family is _shared_out:
            # Of a variable more, or an offset, one size more must show it.
            seen = {tuple(scale[each].value for each in varied if each != NODE) for scale, _ in points}
            sure = len(seen) >= _SIZES_NEEDED + (best.times is not None) + bool(best.offset)
        equals = [c for c in ranked[1:] if _rank(c) == _rank(best) and alike(c, name) == alike(best, name)]
        if family is single and best.intercept and not alike(best, name):
            # Through three sizes a line with an offset goes by chance more easily than what is made of fewer numbers.
            equals = _distinct([best, *equals, *_of_fewer_numbers(points, varied)], points)[1:]
        return Fit(best, tuple(equals[:_MOST_ASKED]), sure)
    return Fit(None)


def every_fit(points: Points, pieces: Sequence[int], *, sums: bool = False) -> list[Count]:
    """The exact formulas of every form but groups of unknown size, of which some fits nearly anything; simplest first.

    Args:
        points: (scale, count seen) of each run.
        pieces: sizes of pieces that things may be cut into.
        sums: whether sums over several variables are looked for, too.
    """
    varied = varied_in(points)
    families = (_one, _capped, _products, _squares, _from_some_size_on, _shared_out)
    fits = [count for family in families for count in family(points, varied)]
    fits += _several(points, varied) if sums else []
    exact = [count for count in (*fits, *_cut(points, varied, pieces)) if _holds(count, points)]
    return sorted(exact, key=lambda count: (_rank(count), str(count)))


def varied_in(points: Points) -> list[str]:
    """The variables of all runs that had several values.

    Args:
        points: (scale, count seen) of each run.
    """
    known = set.intersection(*(set(scale) for scale, _ in points))
    return sorted(v for v in known if len({scale[v].value for scale, _ in points}) > 1)


def _squares(points: Points, varied: Sequence[str]) -> list[Count]:
    """Whole multiples of a variable's square, as of every node with every node, where three sizes or more show it."""
    fits = []
    for name in varied:
        sizes = {scale[name].value for scale, _ in points}
        scale, value = points[0]
        if len(sizes) < _SIZES_NEEDED or not all(sizes) or scale[name].unit:
            continue
        factor = value / scale[name].value ** 2
        if factor > 0 and factor == round(factor):
            fits.append(Count(0.0, {f"{name}*{name}": factor}))
    return fits


def fit_dealt(points: Points, place: int, among: int) -> Count | None:
    """The share of one of several that things are dealt out to in turn: `ceil((users - 1) / 3)` of the second of three.

    Args:
        points: (scale, count seen) of each run.
        place: of that one, from 0.
        among: how many there are, at every Scale.

    Returns:
        The count; None where it does not fit, or where fewer than three different sizes show it.
    """
    for name in sorted(set.intersection(*(set(scale) for scale, _ in points))):
        sizes = {scale[name].value for scale, _ in points if not scale[name].unit}
        count = Count(float(-place), {name: 1.0}, None, among)
        if len(sizes) >= _SIZES_NEEDED and _holds(count, points):
            return count
    return None


def _cut(points: Points, varied: Sequence[str], pieces: Sequence[int]) -> list[Count]:
    """Numbers of pieces of a size, and sizes of last pieces: the blocks of a file of `input` bytes."""
    return [
        Count(0.0, {name: 1.0}, None, per, rest)
        for name in varied
        for per in pieces
        if max(scale[name].value for scale, _ in points) > per
        for rest in (False, True)
    ]


def _products(points: Points, varied: Sequence[str]) -> list[Count]:
    """Whole multiples of two variables' product or quotient, where three scales or more show it.

    The files of all folders are their product; the files of each client, where all share them out, a quotient. Four
    scales may show an offset: all files but the first.
    """
    sizes = len({tuple(scale[name].value for name in varied) for scale, _ in points})
    if sizes < 3:
        return []
    fits = []
    if any(scale[name].value <= 0 for scale, _ in points for name in varied):
        return []
    for sign, pairs in (("*", combinations(varied, 2)), ("/", permutations(varied, 2))):
        for a, b in pairs:
            term = f"{a}{sign}{b}"
            factor = points[0][1] / Count(0.0, {term: 1.0}).at(points[0][0])
            if factor > 0 and factor == round(factor):
                fits.append(Count(0.0, {term: factor}))
            if sizes > 3 and sign == "*":
                counted = Count(0.0, {term: 1.0})
                fits += _line_over(term, [(counted.at(scale), value) for scale, value in points])
    return fits


def _groups(points: Points, varied: Sequence[str]) -> list[Count]:
    """Whole groups of a variable's things, begun ones, and what is left over, where three sizes or more show it."""
    if not all(value == round(value) for _, value in points):
        return []
    counts = []
    for name in varied:
        sizes = {scale[name].value for scale, _ in points}
        if len(sizes) < 3 or any(scale[name].unit for scale, _ in points):
            continue
        for by in range(2, min(LARGEST_GROUP, int(max(sizes)) // 2) + 1):
            for fold in ("//", "%"):
                term = f"{name}{fold}{by}"
                groups = Count(0.0, {term: 1.0})
                counts += _line_over(term, [(groups.at(scale), value) for scale, value in points])
            counts.append(Count(0.0, {name: 1.0}, None, by))
    return counts


def _begun_groups(points: Points, varied: Sequence[str]) -> list[Count]:
    """Begun groups and a number more or fewer, where five sizes or more show it: those of all days but two."""
    begun = [count for count in _groups(points, varied) if count.per is not None]
    sizes = {tuple(scale[name].value for name in varied) for scale, _ in points}
    return (
        [moved for count in begun for moved in _moved(count, points)]
        if len(sizes) > _SIZES_NEEDED + 1
        else []
    )


def _moved(count: Count, points: Points) -> list[Count]:
    """A number of pieces with what all points have more or fewer: all but the first two."""
    more = {value - count.at(scale) for scale, value in points}
    return [
        replace(count, offset=int(each)) for each in more if len(more) == 1 and each and each == int(each)
    ]


def _dealt_by_groups(points: Points, varied: Sequence[str]) -> list[Count]:
    """Groups of what a node has, which is more or less by its number: `ceil((batches + node) / 4)`.

    Many are tried, so that those alone are taken of which less than one in a hundred would fit by chance.
    """
    if NODE not in varied:
        return []
    others = [name for name in varied if name != NODE and not any(scale[name].unit for scale, _ in points)]
    tried = [
        Count(float(begun), {name: 1.0, NODE: sign}, None, by)
        for name in others
        for sign in (1.0, -1.0)
        for by in range(2, _LARGEST_DEALT + 1)
        for begun in range(by)
    ]
    places = {str(scale) for scale, _ in points}
    if len(tried) * len({value for _, value in points}) ** -len(places) > _BY_CHANCE:
        return []
    return [count for each in tried for count in (each, *_moved(each, points))]


def _of_fewer_numbers(points: Points, varied: Sequence[str]) -> list[Count]:
    """Begun and whole groups without slope and offset, and plain products, where no more than three sizes were seen."""
    if len({tuple(scale[name].value for name in varied) for scale, _ in points}) > _SIZES_NEEDED:
        return []
    groups = (
        count
        for count in _groups(points, varied)
        if _simple(count)[0] == 1 and not any("%" in term for term in count.slopes)
    )
    plain = (count for count in _products(points, varied) if set(count.slopes.values()) == {1.0})
    return [count for count in (*groups, *plain) if _holds(count, points)]


def _of_groups(fits: Sequence[Count], points: Points) -> Fit:
    """The simplest of counts over groups, beside every other; unsure where it has as many numbers as there are sizes.

    Where just two counts were seen, a step from one to the other is what many group sizes give.
    """
    best, *others = _distinct(sorted(fits, key=_simple), points)
    sizes = {tuple(scale[name].value for name in best.variables) for scale, _ in points}
    enough = len(sizes) > _simple(best)[0] + 1 and len({value for _, value in points}) > 2
    return Fit(best, tuple(others[:_MOST_ASKED]), enough, grouped=True)


def _one_step(points: Points, sizes: int) -> bool:
    """Whether just two counts were seen at three sizes: where one becomes the other, many rules say as well."""
    return sizes <= _SIZES_NEEDED and len({value for _, value in points}) < 3


def _simple(count: Count) -> tuple[int, tuple[int, ...], str]:
    """How many numbers a count over groups is made of, beside its rank: the group's size, a slope, an offset."""
    slopes = list(count.slopes.values())
    offset = bool(count.intercept) or bool(count.offset)
    return 1 + any(slope != 1 for slope in slopes) + offset, _rank(count), str(count)


def _distinct(counts: Sequence[Count], points: Points) -> list[Count]:
    """Counts without those that are the same at all sizes up to a multiple of those seen."""
    names = sorted({name for count in counts for name in count.variables})
    scale = points[0][0]
    most = max((scale[name].value for scale, _ in points for name in names), default=1.0)
    kept: dict[tuple[float, ...], Count] = {}
    for count in counts:
        sizes = range(1, min(_COMPARED, int(FARTHER * most)) + 1)
        values = (count.at({**scale, name: Quantity(size)}) for name in names for size in sizes)
        kept.setdefault(tuple(values), count)
    return list(kept.values())


def _shared_out(points: Points, varied: Sequence[str]) -> list[Count]:
    """Shares of things that nodes have by their number: the first ones get one more where they do not come out even.

    Dealt out among as many as a variable says, or among a number of nodes that never varied; in each round of a
    further variable, too; and all of them but the first, where that is done otherwise.
    """
    if NODE not in varied:
        return []
    known = sorted(set.intersection(*(set(scale) for scale, _ in points)) - {NODE})
    nodes: dict[str, int] = {}
    for scale, _ in points:
        size = str({name: scale[name] for name in known})
        nodes[size] = max(nodes.get(size, 0), int(scale[NODE].value) + 1)
    positive = [name for name in known if all(scale[name].value > 0 for scale, _ in points)]
    among: list[int | str] = [*positive, *(set(nodes.values()) if len(set(nodes.values())) == 1 else ())]
    return [
        Count(0.0, {what: 1.0, NODE: -1.0}, None, each, times=times, offset=offset)
        for what in known
        for each in among
        for times in (None, *known)
        for offset in (0, -1, 1)
        if what in varied and len({what, each, times}) == 3
    ]


def _line_over(term: str, points: Sequence[tuple[float, float]]) -> list[Count]:
    """The whole line over a term, through its smallest and largest value; none where it is always the same."""
    (low, at_low), (high, at_high) = min(points), max(points)
    if low == high:
        return []
    slope = (at_high - at_low) / (high - low)
    intercept = at_low - slope * low
    count = Count(intercept, {term: slope})
    return [count] if slope and count.whole else []


def _from_some_size_on(points: Points, varied: Sequence[str]) -> list[Count]:
    """Lines through what is there at all: none at the smallest scales, where the line would be below zero."""
    there = [(scale, value) for scale, value in points if value > 0]
    return [
        count
        for count in (_one(there, varied) if there else ())
        if any(count.at(scale) < 0 for scale, _ in points)
        and all(slope == round(slope) for slope in count.slopes.values())
    ]


def _one(points: Points, varied: Sequence[str]) -> list[Count]:
    """Lines over one variable, through the first and the farthest point."""
    fits = []
    for name in varied:
        xs = [scale[name].value for scale, _ in points]
        low, high = xs.index(min(xs)), xs.index(max(xs))
        if xs[low] == xs[high]:
            continue
        slope = (points[high][1] - points[low][1]) / (xs[high] - xs[low])
        intercept = points[low][1] - slope * xs[low]
        fits += [Count(_tidy(intercept), {name: _tidy(slope)})] if _tidy(slope) else []
    return fits


def _capped(points: Points, varied: Sequence[str]) -> list[Count]:
    """`min(cap, line)`: the cap is the largest count seen, and the line is fitted to the rest."""
    cap = max(value for _, value in points)
    fits = []
    for name in varied:
        below = [(scale, value) for scale, value in points if value < cap - _EXACT]
        # Two runs of one size say no more than one of them: a line goes through its end, too.
        if len({scale[name].value for scale, value in points if value >= cap - _EXACT}) < 2 or not below:
            continue
        places = {scale[name].value for scale, _ in below}
        largest, value = max(places), max(value for _, value in below)
        if largest and (slope := _tidy(value / largest)) == round(slope):
            fits.append(Count(0.0, {name: slope}, float(cap)))
        if len(places) > 2:  # a line with an offset fits any two points
            fits.extend(Count(c.intercept, c.slopes, float(cap)) for c in _one(below, [name]))
    return fits


def _several(points: Points, varied: Sequence[str]) -> list[Count]:
    """Planes over two or more variables, where there are enough distinct scales to show one."""
    fits = []
    for size in range(2, len(varied) + 1):
        for names in combinations(varied, size):
            distinct = {tuple(scale[n].value for n in names): value for scale, value in points}
            rows = np.array([[*key, 1.0] for key in distinct])
            # A plane through as many points as it has coefficients says nothing.
            for columns in (size, size + 1):
                if len(rows) <= columns or np.linalg.matrix_rank(rows[:, :columns]) < columns:
                    continue
                solved = np.linalg.lstsq(rows[:, :columns], np.array(list(distinct.values())), rcond=None)[0]
                numbers = [near for number in solved if (near := _plain(float(number))) is not None]
                # Without a variable it is a sum of the others, and a fraction is a number more: its denominator.
                fractions = sum(number != round(number) for number in numbers)
                if len(numbers) < columns or not all(numbers[:size]) or len(rows) <= columns + fractions:
                    continue
                *slopes, intercept = numbers if columns > size else [*numbers, 0.0]
                # A plane without an offset is found both ways.
                count = Count(intercept, dict(zip(names, slopes, strict=True)))
                if count not in fits:
                    fits.append(count)
    return fits


def _plain(number: float) -> float | None:
    """The fraction that a person would write for a number, of a denominator up to `_DENOMINATOR`; None for none."""
    near = float(Fraction(number).limit_denominator(_DENOMINATOR))
    return near if abs(near - number) < _EXACT else None


def _holds(count: Count, points: Points) -> bool:
    """Whether a count is exact at every point, but for the rounding of its arithmetic."""
    return all(
        abs(max(0.0, count.at(scale)) - value) <= max(_EXACT, _ROUNDING * abs(value))
        for scale, value in points
    )


def _rank(count: Count) -> tuple[int, int, int, int, int]:
    """How far from simple a count is: fewer variables, whole slopes, no offset, no minus, slope one."""
    slopes = count.slopes.values()
    fractions = sum(slope != round(slope) and abs(slope) < _LARGE for slope in slopes)
    offset = int(count.intercept != 0)
    return (
        len(count.slopes) + (count.times is not None) + bool(count.offset),
        fractions,
        offset,
        int(any(s < 0 for s in slopes)),
        int(any(s != 1 for s in slopes)),
    )


def alike(count: Count, name: str) -> bool:
    """Whether a variable is called like what is counted: `clients` of `client`."""
    plain = name.lower().rstrip("s")
    return bool(plain) and any(variable.lower().rstrip("s") == plain for variable in count.slopes)


def _tidy(value: float) -> float:
    nearest = round(value)
    return float(nearest) if math.isclose(value, nearest, rel_tol=1e-13, abs_tol=1e-9) else value
