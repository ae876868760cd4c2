"""Limits that a run must keep, in words that a command line takes: `p99(addBlock) < 50 ms`, `error_rate < 1 %`."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from froude.base.errors import InputError
from froude.base.units import Quantity, parse_quantity
from froude.emulation.run.verdict import LimitResult

if TYPE_CHECKING:
    from froude.emulation.facts import PlanFacts
    from froude.emulation.run.run import Run

_FORM = re.compile(r"\s*(\w+)\s*+(?:\(\s*([\w$.]*)\s*\))?\s*+(<=|>=|<|>)\s*(.+?)\s*")
_COMPARED: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_PLACE = "--limit"
ALLOCATION = "allocation_p99"
"""The measure of how long a ResourceManager takes to grant a container."""

DEFAULT_LIMITS = ("p99 < 1 s", "error_rate < 1 %", "datanodes_lost < 1")
"""What a load on a NameNode must keep where nothing else is asked of the same measure."""
YARN_LIMITS = ("p99 < 1 s", "error_rate < 1 %", "allocation_p99 < 1 s", "nodemanagers_lost < 1")
"""The same of a ResourceManager."""


class Unit(Enum):
    """What a measure counts in."""

    SECONDS = "s"
    SHARE = "share"
    """0 to 1; written as a percentage, too."""
    NUMBER = ""


class Need(Enum):
    """What a plan must do so that a play of it has a value of a measure; the text completes `needs a plan that`."""

    CONTAINERS = "asks a ResourceManager for containers"
    DATANODES = "emulates DataNodes, which a NameNode can lose"
    RESOURCEMANAGER = "calls a ResourceManager"

    def met(self, facts: PlanFacts) -> bool:
        """Whether a plan does it.

        Args:
            facts: of the plan.
        """
        match self:
            case Need.CONTAINERS:
                return "allocate" in facts.methods
            case Need.DATANODES:
                return "registerDatanode" in facts.methods
            case Need.RESOURCEMANAGER:
                return "resourcemanager" in facts.daemons


@dataclass(frozen=True, slots=True)
class Measure:
    """Something that a limit can be set to."""

    unit: Unit
    what: str
    of: Callable[[Run, str | None], float | None]
    """Its value in a run, of a method or of all; None where nobody knows it."""
    by_method: bool = False
    """Whether it is known method by method."""
    needs: Need | None = None
    """What a plan must do so that a play of it has a value; None where any plan will do."""

    def possible(self, facts: PlanFacts) -> bool:
        """Whether a play of a plan can have a value.

        Args:
            facts: of the plan.
        """
        return self.needs is None or self.needs.met(facts)


@dataclass(frozen=True, slots=True)
class Limit:
    """One condition on a run."""

    text: str
    measure: str
    method: str | None
    compare: str
    """`<`, `<=`, `>` or `>=`."""
    bound: float
    """In the measure's unit."""
    place: str = _PLACE
    """The flag that gave it, for errors."""

    @property
    def unit(self) -> Unit:
        """What its bound counts in."""
        return MEASURES[self.measure].unit

    def check(self, run: Run) -> LimitResult:
        """Hold it against a run."""
        measure = MEASURES[self.measure]
        value = measure.of(run, self.method)
        return LimitResult(self.text, value, measure.unit.value, value is not None and self.met(value))

    def met(self, value: float) -> bool:
        """Whether a value of its measure is within it."""
        return _COMPARED[self.compare](value, self.bound)


def parse_limit(text: str, place: str = _PLACE, *, ratio: bool = False) -> Limit:
    """Read a limit.

    Args:
        text: a measure, for some with a method in brackets, a comparison and a value with its unit.
        place: the flag that gave it, for errors.
        ratio: whether its bound is on how many times another value a measure is, a plain number.

    Raises:
        InputError: of another form, an unknown measure, a value of another unit, or one that no run can be at.
    """
    match = _FORM.fullmatch(text)
    if match is None:
        allowed = "such as 'p99(addBlock) < 50 ms' or 'error_rate < 1 %'"
        raise InputError("is no limit", place=place, found=text, allowed=allowed)
    name, method, compare, value = match.groups()
    measure = MEASURES.get(name)
    if measure is None:
        raise InputError("is no measure", place=place, found=name, allowed=MEASURES)
    if method and not measure.by_method:
        allowed = ", ".join(name for name, each in MEASURES.items() if each.by_method)
        raise InputError("is not known by method", place=place, found=name, allowed=allowed)
    unit = Unit.NUMBER if ratio else measure.unit
    bound = _bound(value, unit, place)
    _check_possible(text, compare, bound, unit, place)
    return Limit(text.strip(), name, method or None, compare, bound, place)


def with_defaults(given: Sequence[str], facts: PlanFacts) -> tuple[str, ...]:
    """The limits that are given, and each default whose measure none of them is about.

    `DEFAULT_LIMITS` are those of a plan that calls a NameNode, `YARN_LIMITS` of one that calls a ResourceManager; a
    default on a measure that the plan cannot have, such as allocation where nothing asks for containers, is left out.

    A limit of one method leaves that of all methods as it is. What nothing can break, such as `error_rate <= 100 %`,
    takes the place of a default that is not wanted.

    Args:
        given: limits, as `parse_limit` reads them.
        facts: of the plan that is played.

    Raises:
        InputError: as `parse_limit`.
    """
    of_daemons = {"namenode": DEFAULT_LIMITS, "resourcemanager": YARN_LIMITS}
    texts = dict.fromkeys(text for daemon in facts.daemons for text in of_daemons[daemon])
    asked = [parse_limit(text) for text in given]
    about = {(limit.measure, limit.method) for limit in asked}
    defaults = [limit for limit in map(parse_limit, texts) if MEASURES[limit.measure].possible(facts)]
    stay = [limit for limit in defaults if (limit.measure, limit.method) not in about]
    return tuple(limit.text for limit in (*asked, *stay))


