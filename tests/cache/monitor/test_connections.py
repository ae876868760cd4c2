"""Bytes by peer, out of looks at open connections."""

from __future__ import annotations

from froude.cache.monitor.connections import OTHERS, Connection, PeerTotals


def _open(key: str, sent: int, received: int, peer: str = "10.0.0.2", role: str = "DataNode") -> Connection:
    return Connection(key, peer, incoming=False, role=role, sent_bytes=sent, received_bytes=received)


def _totals(totals: PeerTotals) -> list[tuple[str, str, int, int]]:
    return [(each.address, each.role, each.sent_bytes, each.received_bytes) for each in totals.peers()]


def test_growth_is_added_up() -> None:
    """What one had carried before counts once, then what it grew by; one that has ended stays counted."""
    totals = PeerTotals()
    totals.look([_open("a", 100, 10)])
    totals.look([_open("a", 150, 10), _open("b", 7, 0)])
    totals.look([_open("b", 9, 0)])
    assert _totals(totals) == [("10.0.0.2", "DataNode", 159, 10)]


def test_a_key_that_is_used_again() -> None:
    """A port that a new connection got begins at nothing: no total falls."""
    totals = PeerTotals()
    totals.look([_open("a", 100, 10)])
    totals.look([_open("a", 5, 50)])
    assert _totals(totals) == [("10.0.0.2", "DataNode", 105, 50)]


def test_peers_and_roles_apart() -> None:
    """By whom, by which process here."""
    totals = PeerTotals()
    totals.look([_open("a", 1, 0), _open("b", 2, 0, peer="10.0.0.3"), _open("c", 3, 0, role="")])
    assert _totals(totals) == [
        ("10.0.0.2", "", 3, 0),
        ("10.0.0.2", "DataNode", 1, 0),
        ("10.0.0.3", "DataNode", 2, 0),
    ]


def test_very_many_peers() -> None:
    """Those beyond the bound are one."""
    totals = PeerTotals()
    totals.look([_open(str(n), 1, 0, peer=f"10.{n >> 8}.{n & 255}.1") for n in range(5010)])
    by_peer = {each.address: each.sent_bytes for each in totals.peers()}
    assert by_peer[OTHERS] == 10
    assert len(by_peer) == 5001
