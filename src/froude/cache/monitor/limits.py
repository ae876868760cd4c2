"""What a VM may use of its hypervisor's SSD, and what an SSD has: the values that plans, agents and back-ends share."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, ClassVar

from pydantic import ConfigDict, Field

from froude.base.errors import InputError

MOST = 1 << 60
"""Largest amount of anything: more bytes than an SSD has, and exact as a floating-point number's integer part is not
needed."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one VM may use; None where there is no limit, or where a back-end does not control that."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=False)
    cache_bytes: Annotated[int, Field(ge=0, le=MOST, strict=True)] | None = None
    """Space of its cache."""
    iops: Annotated[int, Field(ge=1, le=MOST, strict=True)] | None = None
    """Requests per second, reads and writes together."""
    bytes_per_s: Annotated[int, Field(ge=1, le=MOST, strict=True)] | None = None
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
