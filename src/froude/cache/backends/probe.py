"""Whether a back-end really limits: a load is measured without a cap, then under one, and the cap is read back.

"Accepted" is not "in force": a weight that a scheduler ignores is accepted, and so is a cap on a path that nobody uses.
"""

from __future__ import annotations

from collections.abc import Sequence

from froude.base.errors import FroudeError
from froude.cache.backends.types import Backend, Finding, Load, Verdict
from froude.cache.monitor.limits import Limits

TOLERANCE = 1.25
"""How much faster than its cap a load may seem: buckets that start full, and a short look."""
_SHARE = 0.25
"""Of the free rate that a probe's cap is: far enough below to tell from noise."""
_TRIES = 3
"""How often what was in force is set again before that is given up."""
_FEWEST = 20
"""Least requests per second of a probe's cap: fewer are not counted well within its time."""


def probe(backend: Backend, load: Load, resource: str, *, seconds: float = 1.0) -> Finding:
    """Measure whether a back-end holds a load at a cap; what was in force before is in force again after.

    Args:
        resource: `iops` or `bytes_per_s`.
        seconds: how long each of the two looks is.

    Returns:
        What was found; never an error: a back-end that refuses is a finding.
    """
    try:
        before = backend.read_back()
    except FroudeError as error:  # it may be started later
        return Finding(backend.name, resource, Verdict.UNTESTED, note=str(error))
    try:
        found = _tried(backend, load, resource, before, seconds)
    except FroudeError as error:
        found = Finding(backend.name, resource, Verdict.REFUSED, note=str(error))
    finally:
        why = _restored(backend, before)
    if resource == "bytes_per_s" and before.bytes_per_s is not None:  # perhaps of a probe that was killed
        found = found.noted(
            f"a cap of {before.bytes_per_s:,} B/s was in force, which no plan of ours sets or lifts"
        )
    return found.noted(why)


def judged(backend: str, resource: str, cap: int, rate: float, *, wanted_more: bool) -> Finding:
    """What a rate that was seen under a cap says of it.

    Args:
        cap: in force while it was measured.
        wanted_more: whether the load is known to have asked for more than the cap.
    """
    if rate > cap * TOLERANCE:
        return Finding(backend, resource, Verdict.IGNORED, cap, held_rate=rate)
    # A load that stays just below its cap was held there; one that is far below may not have asked for more.
    held = wanted_more or rate > cap / TOLERANCE
    return Finding(backend, resource, Verdict.HOLDS if held else Verdict.UNMEASURED, cap, held_rate=rate)


def choose(findings: Sequence[Finding], resource: str) -> str | None:
    """The back-end to limit a resource by: the first one that was seen to hold, else the first that may.

    Args:
        findings: of all back-ends of a VM, the preferred one first.

    Returns:
        Its name; None where none can.
    """
    for verdict in (Verdict.HOLDS, Verdict.UNMEASURED, Verdict.UNTESTED):
        for each in findings:
            if each.resource == resource and each.verdict is verdict:
                return each.backend
    return None


def _tried(backend: Backend, load: Load, resource: str, before: Limits, seconds: float) -> Finding:
    free_of = {**before.plain(), resource: None}
    backend.apply(Limits(**free_of))
    free = load.rate(seconds).of(resource)
    least = _FEWEST if resource == "iops" else _FEWEST * 4096
    cap = max(least, round(free * _SHARE))
    backend.apply(Limits(**{**free_of, resource: cap}))
    told = getattr(backend.read_back(), resource)
    if told is None or abs(told - cap) > 0.01 * cap:
        return Finding(backend.name, resource, Verdict.REFUSED, cap, free, note=f"reads back as {told}")
    held = load.rate(seconds).of(resource)
    found = judged(backend.name, resource, cap, held, wanted_more=free > cap * TOLERANCE)
    return Finding(backend.name, resource, found.verdict, cap, free, held)


def _restored(backend: Backend, before: Limits) -> str:
    """Set again what was in force; empty, or why the probe's own cap may still be."""
    why = ""
    for _ in range(_TRIES):
        try:
            backend.apply(before)
        except FroudeError as error:
            why = (
                f"what was in force before could not be set again, the cap of the probe may still be: {error}"
            )
        else:
            return ""
    return why