def check_limits(limits: Iterable[Limit], facts: PlanFacts) -> None:
    """Refuse a limit on what no play of a plan can have: its value would be unknown, and the limit always broken.

    Args:
        limits: as `parse_limit` reads them.
        facts: of the plan that is played.

    Raises:
        InputError: naming a measure and what it needs, or a method that is never called and those that are.
    """
    for limit in limits:
        need = MEASURES[limit.measure].needs
        if need is not None and not need.met(facts):
            message = f"needs a plan that {need.value}; this one does not"
            allowed = ", ".join(name for name, each in MEASURES.items() if each.possible(facts))
            raise InputError(message, place=limit.place, found=limit.measure, allowed=allowed)
        if limit.method is not None and limit.method not in facts.methods:
            message = "is a method that the plan never calls"
            raise InputError(message, place=limit.place, found=limit.method, allowed=sorted(facts.methods))


def _check_possible(text: str, compare: str, bound: float, unit: Unit, place: str) -> None:
    """Refuse what says nothing of a run: no measure is below zero, no share above one."""
    if bound < 0 or (bound == 0 and compare == "<"):
        allowed = "a value above zero" if compare == "<" else "zero or above"
        raise InputError("can never be kept or broken", place=place, found=text, allowed=allowed)
    if unit is Unit.SHARE and (bound > 1 or (bound == 1 and compare == ">")):
        allowed = "below 100 %" if compare == ">" else "at most 100 %"
        raise InputError("can never be kept or broken", place=place, found=text, allowed=allowed)


def _bound(text: str, unit: Unit, place: str) -> float:
    if unit is Unit.SHARE and text.endswith("%"):
        quantity, factor = parse_quantity(text.removesuffix("%").strip(), place=place), 0.01
    else:
        quantity, factor = parse_quantity(text, place=place), 1.0
    wanted = "s" if unit is Unit.SECONDS else ""
    if quantity.unit != wanted:
        allowed = {Unit.SECONDS: "a time, such as 50 ms", Unit.SHARE: "a share, such as 1 % or 0.01"}
        raise InputError(
            "is of another unit", place=place, found=text, allowed=allowed.get(unit, "a plain number")
        )
    return float(Quantity(quantity.value).value) * factor


def _quantile(name: str) -> Callable[[Run, str | None], float | None]:
    def value(run: Run, method: str | None) -> float | None:
        if method is not None and method not in run.counts:
            return None
        latency = run.latency(method)
        return float(getattr(latency, name)) / 1e3 if latency.count else None

    return value


def _failed(run: Run, method: str | None) -> float | None:
    if method is not None and method not in run.counts:
        return None
    return float(run.failed.total() if method is None else run.failed[method])


def _error_rate(run: Run, method: str | None) -> float | None:
    failed = _failed(run, method)
    sent = sum(n for n, _ in run.counts.values()) if method is None else run.counts.get(method, (0, 0))[0]
    return None if failed is None or not sent else failed / sent


MEASURES: Mapping[str, Measure] = {
    **{
        name: Measure(Unit.SECONDS, what, _quantile(f"{name}_ms"), by_method=True)
        for name, what in (
            ("p50", "median latency"),
            ("p90", "90th percentile of latency"),
            ("p99", "99th percentile of latency"),
            ("p999", "99.9th percentile of latency"),
            ("max", "longest latency"),
        )
    },
    "error_rate": Measure(Unit.SHARE, "share of calls that failed", _error_rate, by_method=True),
    "errors": Measure(Unit.NUMBER, "calls that failed", _failed, by_method=True),
    "left_out": Measure(Unit.NUMBER, "calls never sent", lambda run, _: float(sum(run.left_out.values()))),
    "lateness": Measure(
        Unit.SECONDS,
        "99th percentile of how late calls were sent",
        lambda run, _: run.lateness.p99_ms / 1e3 if run.lateness.count else None,
    ),
    "calls_per_s": Measure(
        Unit.NUMBER,
        "answered calls in a second",
        lambda run, method: run.throughput(method) if method is None or method in run.counts else None,
        by_method=True,
    ),
    "allocation_p50": Measure(
        Unit.SECONDS,
        "median time until a container was granted",
        lambda run, _: run.allocation.seconds("p50_ms"),
        needs=Need.CONTAINERS,
    ),
    ALLOCATION: Measure(
        Unit.SECONDS,
        "99th percentile of it",
        lambda run, _: run.allocation.seconds("p99_ms"),
        needs=Need.CONTAINERS,
    ),
    "containers_per_s": Measure(
        Unit.NUMBER,
        "containers granted in a second",
        lambda run, _: run.containers_per_s,
        needs=Need.CONTAINERS,
    ),
    "datanodes_lost": Measure(
        Unit.NUMBER,
        "DataNodes of the play that the NameNode lost",
        lambda run, _: run.datanodes_lost,
        needs=Need.DATANODES,
    ),
    "nodemanagers_lost": Measure(
        Unit.NUMBER,
        "NodeManagers that the ResourceManager lost or sent away",
        lambda run, _: run.nodemanagers_lost,
        needs=Need.RESOURCEMANAGER,
    ),
    "call_queue": Measure(Unit.NUMBER, "most calls that waited for a handler", lambda run, _: run.call_queue),
}
"""What a limit can be set to, by name."""
