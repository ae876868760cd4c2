"""Of clusters that cost the same, one in which each dataset and task stands on few servers.

The programs do not care whether four disks of a dataset stand on one server or on two, as long as both are paid
for anyway; people do. All of one thing on a server is moved to another server that has some of it, wherever it
fits there and nothing costs more. Each move lowers the number of places by one, so that it ends. Servers with the
same things in them then get the same shares, their mean: every limit of a server is convex in its shares.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from froude.provision.search.optimise.highs import Arrays, Program, SolverOptions, solve
from froude.provision.search.optimise.rounding import Content, Servers, cost_of, groups_of, round_servers
from froude.provision.search.optimise.server_rows import ServerRows, ServerVariables
from froude.provision.search.optimise.subproblem import ServerKind, Subproblem
from froude.provision.types.plan import Group, Held, Running

_Amount = TypeVar("_Amount", int, float)
MOST_SERVERS = 16
"""Larger clusters are left as they are: their groups are columns already."""
_HAIR = 1e-9


def consolidate(sub: Subproblem, servers: Servers) -> Servers:
    """The same cluster, or one with fewer places for each thing that costs no more.

    Args:
        servers: rounded contents; more than `MOST_SERVERS` come back as they are.
    """
    if sum(count for _, count in servers) > MOST_SERVERS:
        return servers
    rooms = _Rooms(sub)
    apart = [content for content, count in servers for _ in range(count)]
    while (moved := _first(rooms, apart)) is not None:
        apart = moved
    rounded = round_servers(sub, [(content, 1) for content in apart])
    return rounded if cost_of(sub, groups_of(sub, rounded)) <= _least(sub, servers) else servers


def merged(groups: Iterable[Group]) -> tuple[Group, ...]:
    """Servers with the same things in them, and the same cores and memory, as one group with mean shares."""
    same: dict[Group, list[Group]] = {}
    for group in groups:
        held = tuple(replace(part, share=0.0) for part in group.held)
        running = tuple(replace(part, share=0.0) for part in group.running)
        same.setdefault(replace(group, count=1, held=held, running=running), []).append(group)
    return tuple(_mean(equal) if len(equal) > 1 else equal[0] for equal in same.values())


def _mean(groups: Sequence[Group]) -> Group:
    count = sum(group.count for group in groups)

    def share(parts: Sequence[Held | Running]) -> float:
        return sum(p.share * g.count for p, g in zip(parts, groups, strict=True)) / count

    held = zip(*(group.held for group in groups), strict=True)
    running = zip(*(group.running for group in groups), strict=True)
    return replace(
        groups[0],
        count=count,
        held=tuple(replace(parts[0], share=share(parts)) for parts in held),
        running=tuple(replace(parts[0], share=share(parts)) for parts in running),
    )


def _least(sub: Subproblem, servers: Servers) -> float:
    cost = cost_of(sub, groups_of(sub, servers))
    return cost + _HAIR * cost


def _first(rooms: _Rooms, apart: list[Content]) -> list[Content] | None:
    """The contents after the first move that is possible."""
    for source, content in enumerate(apart):
        for target, other in enumerate(apart):
            if source == target:
                continue
            for less, more in _moves(content, other):
                if rooms.no_dearer([content, other], [less, more]) and rooms.fits(more):
                    changed = {source: less, target: more}
                    return [changed.get(at, unchanged) for at, unchanged in enumerate(apart)]
    return None


def _moves(source: Content, target: Content) -> Iterator[tuple[Content, Content]]:
    """(source, target) after all of one thing that both have has moved."""
    for item in source.shares.keys() & target.shares.keys():
        share = target.shares[item] + source.shares[item]
        units = target.units.get(item, 0) + source.units.get(item, 0)
        yield (
            replace(source, shares=_without(source.shares, item), units=_without(source.units, item)),
            replace(target, shares={**target.shares, item: share}, units={**target.units, item: units}),
        )
    for task in source.work.keys() & target.work.keys():
        work = target.work[task] + source.work[task]
        instances = target.instances.get(task, 0) + source.instances.get(task, 0)
        yield (
            replace(source, work=_without(source.work, task), instances=_without(source.instances, task)),
            replace(
                target,
                work={**target.work, task: work},
                instances={**target.instances, task: instances},
            ),
        )


def _without(amounts: dict[int, _Amount], key: int) -> dict[int, _Amount]:
    return {k: amount for k, amount in amounts.items() if k != key}


class _Rooms:
    """Whether contents fit a server of a kind: the program of one server with its loads fixed."""

    def __init__(self, sub: Subproblem) -> None:
        self.sub = sub
        self._programs: dict[ServerKind, tuple[ServerVariables, Arrays]] = {}

    def no_dearer(self, before: Sequence[Content], after: Sequence[Content]) -> bool:
        """Do the contents after a move cost no more than before?"""
        cost, allowed = (
            cost_of(self.sub, groups_of(self.sub, [(content, 1) for content in contents]))
            for contents in (after, before)
        )
        return cost <= allowed + _HAIR * max(1.0, allowed)

    def fits(self, content: Content) -> bool:
        """Does one server hold this?"""
        variables, arrays = self._program(content.kind)
        if not (
            content.shares.keys() <= variables.load.keys() and content.work.keys() <= variables.work.keys()
        ):
            return False
        counted = ((variables.units, content.units), (variables.instances, content.instances))
        fixed = {at: float(amounts.get(key, 0)) for places, amounts in counted for key, at in places.items()}
        for key, at in variables.load.items():
            fixed[at] = content.shares.get(key, 0.0) * self.sub.items[key].scale
        for key, at in variables.work.items():
            fixed[at] = content.work.get(key, 0.0) * self.sub.task_scale[key]
        lower, upper = arrays.lower.copy(), arrays.upper.copy()
        for at, amount in fixed.items():
            if not lower[at] - 1e-6 <= amount <= upper[at] + 1e-6:
                return False
            lower[at] = upper[at] = amount
        return solve(replace(arrays, lower=lower, upper=upper), SolverOptions(time_s=1.0)).found

    def _program(self, kind: ServerKind) -> tuple[ServerVariables, Arrays]:
        if kind not in self._programs:
            program = Program()
            variables = ServerRows(program, self.sub, kind).add()
            self._programs[kind] = (variables, program.arrays())
        return self._programs[kind]
