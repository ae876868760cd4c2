"""Calls whose period is longer than a recording: the properties that lower it, and what a Trace notes of that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from froude.base.errors import InputError
from froude.trace.lowered import LoweredInterval


@dataclass(frozen=True, slots=True)
class Lowerable:
    """How the interval of one call is set."""

    key: str
    usual_s: float
    """Seconds between two calls by Hadoop's own default."""
    unit_s: float = 1e-3
    """Seconds of the interval that the property's number 1 stands for."""
    longest_s: float = float("inf")
    """Longer than this the property does not make it."""


LOWERABLE: Mapping[str, Lowerable] = {
    "blockReport": Lowerable("dfs.blockreport.intervalMsec", 21_600.0),
    # LeaseRenewer: half of the RPC timeout, where that is less than half of HdfsConstants.LEASE_SOFTLIMIT_PERIOD.
    "renewLease": Lowerable("ipc.client.rpc-timeout.ms", 30.0, unit_s=0.5e-3, longest_s=30.0),
}
"""By method."""


def lowered(
    intervals: Mapping[str, float], properties: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """The properties of a recording with lowered intervals, and the notes that say so.

    Args:
        intervals: seconds by method.
        properties: what is configured otherwise; an interval there is the real one.

    Raises:
        InputError: a method whose interval cannot be lowered, or one that is not shorter than the real one.
    """
    set_by, notes = dict(properties), {}
    for method, every_s in intervals.items():
        known = LOWERABLE.get(method)
        if known is None:
            raise InputError(
                "has no interval that can be set",
                place="intervals",
                found=method,
                allowed=LOWERABLE,
            )
        usual_s = known.usual_s
        if known.key in properties:
            usual_s = min(_number(known.key, properties[known.key]) * known.unit_s, known.longest_s)
        if every_s >= usual_s:
            raise InputError(
                "is not lower than the real interval",
                place=f"intervals.{method}",
                found=f"{every_s:g} s",
                allowed=f"less than {usual_s:g} s",
            )
        set_by[known.key] = str(max(1, round(every_s / known.unit_s)))
        name, note = LoweredInterval(method, usual_s, every_s).note
        notes[name] = note
    return set_by, notes


def _number(key: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise InputError("is no number", place=key, found=text, allowed="milliseconds") from error
