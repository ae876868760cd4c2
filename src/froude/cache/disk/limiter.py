"""How many requests and bytes a second are let through: two token buckets, without a clock."""

from __future__ import annotations

from froude.cache.disk.status import Limits

_DEPTH_S = 0.1
"""How much of a second may be let through at once after a pause."""
_ROUNDING_S = 1e-6
"""Less than this is not waited for: a clock might not get on by it."""


class _Bucket:
    """Fills at a rate; a request goes when the bucket has what it costs, or is full, and may leave a debt."""

    __slots__ = ("_at_s", "_depth", "_level", "_rate")

    def __init__(self, rate: float, now_s: float) -> None:
        self._rate = rate
        self._depth = max(1.0, rate * _DEPTH_S)
        self._level = self._depth
        self._at_s = now_s

    def wait_s(self, cost: float, now_s: float) -> float:
        """Seconds until a request may go; 0 for now."""
        self._level = min(self._depth, self._level + (now_s - self._at_s) * self._rate)
        self._at_s = now_s
        wait = (min(cost, self._depth) - self._level) / self._rate
        return wait if wait > _ROUNDING_S else 0.0

    def take(self, cost: float) -> None:
        """A request goes."""
        self._level -= cost


class Limiter:
    """Lets requests through as limits allow.

    Args:
        now_s: seconds, from anywhere.
    """

    __slots__ = ("_bytes", "_requests", "limits")

    def __init__(self, limits: Limits, now_s: float) -> None:
        self.limits = limits
        self._requests = None if limits.iops is None else _Bucket(limits.iops, now_s)
        self._bytes = None if limits.bytes_per_s is None else _Bucket(limits.bytes_per_s, now_s)

    @property
    def free(self) -> bool:
        """Whether nothing is limited."""
        return self._requests is None and self._bytes is None

    def wait_s(self, size_bytes: int, now_s: float) -> float:
        """Let a request through, if it may go now.

        Args:
            size_bytes: what it reads or writes; 0 where it moves no bytes.
            now_s: seconds; never before an earlier one.

        Returns:
            0 if it went; else after how many seconds to try again.
        """
        wait = 0.0 if self._requests is None else self._requests.wait_s(1.0, now_s)
        if self._bytes is not None:
            wait = max(wait, self._bytes.wait_s(size_bytes, now_s))
        if wait == 0.0:
            if self._requests is not None:
                self._requests.take(1.0)
            if self._bytes is not None:
                self._bytes.take(size_bytes)
        return wait
