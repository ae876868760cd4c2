"""Calls of real time that keep something open, as a lease while files are written (`knowledge.LIFETIMES`)."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from froude.mining.knowledge import LIFETIMES
from froude.mining.structure import MinedType
from froude.workload.types import CallTemplate, Flow, Periodic, Side, Which


def opened_and_closed(mined: MinedType, method: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Ids of the steps of a type that begin and end what a call of real time keeps open; none where nothing begins it.

    Args:
        mined: the type.
        method: of the call.
    """
    lifetime = LIFETIMES.get(method)
    opened_by = () if lifetime is None else _steps_of(mined, lifetime.opens)
    return opened_by, () if lifetime is None or not opened_by else _steps_of(mined, lifetime.closes)


def never_due(mined: MinedType, recorded: Collection[str]) -> Iterator[Periodic]:
    """Calls of real time that the steps of a type ask for, if it lives long enough: no short run shows them.

    Args:
        mined: the type.
        recorded: methods of its calls of real time that were recorded, and are left out.
    """
    if mined.role.emulated:
        return
    for number, (method, lifetime) in enumerate(sorted(LIFETIMES.items()), len(recorded) + 1):
        opening = next(
            (t for t in mined.automaton.tokens if isinstance(t, tuple) and t[1] in lifetime.opens), None
        )
        if opening is None or method in recorded:
            continue
        opened_by, closed_by = opened_and_closed(mined, method)
        copies = {leaf: Flow(opened_by[0], Side.REQUEST, leaf, Which.LAST) for leaf in lifetime.copied}
        call = CallTemplate(f"{mined.name}.p{number}", opening[0], method, copies)
        yield Periodic(call, lifetime.every_s, opened_by=opened_by, closed_by=closed_by)


def _steps_of(mined: MinedType, methods: frozenset[str]) -> tuple[str, ...]:
    """Ids of the steps of a type that call one of these methods."""
    tokens = enumerate(mined.automaton.tokens, 1)
    return tuple(
        f"{mined.name}.c{number}"
        for number, token in tokens
        if isinstance(token, tuple) and token[1] in methods
    )
