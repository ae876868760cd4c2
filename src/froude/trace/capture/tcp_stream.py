"""One direction of a TCP connection: segments in any order in, its bytes in order out.

What was given out once is never taken back: of bytes that come twice, the first copy counts, as a receiver that has
read them already would have it. Bytes behind a hole are held until the hole is filled. Sequence numbers wrap around
after 4 GiB; each is taken as the place nearest to what is expected.

Source: RFC 9293, 3.4; compared with gopacket's `reassembly` and Zeek's `TCP_Reassembler`. Neither acknowledgements
nor times decide that a hole stays: a capture may show them before the bytes they speak of. The bound that the caller
sets to `held_bytes` decides, and the end of the connection.
"""

from __future__ import annotations

import heapq

_WRAP = 1 << 32
_OVERHEAD = 128
"""Bytes of memory that a held segment costs beside its payload, about."""


class Stream:
    """Puts one direction in order.

    Args:
        first: sequence number of its first byte.
    """

    __slots__ = ("_ends_at", "_held", "_next", "_order", "held_bytes")

    def __init__(self, first: int) -> None:
        self._next = first
        """Place of the next byte: a sequence number that never wraps."""
        self._held: dict[int, bytes] = {}
        self._order: list[int] = []
        self._ends_at: int | None = None
        self.held_bytes = 0
        """Memory that bytes behind a hole take, about."""

    @property
    def ended(self) -> bool:
        """Whether every byte up to its end was given out."""
        return self._ends_at is not None and self._next >= self._ends_at

    @property
    def missing_bytes(self) -> int:
        """Bytes from the first hole on, as far as they are known: those of holes, and those held behind them."""
        ends = [place + len(data) for place, data in self._held.items()]
        return max(self._next, self._next if self._ends_at is None else self._ends_at, *ends) - self._next

    @property
    def next(self) -> int:
        """The place of the next byte that it will give out; one further behind the end, as its receiver acknowledges."""
        return self._next + self.ended

    def place(self, sequence: int) -> int:
        """Where in the stream a sequence number stands: the place nearest to the next."""
        return self._next + ((sequence - self._next + (_WRAP >> 1)) % _WRAP) - (_WRAP >> 1)

    def take(self, sequence: int, payload: bytes, *, fin: bool = False) -> bytes:
        """Take one segment; the bytes that it brings in line, often its own.

        Args:
            sequence: of the first byte of `payload`.
            payload: its bytes.
            fin: whether the direction ends behind them.
        """
        place = self.place(sequence)
        if fin and self._ends_at is None:
            self._ends_at = place + len(payload)
        if place > self._next:
            self._hold(place, payload)
            return b""
        if place < self._next:
            payload = payload[self._next - place :]
        self._next += len(payload)
        return payload + self._release() if self._order and payload else payload

    def clear(self) -> None:
        """Let go of what is held."""
        self._held.clear()
        self._order.clear()
        self.held_bytes = 0

    def _hold(self, place: int, payload: bytes) -> None:
        before = self._held.get(place)
        if before is None and payload:
            heapq.heappush(self._order, place)
            self.held_bytes += len(payload) + _OVERHEAD
        elif before is not None and len(payload) > len(before):
            self.held_bytes += len(payload) - len(before)
        else:
            return
        self._held[place] = payload

    def _release(self) -> bytes:
        """The held bytes that are in line now."""
        pieces: list[bytes] = []
        while self._order and self._order[0] <= self._next:
            place = heapq.heappop(self._order)
            held = self._held.pop(place)
            self.held_bytes -= len(held) + _OVERHEAD
            piece = held[self._next - place :]
            self._next += len(piece)
            pieces.append(piece)
        return b"".join(pieces)
