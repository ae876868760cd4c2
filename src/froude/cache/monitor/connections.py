"""Bytes by peer, out of looks at the connections that are open: what one has carried between two looks is added up.

A connection that has ended between two looks is not seen to its end, and one that began and ended in between is not
seen at all: totals are what was seen, and a little less than what was.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from froude.cache.monitor.messages import PeerSample

_MOST_PEERS = 5000
"""Addresses remembered; the ones after it are summed up under one name."""
OTHERS = "others"


@dataclass(frozen=True, slots=True)
class Connection:
    """One open connection at one moment."""

    key: str
    """Tells it from all others of its time."""
    peer: str
    """Address of the other end."""
    incoming: bool
    """Whether it was made to a server here."""
    role: str
    """Of the process here; empty where it has none."""
    sent_bytes: int
    received_bytes: int


class PeerTotals:
    """What was exchanged with each peer so far."""

    def __init__(self) -> None:
        """Nothing was seen yet."""
        self._open: dict[str, tuple[int, int]] = {}
        self._totals: dict[tuple[str, bool, str], list[int]] = {}

    def look(self, connections: Iterable[Connection]) -> None:
        """Take a look; what connections had carried before the first one counts as well, once."""
        seen: dict[str, tuple[int, int]] = {}
        for each in connections:
            sent, received = self._open.get(each.key, (0, 0))
            seen[each.key] = (each.sent_bytes, each.received_bytes)
            who = (each.peer, each.incoming, each.role)
            if who not in self._totals and len(self._totals) >= _MOST_PEERS:
                who = (OTHERS, False, "")
            totals = self._totals.setdefault(who, [0, 0])
            # A key that is used again, by a connection of which the end was not seen, begins below what was.
            totals[0] += each.sent_bytes - sent if each.sent_bytes >= sent else each.sent_bytes
            totals[1] += (
                each.received_bytes - received if each.received_bytes >= received else each.received_bytes
            )
        self._open = seen

    def peers(self) -> tuple[PeerSample, ...]:
        """Totals by peer, direction and role."""
        return tuple(
            PeerSample(address=peer, incoming=incoming, role=role, sent_bytes=sent, received_bytes=received)
            for (peer, incoming, role), (sent, received) in sorted(self._totals.items())
        )
