"""Placement one decision at a time, in plain Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from froude.harvest.place.choosing import choose, place_block
from froude.harvest.place.layout import Layout
from froude.harvest.place.policies import ATTRIBUTES, Policy
from froude.harvest.place.rules import Rules, prepare
from froude.harvest.place.targets import Chance, Targets, put, take
from froude.harvest.telemetry.datacenter import Ints


def as_lists(targets: Targets) -> Targets:
    """The same in lists, which plain Python reads several times faster than arrays."""
    plain: list[Any] = [each.tolist() for each in targets]  # type: ignore[attr-defined]
    return Targets(*plain)


def prepare_lists(
    layout: Layout, policy: Policy, capacity: Ints, replicas: int, seed: int = 0
) -> tuple[Targets, Rules]:
    """What `prepare` makes, for plain Python instead of compiled functions."""
    targets, rules = prepare(layout, policy, capacity, replicas, seed)
    plain: list[Any] = [each.tolist() if isinstance(each, np.ndarray) else each for each in rules]
    return as_lists(targets), Rules(*plain)


class Placer:
    """Places blocks on servers that fill up."""

    def __init__(  # noqa: PLR0917 - as `prepare`
        self, layout: Layout, policy: Policy, capacity: Ints, replicas: int, chance: Chance, seed: int = 0
    ) -> None:
        """Begin with empty servers.

        Args:
            policy: how replicas are placed.
            capacity: shape (servers,): replicas that each takes.
            replicas: of a block, from 1.
            chance: a `random.Random` or a numpy generator.
            seed: of the permutations of copysets.
        """
        self._targets, self._rules = prepare_lists(layout, policy, capacity, replicas, seed)
        self._chance = chance
        self._replicas = replicas

    def place(self, writer: int = -1) -> tuple[int, ...] | None:
        """The servers of a new block's replicas, the first being the writer's if it has space; None if refused.

        Args:
            writer: the server that creates the block; below 0 for a client outside.
        """
        taken = [-1] * self._replicas
        placed = place_block(self._targets, self._rules, writer, taken, self._chance)
        return tuple(taken) if placed else None

    def repair(self, survivors: Sequence[int]) -> int | None:
        """A server for one more replica of a block; None if refused.

        Args:
            survivors: servers of those that are left, in the order in which they were placed.
        """
        server = choose(self._targets, self._rules, list(survivors), len(survivors), self._chance)
        if server < 0:
            return None
        put(self._targets, server)
        return server

    def free(self, server: int, replicas: int = 1) -> None:
        """Some replicas are gone from a server.

        Args:
            replicas: how many, 0 or more.
        """
        take(self._targets, server, replicas)

    def room(self, server: int) -> int:
        """Replicas that a server still takes."""
        return self._targets.free[server]

    @property
    def relaxed(self) -> Mapping[str, int]:
        """By attribute: how many replicas broke it, for want of a server that would not."""
        return {each.value: self._targets.relaxed[number] for number, each in enumerate(ATTRIBUTES)}
