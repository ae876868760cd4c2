"""Which runs may be compared: of one load, whole, and limited by nothing but the target."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from froude.base.errors import InputError
from froude.emulation.run.bottleneck import LimitedBy
from froude.emulation.run.run import Run

ARMS = ("baseline", "candidate")
_MACHINE = ("cores", "memory", "system", "cores of the target")
"""What of an environment is the machine's, and no choice of who compares."""
_LIMITS = {
    LimitedBy.PLAYER: "the player was the limit: its latencies are Froude's own",
    LimitedBy.MACHINE: "other work kept the machine busy",
}
LIMITED = frozenset(_LIMITS.values())
"""Why a run is left out that may count where it is asked for."""
LOAD: Mapping[str, Callable[[Run], object]] = {
    "plan": lambda run: ", ".join(each[:12] for each in run.inputs),
    "scale": lambda run: ", ".join(f"{name}={value}" for name, value in run.scale.items()),
    "nodes": lambda run: ", ".join(f"{name}={count}" for name, count in run.nodes.items()),
    "pacing": lambda run: run.pacing,
    "speed": lambda run: f"{run.speed:g}",
}
"""What makes a load; runs that differ in one of these did different things."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A run with the name by which it is spoken of."""

    name: str
    run: Run


@dataclass(frozen=True, slots=True)
class Chosen:
    """The runs that are compared."""

    baseline: tuple[Sample, ...]
    candidate: tuple[Sample, ...]
    left_out: Mapping[str, str]
    interleaved: bool
    """Whether runs of both arms were made in turns, one of each after another."""


def choose(baseline: Sequence[Sample], candidate: Sequence[Sample], *, limited: bool = False) -> Chosen:
    """The runs of two arms that can be compared.

    Args:
        limited: whether runs that player or machine limited count as well.

    Raises:
        InputError: an arm without a run, the same run twice, or runs of different loads.
    """
    for arm, samples in zip(ARMS, (baseline, candidate), strict=True):
        if not samples:
            raise InputError("has no run", place=f"--{arm}", allowed="one run or more")
    everything = [*baseline, *candidate]
    _refuse_repeated(everything)
    _refuse_other_loads(everything)
    reasons = {each.name: why for each in everything if (why := unusable(each.run, limited=limited))}
    rounds = in_turns(baseline, candidate)
    kept = [
        tuple(each for each in sorted(arm, key=_begun) if each.name not in reasons)
        for arm in (baseline, candidate)
    ]
    return Chosen(kept[0], kept[1], reasons, interleaved=bool(rounds))


def unusable(run: Run, *, limited: bool = False) -> str:
    """Why a run's figures are none of the target's under this load; empty where they are.

    Args:
        limited: whether it may have been limited by player or machine.
    """
    if run.failure is not None:
        return f"it failed: {run.failure}"
    if run.interrupted:
        return "it was interrupted"
    if run.steady_from_s is None:
        return "not every emulated daemon had started before its end"
    return "" if limited else _LIMITS.get(run.bottleneck.by, "")


def in_turns(baseline: Sequence[Sample], candidate: Sequence[Sample]) -> list[tuple[Sample, Sample]]:
    """The pairs of runs that were made next to each other, oldest first; empty where they were not made in turns."""
    first = {id(each) for each in baseline}
    ordered = sorted([*baseline, *candidate], key=_begun)
    pairs = list(zip(ordered[::2], ordered[1::2], strict=False))
    if len(baseline) != len(candidate) or len(baseline) < 2:
        return []
    if any((id(a) in first) == (id(b) in first) for a, b in pairs):
        return []
    return [(a, b) if id(a) in first else (b, a) for a, b in pairs]


def remarks_on(chosen: Chosen, *, limited: bool) -> Iterator[str]:
    """What is to be kept in mind with a comparison of these runs.

    Args:
        limited: whether runs that player or machine limited were to count as well.
    """
    if not chosen.interleaved and chosen.baseline and chosen.candidate:
        yield (
            "The runs of the two arms were not made in turns: a drift of the machine would look like a difference"
        )
    arms = (chosen.baseline, chosen.candidate)
    for arm, samples in zip(ARMS, arms, strict=True):
        if len({each.run.target_id for each in samples}) < len(samples):
            yield (
                f"Several runs of the {arm} were made on one target, which may not have been the same at each: "
                "runs on daemons of their own are independent"
            )
        marked = [each.name for each in samples if each.run.bottleneck.by in _LIMITS]
        if limited and marked:
            yield f"Player or machine limited runs of the {arm}: {', '.join(marked)}"
    machines = [each for each in environments(chosen) if each[0] in _MACHINE]
    for name, *values in machines:
        yield f"Not on one kind of machine: {name} {values[0]} of the baseline, {values[1]} of the candidate"


def environments(chosen: Chosen) -> list[tuple[str, str, str]]:
    """What the arms ran on, where it differs: name, baseline's and candidate's."""
    arms = [[each.run.environment for each in arm] for arm in (chosen.baseline, chosen.candidate)]
    names = dict.fromkeys(name for arm in arms for environment in arm for name in environment)
    rows = []
    for name in names:
        texts = [
            " or ".join(dict.fromkeys(environment.get(name, "unknown") for environment in arm))
            for arm in arms
        ]
        if texts[0] != texts[1]:
            rows.append((name, texts[0], texts[1]))
    return rows


def _begun(sample: Sample) -> float:
    return sample.run.begun_at_s


def _refuse_repeated(samples: Sequence[Sample]) -> None:
    ordered = sorted(samples, key=lambda each: (_begun(each), each.run.target_id))
    for one, next_ in pairwise(ordered):
        if (_begun(one), one.run.target_id) == (_begun(next_), next_.run.target_id):
            raise InputError(
                "is given twice, and a run counts once", file=next_.name, found=one.name, allowed="other runs"
            )


def _refuse_other_loads(samples: Sequence[Sample]) -> None:
    first = samples[0]
    for name, value in LOAD.items():
        for each in samples[1:]:
            wanted, found = value(first.run), value(each.run)
            if wanted != found and "" not in {wanted, found}:
                raise InputError(
                    f"did something else than {first.name}, and cannot be compared with it",
                    file=each.name,
                    place=name,
                    found=found,
                    allowed=str(wanted),
                )
