"""What a VM may use of its hypervisor's SSD, and what an SSD has: the values that plans, agents and back-ends share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from froude.base.errors import InputError

MOST = 1 << 60
"""Largest amount of anything: more bytes than an SSD has, and exact as a floating-point number's integer part is not
needed."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one VM may use; None where there is no limit, or where a back-end does not control that."""

    cache_bytes: int | None = None
    """Space of its cache."""
    iops: int | None = None
    """Requests per second, reads and writes together."""
    bytes_per_s: int | None = None
    """Bandwidth, reads and writes together."""

    def __post_init__(self) -> None:
        for name in RESOURCES:
            value = getattr(self, name)
            least = 0 if name == "cache_bytes" else 1
            if value is not None and not least <= value <= MOST:
                raise InputError(
                    "is out of range", place=name, found=value, allowed=f"{least} to {MOST}, or none"
                )

    def plain(self) -> dict[str, int | None]:
        """As JSON takes it."""
        return {name: getattr(self, name) for name in RESOURCES}

    def taken(self, resource: str) -> int | None:
        """How much of a resource such a VM may take of its SSD; None for as much as there is.

        A VM without a limit of space has no cache there; one without a limit of requests may make any number.

        Args:
            resource: one of `RESOURCES`.
        """
        value: int | None = getattr(self, resource)
        return 0 if value is None and resource == "cache_bytes" else value


RESOURCES = tuple(each.name for each in fields(Limits))
"""The names of what can be limited, in one order everywhere."""


def read_limits(plain: Mapping[str, object], *, file: str) -> Limits:
    """Limits of what JSON gives.

    Args:
        plain: by name of `RESOURCES`; those that are absent or null are no limits.
        file: who said so, for errors.

    Raises:
        InputError: another name, or what is no whole number within the range.
    """
    values: dict[str, int | None] = {}
    for name, value in plain.items():
        if name not in RESOURCES:
            raise InputError("is not a limit", file=file, place=name, allowed=", ".join(RESOURCES))
        if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
            raise InputError("is no whole number", file=file, place=name, found=value)
        values[name] = value
    return Limits(**values)
