"""What a policy says of one VM, before it is rounded, capped and compared with what the VM has."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Share:
    """What a VM would get."""

    size_bytes: int
    """Of its own cache; of one that is shared, what it will hold."""
    reason: str
    """Why, without a full stop."""
    iops_weight: float | None
    """How much its IOPS count beside others'; None where they are not split."""
