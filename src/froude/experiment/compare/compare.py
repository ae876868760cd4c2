"""Compare repeated runs of a baseline and of a candidate: is it slower, faster, the same, or can nobody tell yet?

`interval` has the statistics, `compared` what is looked at, `comparable` which runs may be. Among all measures that
decide, the chance of one false alarm or more is at most the level; half of it is kept for the primary measure, which
is named before the runs are looked at. What explains is a family of its own, at the same level.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from froude.base.errors import InputError
from froude.base.statistics import LARGEST_LOG, Shift, Tested, runs_needed, shift_of, weighted_holm
from froude.base.summary import Summarised, counted
from froude.base.units import seconds_text
from froude.emulation.run.run import Run
from froude.experiment.compare.comparable import (
    ARMS,
    Chosen,
    Sample,
    choose,
    environments,
    in_turns,
    remarks_on,
)
from froude.experiment.compare.measures import (
    CPU_PER_CALL,
    DEFAULT_LEVEL,
    DEFAULT_MARGIN,
    DEFAULT_PRIMARY,
    Measure,
    RunMeasure,
    Sort,
    calls_of,
    measures_of,
)

ERROR_MARGIN = 0.001
"""Difference of the share of failed calls that is still none: a call in a thousand."""
LEAST_RUNS = 3
"""Of two runs that happen to be alike the spread is next to nothing, and any difference looks sure."""
_PAIRED_FROM = 6
"""Pairs from which on they are compared as such: of fewer, what a pair shares is worth less than the degrees of
freedom that pairing costs."""


class Outcome(Enum):
    """What is known of a candidate."""

    WORSE = "slower"
    BETTER = "faster"
    SAME = "no difference larger than the margin"
    OPEN = "not enough runs to say"
    UNDECIDED = "undecided"
    """The same of a duet, of which more time may decide, not more runs."""

    @property
    def open(self) -> bool:
        """Whether nothing is known of the candidate."""
        return self in {Outcome.OPEN, Outcome.UNDECIDED}


_OTHER_WORDS = {
    Sort.ERRORS: {Outcome.WORSE: "more errors", Outcome.BETTER: "fewer errors"},
    Sort.COST: {Outcome.WORSE: "more CPU time", Outcome.BETTER: "less CPU time"},
    Sort.RESOURCE: {Outcome.WORSE: "more", Outcome.BETTER: "less"},
}


@dataclass(frozen=True, slots=True)
class Row:
    """One measure in both arms."""

    measure: str
    """Such as `p99(addBlock)`."""
    what: str
    unit: str
    """`s`, `calls/s` or `share`."""
    sort: Sort
    baseline: tuple[float, ...]
    """A value for each run, in the order in which they were made."""
    candidate: tuple[float, ...]
    change: float
    """Candidate over baseline, less 1, by the runs' geometric means; of errors the difference of the shares."""
    low: float
    """Lower end of the change's interval."""
    high: float
    level: float
    """Chance that the interval misses the change."""
    outcome: Outcome
    needed: int | None
    """Runs of each arm with which a difference of the margin's size would be seen four times in five; None for more
    than 10,000."""

    @property
    def by_difference(self) -> bool:
        """Whether the change is a difference of shares, since one may be 0; else it is a ratio less 1."""
        return self.sort is Sort.ERRORS

    @property
    def means(self) -> tuple[float, float]:
        """The arms' means, as they are compared: geometric but for errors."""
        if self.by_difference:
            return sum(self.baseline) / len(self.baseline), sum(self.candidate) / len(self.candidate)
        first, second = (
            math.exp(sum(map(math.log, values)) / len(values)) for values in (self.baseline, self.candidate)
        )
        return first, second

    @property
    def words(self) -> str:
        """The outcome, for people."""
        return _OTHER_WORDS.get(self.sort, {}).get(self.outcome, self.outcome.value)


