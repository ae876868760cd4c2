"""Calls of real time that keep something open, as a lease while files are written (`knowledge.LIFETIMES`)."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from froude.mining.read.knowledge import LIFETIMES, Lifetime
from froude.mining.shape.structure import MinedType
from froude.workload.types import CallTemplate, Flow, Periodic, Side, Which


def opened_and_closed(mined: MinedType, method: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Ids of the steps of a type that begin and end what a call of real time keeps open; empty where nothing begins."""
    lifetime = LIFETIMES.get(method)
    opened_by = () if lifetime is None else _steps_of(mined, lifetime, lifetime.opens)
    return opened_by, () if lifetime is None or not opened_by else _steps_of(mined, lifetime, lifetime.closes)


def never_due(mined: MinedType, recorded: Collection[str]) -> Iterator[Periodic]:
    """Calls of real time that the steps of a type ask for, if it lives long enough: no short run shows them.

    Args:
        recorded: methods of its calls of real time that were recorded, and are left out.
    """
    if mined.role.emulated:
        return
    for number, (method, lifetime) in enumerate(sorted(LIFETIMES.items()), len(recorded) + 1):
        opening = next((t for t in mined.automaton.tokens if _is_one(t, lifetime, lifetime.opens)), None)
        if opening is None or method in recorded:
            continue
        opened_by, closed_by = opened_and_closed(mined, method)
        copies = {leaf: Flow(opened_by[0], Side.REQUEST, leaf, Which.LAST) for leaf in lifetime.copied}
        protocol = str(opening[0]) if isinstance(opening, tuple) else ""
        call = CallTemplate(f"{mined.name}.p{number}", protocol, method, copies)
        yield Periodic(call, lifetime.every_s, opened_by=opened_by, closed_by=closed_by)


def _steps_of(mined: MinedType, lifetime: Lifetime, methods: frozenset[str]) -> tuple[str, ...]:
    """Ids of the steps of a type that call one of these methods."""
    tokens = enumerate(mined.automaton.tokens, 1)
    return tuple(f"{mined.name}.c{number}" for number, token in tokens if _is_one(token, lifetime, methods))


def _is_one(token: object, lifetime: Lifetime, methods: frozenset[str]) -> bool:
    """Whether a call is one of these methods, of the protocol that is meant."""
    if not isinstance(token, tuple):
        return False
    protocol, method, _ = token
    return method in methods and str(protocol).rpartition(".")[2] == lifetime.protocol
