"""The answer of a search: how far a NameNode or a ResourceManager scales, in figures and words. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Annotated, ClassVar

from pydantic import ConfigDict, Field

from froude.base.summary import Summarised, counted
from froude.base.units import parse_quantity, seconds_text
from froude.documents.artifact import Origin
from froude.emulation.run.run import TARGET
from froude.emulation.run.summary import RunSummary
from froude.experiment.knee.limit import FULL, ComputedLimit, computed_limit, limit_text
from froude.experiment.knee.loads import SPEED
from froude.experiment.knee.scalability import Scalability, fit, scalability_text
from froude.experiment.knee.search import Outcome
from froude.experiment.knee.words import (
    bounds_text,
    broken_text,
    compiling_text,
    full_text,
    masked_text,
    once_text,
    others_text,
    quick_start_text,
    rate_of,
    rate_text,
    scheduling_text,
    slowest_of,
    unit_of,
)


class Status(Enum):
    """What a search came to."""

    FOUND = "found"
    """A load that is kept, and a slightly larger one that the target does not keep."""
    AT_LEAST = "at least"
    """The player, or other work on the machine, was the limit: the knee lies beyond."""
    OPEN = "open"
    """No limit broke up to the largest load that was asked for."""
    BELOW = "below"
    """The smallest load that was tried breaks a limit."""
    MASKED = "masked"
    """The player, or other work on the machine, was the limit at the first load already: nothing is known."""
    UNSETTLED = "unsettled"
    """It was ended, or came to its number of plays or its time, before its two sides were near enough."""


@dataclass(frozen=True, slots=True)
class Play:
    """One play of a search."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")
    level: float
    """Factor of the first load."""
    outcome: Outcome
    run: RunSummary
    others: float = 0.0
    """Cores that other work on the machine used, right before or after the play, whichever was more."""

    @property
    def load(self) -> str:
        """The load in words: what was raised, and to what."""
        scale = [f"{name}={value}" for name, value in self.run.scale.items()]
        return ", ".join([*scale, *([f"speed={self.run.speed:g}"] if self.run.speed != 1 else [])])