@dataclass(frozen=True, slots=True)
class Together:
    """How two arms were measured that ran at the same time, as in a duet; a value of a row is one batch of slices."""

    measured_s: float
    batch_s: float
    warm_up_s: float
    """Before it."""
    limit_s: float
    """The longest time of the whole."""
    looks: int
    """How often it was looked at whether the verdict is clear."""
    interrupted: bool = False
    silent_s: tuple[float, float] = (0.0, 0.0)
    """Seconds in which baseline or candidate answered nothing, though the other did."""


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Summarised):
    """Two arms of runs, and what is known of the candidate."""

    outcome: Outcome
    rows: tuple[Row, ...]
    """What decides, the primary measure first, then what explains."""
    baseline: tuple[str, ...]
    """Names of the runs that were compared, in the order in which they were made."""
    candidate: tuple[str, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Runs that were not compared, and why."""
    failed: tuple[int, int] = (0, 0)
    """Runs of each arm that failed."""
    not_compared: Mapping[str, str] = field(default_factory=dict)
    """Measures, and why."""
    remarks: tuple[str, ...] = ()
    differences: tuple[tuple[str, str, str], ...] = ()
    """What the arms ran on, where it differs: name, baseline's and candidate's."""
    primary: str = DEFAULT_PRIMARY
    margin: float = DEFAULT_MARGIN
    """Share by which a candidate may differ and still count as the same."""
    level: float = DEFAULT_LEVEL
    """Chance of one false difference or more among all measures that decide."""
    paired: bool = False
    """Whether runs that were made next to each other were compared as pairs."""
    together: Together | None = None
    """Of a duet; None of runs one after another."""

    @property
    def deciding(self) -> tuple[Row, ...]:
        """The rows on which the outcome rests."""
        return tuple(row for row in self.rows if row.sort is not Sort.RESOURCE)

    @property
    def worse(self) -> tuple[Row, ...]:
        """Of those, where the candidate is worse."""
        return tuple(row for row in self.deciding if row.outcome is Outcome.WORSE)

    @property
    def leading(self) -> Row | None:
        """The row that the answer names first: what is worse, else, where nothing is, the first that is better."""
        found = [row for row in self.deciding if row.outcome is Outcome.BETTER is self.outcome]
        return next(iter([*self.worse, *found]), None)

    @property
    def answer(self) -> str:
        """The verdict, and the measure that it rests on, in a sentence."""
        return _answer(self)

    def summary(self) -> Mapping[str, str]:
        """The answer first."""
        return {
            "outcome": self.outcome.value,
            "answer": self.answer,
            "runs": f"{len(self.baseline)} and {len(self.candidate)}",
            "left out": ", ".join(self.left_out),
        }


def compare(
    *,
    baseline: Sequence[Run | Sample],
    candidate: Sequence[Run | Sample],
    margin: float = DEFAULT_MARGIN,
    level: float = DEFAULT_LEVEL,
    primary: str = DEFAULT_PRIMARY,
    limited: bool = False,
) -> Comparison:
    """Compare repeated runs: `fr.compare(baseline=ws.runs(tag="base"), candidate=ws.runs(tag="patched"))`.

    Args:
        baseline: runs of what is compared with; three or more say something.
        candidate: runs of what is judged, of the same load.
        margin: share by which a candidate may differ and still count as the same, above 0 to 1.
        level: chance of one false difference or more among all measures that decide, 0.0001 to 0.5.
        primary: the measure to which half of that chance is given, such as `mean`, `p99` or `p99(addBlock)`.
        limited: whether runs that player or machine limited count as well.

    Raises:
        InputError: an arm without a run, the same run twice, runs of different loads, a primary measure that not
            every run has, or a margin or level out of range.
    """
    for name, value, least, most in (("margin", margin, 1e-6, 1.0), ("level", level, 1e-4, 0.5)):
        if not least <= value <= most:
            raise InputError("is out of range", place=name, found=value, allowed=f"{least:g} to {most:g}")
    samples = [_named(runs, arm) for runs, arm in zip((baseline, candidate), ARMS, strict=True)]
    chosen = choose(samples[0], samples[1], limited=limited)
    failures = [sum(each.run.failure is not None for each in arm) for arm in samples]
    chosen, paired = _as_pairs(chosen, samples)
    rows: list[Row] = []
    missing: dict[str, str] = {}
    enough = min(len(chosen.baseline), len(chosen.candidate)) >= LEAST_RUNS
    if enough:
        rows, missing = _rows(chosen, margin, level, primary, paired=paired)
    return Comparison(
        _outcome(rows, primary, failures),
        tuple(rows),
        tuple(each.name for each in chosen.baseline),
        tuple(each.name for each in chosen.candidate),
        chosen.left_out,
        (failures[0], failures[1]),
        missing,
        tuple(remarks_on(chosen, limited=limited)),
        tuple(environments(chosen)),
        primary,
        margin,
        level,
        paired,
    )


def _named(runs: Sequence[Run | Sample], arm: str) -> list[Sample]:
    return [
        each if isinstance(each, Sample) else Sample(_name(each, f"{arm} {number}"), each)
        for number, each in enumerate(runs, 1)
    ]


def _name(run: Run, otherwise: str) -> str:
    return otherwise if run.folder is None else str(run.folder)


def _as_pairs(chosen: Chosen, samples: Sequence[Sequence[Sample]]) -> tuple[Chosen, bool]:
    """The runs as pairs, where they were made in turns and enough pairs are whole."""
    whole = [
        pair
        for pair in in_turns(samples[0], samples[1])
        if not {each.name for each in pair} & set(chosen.left_out)
    ]
    if len(whole) < _PAIRED_FROM:
        return chosen, False
    arms = [tuple(pair[at] for pair in whole) for at in (0, 1)]
    used = {each.name for arm in arms for each in arm}
    alone = {
        each.name: "the run beside it was left out"
        for arm in (chosen.baseline, chosen.candidate)
        for each in arm
        if each.name not in used
    }
    return Chosen(arms[0], arms[1], {**chosen.left_out, **alone}, chosen.interleaved), True


@dataclass(frozen=True, slots=True)
class _Compared:
    """A measure with its values."""

    measure: RunMeasure
    values: tuple[tuple[float, ...], tuple[float, ...]]
    shift: Shift


def _rows(
    chosen: Chosen, margin: float, level: float, primary: str, *, paired: bool
) -> tuple[list[Row], dict[str, str]]:
    arms = [[each.run for each in arm] for arm in (chosen.baseline, chosen.candidate)]
    compared: list[_Compared] = []
    missing: dict[str, str] = {}
    for measure in measures_of([*arms[0], *arms[1]]):
        values = [[measure.of(run) for run in arm] for arm in arms]
        why = _not_comparable(measure, [*values[0], *values[1]])
        if why:
            missing[measure.name] = why
            continue
        first, second = (tuple(float(each) for each in arm if each is not None) for arm in values)
        shift = _shift(measure, first, second, arms, paired=paired)
        compared.append(_Compared(measure, (first, second), shift))
    deciding = [each for each in compared if each.measure.decides]
    names = [each.measure.name for each in deciding]
    if primary not in names:
        found = f"{primary}: {missing[primary]}" if primary in missing else primary
        raise InputError("cannot be the primary measure", place="primary", found=found, allowed=names)
    deciding.sort(key=lambda each: each.measure.name != primary)
    explaining = [each for each in compared if not each.measure.decides]
    # Half of the level for the primary measure, the other half shared by the others.
    weights = [float(max(1, len(deciding) - 1)), *[1.0] * (len(deciding) - 1)]
    families = ((deciding, weights), (explaining, [1.0] * len(explaining)))
    rows = []
    for family, shares in families:
        tested = weighted_holm([each.shift.p for each in family], shares, level)
        rows += [
            row_of(each.measure, each.values, each.shift, test, margin=margin, paired=paired)
            for each, test in zip(family, tested, strict=True)
        ]
    return rows, missing


def _not_comparable(measure: RunMeasure, values: Sequence[float | None]) -> str:
    without = sum(value is None for value in values)
    if without:
        return f"{counted(without, 'run')} without a value, or with too few calls"
    zeros = sum(value == 0 for value in values)
    return f"0 in {counted(zeros, 'run')}" if zeros and measure.sort is not Sort.ERRORS else ""


def _shift(
    measure: RunMeasure,
    baseline: tuple[float, ...],
    candidate: tuple[float, ...],
    runs: Sequence[Sequence[Run]],
    *,
    paired: bool,
) -> Shift:
    if measure.sort is Sort.ERRORS:
        counts = [(sum(run.failed.total() for run in arm), sum(calls_of(run) for run in arm)) for arm in runs]
        return shift_of(baseline, candidate, paired=paired, least_error=share_error(counts))
    logs = [[math.log(value) for value in values] for values in (baseline, candidate)]
    least = max(measure.resolution(value) for value in (*baseline, *candidate))
    return shift_of(logs[0], logs[1], paired=paired, least_error=least)


def share_error(counts: Sequence[tuple[float, float]]) -> float:
    """The least standard error of a difference of shares of errors.

    Errors are few and come one by one: no share is known better than by their number.

    Args:
        counts: errors and calls of each arm.
    """
    return math.sqrt(sum((errors + 1) / max(1, calls) ** 2 for errors, calls in counts))


def row_of(
    measure: Measure,
    values: tuple[tuple[float, ...], tuple[float, ...]],
    shift: Shift,
    tested: Tested,
    *,
    margin: float,
    paired: bool,
) -> Row:
    """A measure with its outcome.

    Args:
        shift: of their logarithms; of errors, of their shares.
        paired: whether values in one place were measured together.
    """
    ends = shift.interval(tested.level)
    if measure.sort is Sort.ERRORS:
        change, low, high = shift.mean, *ends
        bounds, wanted = (-ERROR_MARGIN, ERROR_MARGIN), ERROR_MARGIN
    else:
        change, low, high = (math.expm1(min(each, LARGEST_LOG)) for each in (shift.mean, *ends))
        bounds, wanted = (1 / (1 + margin) - 1, margin), math.log1p(margin)
    outcome = Outcome.OPEN
    if bounds[0] < low and high < bounds[1]:
        outcome = Outcome.SAME
    elif tested.rejected:
        worse = (change > 0) is not (measure.sort is Sort.THROUGHPUT)
        outcome = Outcome.WORSE if worse else Outcome.BETTER
    spread = max(shift.spread, shift.error / math.sqrt(2))  # a resolution is no smaller with more runs
    needed = runs_needed(spread, wanted, tested.level, paired=paired)
    named = measure.name, measure.what, measure.unit, measure.sort
    return Row(*named, *values, change, low, high, tested.level, outcome, needed)


def _outcome(rows: Sequence[Row], primary: str, failed: Sequence[int]) -> Outcome:
    """Worse where any measure that decides is, or only the candidate's runs fail; else what the primary one says."""
    if failed[1] and not failed[0]:
        return Outcome.WORSE
    deciding = [row for row in rows if row.sort is not Sort.RESOURCE]
    if any(row.outcome is Outcome.WORSE for row in deciding):
        return Outcome.WORSE
    return next((row.outcome for row in deciding if row.measure == primary), Outcome.OPEN)


def change_text(change: float, sort: Sort) -> str:
    """A change for people: `+12.3 %`, of errors `+0.2 points`."""
    unit = "points" if sort is Sort.ERRORS else "%"
    percent = 100 * change
    if percent > 9999:
        return f"over +9,999 {unit}"
    return f"{percent:+.3g} {unit}" if abs(percent) < 100 else f"{percent:+,.0f} {unit}"


def row_text(row: Row) -> str:
    """A row as a part of a sentence."""
    low, high = (change_text(end, row.sort) for end in (row.low, row.high))
    return (
        f"{row.what} changed by {change_text(row.change, row.sort)} "
        f"({low} to {high}, {confidence_text(row.level)} confidence)"
    )


def confidence_text(level: float) -> str:
    """One less a level, as a percentage that is not rounded up to all.

    Args:
        level: chance of an error, above 0.
    """
    digits = max(0, math.ceil(-math.log10(level)) - 1)
    return f"{math.floor(100 * (1 - level) * 10**digits + 1e-6) / 10**digits:.{digits}f} %"


def _answer(comparison: Comparison) -> str:
    return " ".join(_sentences(comparison))


def _sentences(comparison: Comparison) -> Iterator[str]:
    rows, failed = comparison.rows, comparison.failed
    if failed[1] and not failed[0]:
        yield f"The candidate is worse: {counted(failed[1], 'run')} of it failed, and none of the baseline."
    together = comparison.together
    if together is not None and comparison.outcome is Outcome.WORSE and together.silent_s[1]:
        yield (
            f"The candidate is worse: it answered nothing for {seconds_text(round(together.silent_s[1]))} in which the "
            "baseline did."
        )
    if not rows:
        have = f"{counted(len(comparison.baseline), 'run')} and {len(comparison.candidate)}"
        if together is None:
            yield f"Not enough runs to say: {have} can be compared; three of each arm are the least that are compared."
        elif comparison.outcome.open:
            yield "Nothing can be compared."
        return
    worse, leading = comparison.worse, comparison.leading
    if leading is not None:
        yield f"The candidate {_VERBS.get(leading.sort, 'is')} {leading.words}: {row_text(leading)}."
        if len(worse) > 1:
            names = ", ".join(row.measure for row in worse[1:7])
            yield f"Worse, too: {names}{f' and {len(worse) - 7} more' if len(worse) > 7 else ''}."
    elif comparison.outcome is Outcome.SAME:
        yield f"No difference larger than {100 * comparison.margin:.3g} % was seen: {row_text(rows[0])}."
    elif comparison.outcome.open:
        yield _open_text(comparison)
    yield from _why(comparison)


_VERBS = {Sort.ERRORS: "has", Sort.COST: "needs"}
"""Before the words of an outcome; `is` for others."""


def _open_text(comparison: Comparison) -> str:
    """What is known where that is not enough, and what would be."""
    margin, together = f"{100 * comparison.margin:.3g} %", comparison.together
    if together is None:
        row = comparison.rows[0]
        number = "more than 10,000" if row.needed is None else f"about {row.needed}"
        return (
            f"Not enough runs to say: {row_text(row)}; {number} runs of each arm would show a difference of {margin}, "
            "four times in five."
        )
    after = f"Undecided after {minutes_text(together.measured_s)}"
    still_open = [each for each in comparison.deciding if each.outcome.open]
    if not still_open:
        return f"{after}: not all that decides is known."
    row = still_open[0]
    ratios = [each.needed for each in still_open if not each.by_difference] or [row.needed]
    needed_s = math.inf if None in ratios else max(filter(None, ratios)) * together.batch_s
    if needed_s <= together.measured_s:
        return f"{after}: {row_text(row)}; a longer duet may tell."
    longer = f"a much longer duet than {minutes_text(together.limit_s)}"
    if needed_s < _LONGEST_S:
        longer = f"about {minutes_text(needed_s)} of measuring"
    return f"{after}: {row_text(row)}; {longer} would show a difference of {margin}, four times in five."


def minutes_text(seconds: float) -> str:
    """A time for people, in minutes from two on."""
    return f"{seconds / 60:.3g} min" if seconds >= 2 * 60 else seconds_text(round(seconds))


_NEXT = {
    "lock wait": "which methods hold the namespace lock: the NameNode logs each that holds it for long",
    "lock queue": "which methods hold the namespace lock: the NameNode logs each that holds it for long",
    "write lock": "which methods hold the namespace lock: the NameNode logs each that holds it for long",
    "GC": "the pauses in the log of the garbage collector",
    "heap after GC": "what the heap holds, such as by `jmap -histo`",
    "edit log sync": "the disk of the edit log",
    "call queue": "the number of handlers, and what they wait for",
    CPU_PER_CALL: "a profile of both by CPU time, such as with async-profiler",
}
"""What to look at where a measure has become worse."""
_LONGEST_S = 86_400.0
"""Of a duet that is suggested."""
_NAMED = 4
"""Measures named that explain."""


def _next(comparison: Comparison) -> str:
    """What to look at: of what became worse, the time that grew by most; else the first that is known."""
    worse = [row for row in comparison.rows if row.outcome is Outcome.WORSE]
    worse.sort(key=lambda row: -(row.means[1] - row.means[0]) if row.unit == "s" else 0.0)
    texts = (text for row in worse for name, text in _NEXT.items() if row.measure.startswith(name))
    return next(texts, "")


def _why(comparison: Comparison) -> Iterator[str]:
    """What changed together with a difference, the largest change first, and what to look at next."""
    if comparison.outcome not in {Outcome.WORSE, Outcome.BETTER}:
        return
    differing = (row for row in comparison.rows if row.outcome in {Outcome.WORSE, Outcome.BETTER})
    changed = [row for row in differing if row.sort is not Sort.ERRORS and row is not comparison.leading]
    changed.sort(key=lambda row: -abs(math.log1p(max(row.change, -1 + 1e-9))))
    if changed:
        named = ", ".join(f"{row.measure} {change_text(row.change, row.sort)}" for row in changed[:_NAMED])
        yield f"What changed most: {named}."
    looks = _next(comparison)
    if looks and comparison.outcome is Outcome.WORSE:
        yield f"Look next at {looks}."
