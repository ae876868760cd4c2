"""Whether a sweep shows what others have found: limits on its first arm, on its last, and on their ratio.

A run that broke a limit of its own does not count: the load was not the one that was asked for.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from froude.base.errors import InputError
from froude.base.statistics import mean_interval
from froude.emulation.limits import MEASURES, Limit, parse_limit
from froude.emulation.run.run import Run
from froude.emulation.run.verdict import measured_text
from froude.experiment.compare.comparable import unusable

_RATIO = "last/first"
_FORM = re.compile(rf"\s*(first|last|{_RATIO})\s*:\s*(.+)")
ALLOWED = (
    "'first: LIMIT', 'last: LIMIT', or 'last/first: LIMIT' on how many times as much, as p50(addBlock) > 1.2"
)
_LEVEL = 0.05
_FEWEST_RUNS = 2
"""Of each arm that must count before a finding is decided."""


class Shown(Enum):
    """What became of a finding."""

    REPRODUCED = "Reproduced"
    NOT_REPRODUCED = "Not reproduced"
    UNDECIDED = "Undecided"
    """Runs of one arm disagree, fewer than two count, or the interval of their ratio holds the bound."""
    NOT_TESTABLE = "Not testable here"
    """No run counts, or a measure has no value."""


class Stated(NamedTuple):
    """One condition of a finding."""

    arm: str
    """`first`, `last`, or `last/first`."""
    limit: Limit


@dataclass(frozen=True, slots=True)
class Found:
    """What became of a finding, and by which values."""

    claim: str
    shown: Shown
    why: str
    where: str = ""
    """Release and Scale; empty where they are not known."""

    @property
    def text(self) -> str:
        """The answer, in a sentence."""
        return f"{self.shown.value}{self.where}: {self.claim} ({self.why})."


def parse_stated(text: str) -> Stated:
    """Read a condition.

    Raises:
        InputError: of another form, or as `parse_limit`.
    """
    match = _FORM.fullmatch(text)
    if match is None:
        raise InputError("is not a condition on arms", place="limits", found=text, allowed=ALLOWED)
    arm, limit = match.groups()
    return Stated(arm, parse_limit(limit, "limits", ratio=arm == _RATIO))


def found_in(
    claim: str, limits: Sequence[str], first: Sequence[Run], last: Sequence[Run], *, limited: bool
) -> Found:
    """Hold a finding against the runs of two arms, in the order of their rounds.

    Args:
        limited: whether runs count that player or machine limited.
    """
    where = _where(first[-1:], last[-1:])
    arms = {"first": first, "last": last}
    reasons = {arm: [_unfit(run, limited=limited) for run in runs] for arm, runs in arms.items()}
    for arm, found in reasons.items():
        if all(found):
            why = found[0] if found else "there is no run"
            return Found(claim, Shown.NOT_TESTABLE, f"of the {arm} arm no run counts: {why}", where)
    held = [_held(parse_stated(text), arms, reasons) for text in limits]
    order = (Shown.NOT_TESTABLE, Shown.NOT_REPRODUCED, Shown.UNDECIDED, Shown.REPRODUCED)
    shown = min((each for each, _ in held), key=order.index)
    fit = [run for arm, runs in arms.items() for run, why in zip(runs, reasons[arm], strict=True) if not why]
    few = any(found.count("") < _FEWEST_RUNS for found in reasons.values())
    if few and shown in {Shown.REPRODUCED, Shown.NOT_REPRODUCED}:
        shown = Shown.UNDECIDED
    limits_of_machine = sum(bool(unusable(run, limited=False)) for run in fit)
    remarks = [
        f"{len(fit)} of {len(first) + len(last)} runs count"
        if few or len(fit) < len(first) + len(last)
        else "",
        f"player or machine limited {limits_of_machine} of {len(fit)}" if limits_of_machine else "",
    ]
    return Found(claim, shown, "; ".join(filter(None, [*(why for _, why in held), *remarks])), where)


def _where(*arms: Sequence[Run]) -> str:
    """The release and the Scales of the arms' runs, as far as they are known."""
    runs = [run for arm in arms for run in arm]
    release = next((run.environment["Hadoop"] for run in runs if "Hadoop" in run.environment), "")
    names = dict.fromkeys(name for run in runs for name in run.scale)
    values = {
        name: dict.fromkeys(str(run.scale[name]) for run in runs if name in run.scale) for name in names
    }
    scale = ", ".join(f"{name}={' and '.join(each)}" for name, each in values.items())
    return (f" on Hadoop {release}" if release else "") + (f" at {scale}" if scale else "")


def _unfit(run: Run, *, limited: bool) -> str:
    """Why a run does not count; empty where it does."""
    broken = (f"limit not kept: {result.text}" for result in run.limits if not result.held)
    return unusable(run, limited=limited) or next(broken, "")


def _held(stated: Stated, arms: dict[str, Sequence[Run]], reasons: dict[str, list[str]]) -> tuple[Shown, str]:
    """What one condition says, and by which values."""
    arm, limit = stated
    measure = MEASURES[limit.measure]
    values = {
        each: [
            None if why else measure.of(run, limit.method)
            for run, why in zip(runs, reasons[each], strict=True)
        ]
        for each, runs in arms.items()
    }
    if arm == _RATIO:
        pairs = zip(values["first"], values["last"], strict=False)
        known = [_ratio(a, b) for a, b in pairs if a is not None and b is not None]
    else:
        known = [value for value in values[arm] if value is not None]
    if not known:
        return Shown.NOT_TESTABLE, f"{arm}: {limit.text}: unknown"
    if arm == _RATIO and all(map(math.isfinite, known)):
        mean, *ends = mean_interval(known, _LEVEL)
        kept = [limit.met(end) for end in ends]
        sure = f", {ends[0]:.3g} to {ends[1]:.3g}" if len(known) > 1 else " in one run of each"
        texts = f"{mean:.3g}{sure}"
    else:
        kept = [limit.met(value) for value in known]
        unit = "" if arm == _RATIO else measure.unit.value
        texts = ", ".join(measured_text(value, unit) for value in known)
    shown = Shown.UNDECIDED if any(kept) else Shown.NOT_REPRODUCED
    return Shown.REPRODUCED if all(kept) else shown, f"{arm}: {limit.text}: {texts}"


def _ratio(first: float, last: float) -> float:
    """How many times as much the last is; infinite of something where there was nothing before."""
    if first:
        return last / first
    return math.inf if last else 1.0