@dataclass(frozen=True, slots=True, repr=False)
class Knee(Summarised):
    """How far a NameNode, or a ResourceManager, scales."""

    raised: Annotated[tuple[Annotated[str, Field(min_length=1)], ...], Field(min_length=1)]
    """The Scale variables that were raised together, or `speed`."""
    limits: tuple[str, ...]
    """Every one that was to be kept: those asked for, and the defaults that stood."""
    plays: tuple[Play, ...]
    """In the order in which they were played."""
    status: Status
    low: float | None
    """Factor of the largest load that was kept."""
    high: float | None
    """Factor of the smallest that was not."""
    environment: Mapping[str, str] = field(default_factory=dict)
    interrupted: bool = False
    plan_remarks: tuple[str, ...] = ()
    """What stands against the plan of the largest load that was kept, or of the first, without forbidding it."""
    origin: Origin = field(default=Origin(), compare=False)
    """The command that found it and the hash of its workload, as far as they are known."""
    time_limit_s: Annotated[float, Field(gt=0)] | None = None
    """The time limit that ended the search, seconds; None where it did not."""
    once: str = ""
    """Why clients were played once at each load, and the way out; empty where further ones kept the load up."""
    cores: Annotated[int, Field(ge=1)] | None = None
    """Cores of another machine, for which the computed limit is scaled."""

    def at(self, level: float | None) -> tuple[Play, ...]:
        """The plays of one load."""
        return tuple(each for each in self.plays if each.level == level)

    @property
    def answer(self) -> str:
        """One sentence: up to which rate, what broke first, in how many plays, and who was the limit."""
        kept, high = self.at(self.low), self.at(self.high)
        upto, above = (_rate_text(plays) for plays in (kept, high))
        beyond = f"at {self.raised_text(high[-1])}, {broken_text(_runs(high))}" if high else ""
        match self.status:
            case Status.FOUND:
                keeps = "keep their" if " and " in self.target else "keeps its"
                return f"The {self.target} {keeps} limits up to {upto}; {beyond}."
            case Status.AT_LEAST:
                return f"At least {upto}: {beyond}."
            case Status.OPEN:
                why = (
                    "the player had no CPU left for more" if _is_full(kept) else "no limit broke up to there"
                )
                return f"At least {upto}: {why}."
            case Status.BELOW:
                return f"Less than {above}: already there, {broken_text(_runs(high))}."
            case Status.MASKED:
                reason = masked_text(high[-1].run, high[-1].others)
                return f"Not known, since {reason}: at {above}, {broken_text(_runs(high))}."
        known = f"at least {upto}" if upto else "no load was kept"
        way_out = " A longer `--time-limit` lets the search go on." if self.time_limit_s is not None else ""
        return f"{self.ending}: {known}{f'; {beyond}' if beyond else ''}.{way_out}"

    @property
    def ending(self) -> str:
        """What ended a search that is not settled, in a few words."""
        after = f"after {counted(len(self.plays), 'play')}"
        if self.interrupted:
            return f"Interrupted {after}"
        if self.time_limit_s is not None:
            return f"Ended by the time limit of {seconds_text(self.time_limit_s)} {after}"
        return f"Not settled {after}"

    @property
    def curve(self) -> tuple[Play, ...]:
        """Of each load, the smallest first, the play with the median p99."""
        levels = sorted({each.level for each in self.plays})
        return tuple(sorted(self.at(level), key=_p99_ms)[len(self.at(level)) // 2] for level in levels)

    @property
    def scalability(self) -> Scalability | None:
        """The Universal Scalability Law of loads that were kept up and show the target; None where there are too few."""
        plays = [] if self.once else [play for play in self.curve if play.outcome is not Outcome.UNCLEAR]
        return fit({self.size(play): rate_of(play.run) for play in plays})

    @property
    def bounds(self) -> Mapping[str, Play]:
        """By bound of p99, such as `10 ms`: the play of the largest load up to which every load stayed below it."""
        bounds_ms = _BOUNDS_MS if any(unit_of(play.run) == "calls/s" for play in self.curve) else _GRANTED_MS
        found = ((text, _last_below(self.curve, bound_ms)) for text, bound_ms in bounds_ms.items())
        return {text: play for text, play in found if play is not None}

    @property
    def target(self) -> str:
        """What was measured: `NameNode`, or what else the plays called."""
        return self.environment.get(TARGET, "NameNode")

    @property
    def confidence(self) -> str:
        """How many plays there were at either side, and in how many the limits were kept."""
        parts = []
        for level in (self.low, self.high):
            if plays := self.at(level):
                kept = sum(each.outcome is Outcome.KEPT for each in plays)
                parts.append(f"{kept} of {counted(len(plays), 'play')} at {self.raised_text(plays[-1])}")
        return f"limits kept in {', and in '.join(parts)}" if parts else ""

    @property
    def computed_limit(self) -> ComputedLimit | None:
        """What the target's cores would allow, next to the load that was kept; None without a base for it."""
        kept = self.at(self.low)
        limit = computed_limit(_runs(kept), _runs(self.plays))
        ended = self.high is None and not _is_full(
            kept
        )  # nothing kept it from more but the end of the search
        return replace(limit, cause=None) if limit is not None and ended else limit

    @property
    def remarks(self) -> tuple[str, ...]:
        """What keeps the answer from being read for more than it says; a sentence or two each."""
        kept, high = _runs(self.at(self.low)), _runs(self.at(self.high))
        several = any(len(run.daemons) > 1 for run in kept)
        obstacle = (
            "the cores have several daemons" if several else "clients were played once" if self.once else ""
        )
        bounds = {bound: (play.run, self.raised_text(play)) for bound, play in self.bounds.items()}
        texts = (
            once_text(self.once),
            bounds_text(bounds),
            scheduling_text(kept),
            full_text(high),
            limit_text(self.computed_limit, self.cores, obstacle=obstacle) if kept else "",
            scalability_text(self.scalability, self.raised[0]),
            compiling_text(kept or high),
            others_text([each.others for each in self.plays]),
            quick_start_text(self.environment),
        )
        return tuple(text for text in texts if text)

    def size(self, play: Play) -> float:
        """The load as a number: the first of what was raised; its factor where the play does not name that."""
        name, scale = self.raised[0], play.run.scale
        known = parse_quantity(scale[name]).value if name in scale else play.level
        return play.run.speed if name == SPEED else float(known)

    def raised_text(self, play: Play) -> str:
        """What was raised, and to what, in a play of this search."""
        scale = [f"{name}={play.run.scale[name]}" for name in self.raised if name in play.run.scale]
        return ", ".join([*scale, *([f"speed={play.run.speed:g}"] if SPEED in self.raised else [])])

    def summary(self) -> Mapping[str, str]:
        """The answer, what to keep in mind with it, how sure it is, and how many plays it took."""
        return {
            "answer": self.answer,
            "remarks": " ".join(self.remarks),
            "sure": self.confidence,
            "plays": str(len(self.plays)),
        }


_BOUNDS_MS = {"10 ms": 10.0, "100 ms": 100.0, "1 s": 1000.0}
"""Of p99, up to which a curve is read."""
_GRANTED_MS = {"0.1 s": 100.0, "1 s": 1000.0, "10 s": 10_000.0}
"""The same of p99 of allocation."""


def _rate_text(plays: Sequence[Play]) -> str:
    """The rate and the load of the plays of one level; empty without any."""
    return f"{rate_text(_runs(plays))} ({plays[-1].load})" if plays else ""


def _p99_ms(play: Play) -> float:
    """The 99th percentile by which a play is placed; infinite where its target failed, or nothing was measured."""
    _, p99_ms = slowest_of(play.run)
    return math.inf if play.run.failure is not None or p99_ms is None else p99_ms


def _last_below(plays: Sequence[Play], bound_ms: float) -> Play | None:
    """The last of the first plays whose p99 is below a bound; None where the first one's is not."""
    above = next((at for at, play in enumerate(plays) if _p99_ms(play) >= bound_ms), len(plays))
    return plays[above - 1] if above else None


def _is_full(plays: Sequence[Play]) -> bool:
    """Whether the player had no CPU left in the last of some plays."""
    return bool(plays) and (plays[-1].run.player_cpu_share or 0.0) >= FULL


def _runs(plays: Sequence[Play]) -> list[RunSummary]:
    return [each.run for each in plays]
