"""Start rules: which emulated nodes begin when, and when a play is over. Pure; time comes as an argument.

Source: PatternMiner III.B.4, fork, join and after some; "ours" for nodes that never end.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from froude.base.errors import InputError
from froude.base.events import Events
from froude.emulation.programs.events import NodeId
from froude.workload.references import endless_turn
from froude.workload.types import Moment, StartRule


@dataclass(frozen=True, slots=True)
class Group:
    """The nodes of one type."""

    name: str
    count: int
    rule: StartRule
    endless: bool = False
    """Whether they go on until the play is stopped, as DataNodes do."""
    planned_s: Mapping[Moment, float] = field(default_factory=dict)
    """Seconds from a node's start to its moments, where a schedule says; what waits for one is then intended at the
    planned time, however late the moment comes."""
    told: bool = False
    """Whether its nodes begin when another node lets them, and not by the rule."""
    sustained: bool = False
    """Whether further nodes follow until the play is stopped: each when one before has ended, with all that run in turn
    with it, or after `gap_s`."""
    gap_s: Callable[[], float] | None = None
    """Of a sustained group whose nodes arrive: draws the seconds from one node's start to the next one's."""


class Controller:
    """Says which nodes are to begin, as time passes and others reach their moments."""

    def __init__(self, groups: Sequence[Group], *, speed: float = 1.0) -> None:
        """Check the rules.

        Args:
            groups: the node types of a play.
            speed: 2 halves every delay and spacing.

        Raises:
            InputError: a rule names a type that is not there, or types wait for each other in a circle.
        """
        self._groups = {group.name: group for group in groups}
        self._speed = speed
        self._reached: dict[tuple[str, Moment], int] = {}
        self.starts = Events()
        """Starts of nodes that do not depend on other nodes any more; they are due in the player's time."""
        self._start: Callable[[NodeId, float, float], None]
        self._waiting = [group for group in groups if group.count and not group.told]
        self._over: set[NodeId] = set()
        """Nodes of groups that are told to begin which have ended, or will not begin."""
        self._unfinished = sum(group.count for group in groups if not group.endless)
        self._first_of: dict[str, str] = {}
        """By sustained group, the one that begins a client."""
        self._at_work: dict[tuple[str, int], int] = {}
        """Nodes of a client that have not ended, by the group that begins it and its number."""
        self._next: dict[str, int] = {group.name: group.count for group in groups}
        """The number of the next client."""
        self._endless = sum(group.count for group in groups if group.endless)
        self._ramped: set[NodeId] = set()
        """Endless nodes that have started, or ended before they could."""
        self._first_s: dict[str, float] = {}
        self._followers: dict[str, list[Group]] = {}
        """Groups whose nodes run in turn with those of a type."""
        self._ranks: dict[str, int] = {}
        """By group, the priority of its first node: of nodes that begin at the same time, those of an earlier group
        are first, and in a group those of a lower number."""
        rank = 0
        for group in groups:
            self._ranks[group.name] = rank
            rank += group.count
            if group.rule.follows is not None:
                self._followers.setdefault(group.rule.follows, []).append(group)
        _check(self._groups)
        for group in groups:
            first = group
            while group.sustained and first.rule.follows is not None:
                first = self._groups[first.rule.follows]
            if group.sustained:
                self._first_of[group.name] = first.name

    @property
    def finite(self) -> bool:
        """Whether some nodes end by themselves."""
        return any(group.count and not group.endless for group in self._groups.values())

    @property
    def done(self) -> bool:
        """Whether every node that ends by itself has ended."""
        return self.finite and not self.sustained and self._unfinished == 0

    @property
    def sustained(self) -> bool:
        """Whether further nodes follow those that end, so that the play does not end by itself."""
        return bool(self._first_of)

    @property
    def ramping(self) -> bool:
        """Whether some nodes that never end have not started yet."""
        return len(self._ramped) < self._endless

    def begin(self, now_s: float, start: Callable[[NodeId, float, float], None]) -> None:
        """The play begins.

        Args:
            now_s: seconds on the play's clock.
            start: called for each node that begins, with the time at which it was to begin, and the present one.
        """
        self._start = start
        self._release(now_s)

    def reached(self, node: NodeId, moment: Moment, now_s: float) -> None:
        """A node came to a moment; one that finishes has started, too.

        Args:
            node: of a type that the play has.
            now_s: seconds on the play's clock; what waited for the moment without a plan of it starts from
                here.
        """
        group = self._groups[node.type]
        if group.told and moment is Moment.FINISHED:
            if node in self._over:
                return
            self._over.add(node)
        if self.ramping and group.endless:
            self._ramped.add(node)
        key = (node.type, moment)
        self._reached[key] = self._reached.get(key, 0) + 1
        if moment is Moment.FINISHED and not group.endless:
            self._unfinished -= 1
            if group.rule.in_turn and self._predecessor(group, node.number + 1) is None:
                self._take_turn(group, node.number + 1, now_s)
            for follower in self._followers.get(node.type, ()):
                self._take_turn(follower, node.number - follower.rule.offset, now_s)
            if group.sustained:
                self._follow(self._first_of[node.type], node.number, now_s)
        self._release(now_s)

    def _follow(self, first: str, number: int, now_s: float) -> None:
        """A node of a client has ended; where it was the last one, and clients do not arrive, the next one begins."""
        members = sum(name == first for name in self._first_of.values())
        left = self._at_work.pop((first, number), members) - 1
        if left:
            self._at_work[first, number] = left
        elif self._groups[first].gap_s is None:
            self._schedule(self._groups[first], self._next[first], now_s)
            self._next[first] += 1

    def _predecessor(self, group: Group, number: int) -> int | None:
        """The number of the node of another type for whose end a node waits; None for none."""
        followed = self._groups.get(group.rule.follows or "")
        return group.rule.predecessor(number, 0 if followed is None else _most(followed))

    def _take_turn(self, group: Group, number: int, now_s: float) -> None:
        """Let a node start because the one for which it waited has ended."""
        if 0 <= number < _most(group):
            self._schedule(group, number, self._turn_s(group, number, now_s))

    def _schedule(self, group: Group, number: int, at_s: float) -> None:
        self.starts.schedule(
            at_s, self._begin, group, number, at_s, priority=self._ranks[group.name] + number
        )

    def _begin(self, group: Group, number: int, at_s: float) -> None:
        if group.gap_s is not None:
            self._schedule(group, number + 1, at_s + group.gap_s())
        elif number + 1 < group.count and not group.rule.in_turn:
            self._schedule(group, number + 1, at_s + group.rule.spacing_s / self._speed)
        self._start(NodeId(group.name, number), at_s, self.starts.now)

    def _release(self, now_s: float) -> None:
        still = []
        for group in self._waiting:
            if self._predecessor(group, 0) is not None:
                continue  # its first node, too, waits for another one's end
            if self._may_start(group.rule):
                at_s = self._released_s(group.rule, now_s) + group.rule.delay_s / self._speed
                self._first_s[group.name] = at_s
                self._schedule(group, 0, at_s)
            else:
                still.append(group)
        self._waiting = still

    def _released_s(self, rule: StartRule, now_s: float) -> float:
        """When the awaited moment was planned; without a plan of it, now that it has come."""
        awaited = None if rule.after is None else self._groups[rule.after]
        if awaited is None or rule.moment not in awaited.planned_s or awaited.name not in self._first_s:
            return now_s
        waited_for = max(0, rule.needed(awaited.count) - 1)
        return self._planned_s(awaited, waited_for) + awaited.planned_s[rule.moment]

    def _turn_s(self, group: Group, number: int, now_s: float) -> float:
        """When a node starts whose turn it is: as planned; without a plan, a pause from now."""
        if Moment.FINISHED in group.planned_s:
            return self._planned_s(group, number)
        return now_s + (group.rule.pause_s or 0.0) / self._speed

    def _planned_s(self, group: Group, number: int) -> float:
        """When a node of a group that was released is planned to start."""
        apart_s = group.rule.spacing_s / self._speed
        if group.rule.pause_s is not None:
            apart_s = group.planned_s[Moment.FINISHED] + group.rule.pause_s / self._speed
        return self._first_s[group.name] + number * apart_s

    def _may_start(self, rule: StartRule) -> bool:
        if rule.after is None:
            return True
        awaited = self._groups[rule.after]
        count = self._reached.get((rule.after, rule.moment), 0)
        if rule.moment is Moment.STARTED:
            count = max(count, self._reached.get((rule.after, Moment.FINISHED), 0))
        return count >= rule.needed(awaited.count)


def _most(group: Group) -> int:
    """How many nodes of a group may begin."""
    return sys.maxsize if group.sustained else group.count


def _check(groups: dict[str, Group]) -> None:
    circle = endless_turn({name: group.rule for name, group in groups.items()})
    if circle:
        raise InputError("nodes wait for each other's ends", place="start rules", found=" → ".join(circle))
    for group in groups.values():
        followed = group.rule.follows
        if followed is not None and (followed not in groups or groups[followed].endless):
            raise InputError(
                "runs in turn with no such node type",
                place=f"start rule of {group.name}",
                found=followed,
                allowed=", ".join(name for name, other in groups.items() if not other.endless),
            )
        seen, current = [group.name], group
        while current.rule.after is not None:
            name = current.rule.after
            place = f"start rule of {current.name}"
            if name not in groups:
                raise InputError(
                    "waits for an unknown node type", place=place, found=name, allowed=", ".join(groups)
                )
            if name in seen:
                raise InputError(
                    "node types wait for each other", place=place, found=" → ".join([*seen, name])
                )
            if groups[name].endless and current.rule.moment is Moment.FINISHED:
                raise InputError("waits for the end of nodes that never end", place=place, found=name)
            seen.append(name)
            current = groups[name]
