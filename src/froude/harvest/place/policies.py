"""How replicas are placed, as data: what must differ between replicas of a block, how a server is drawn, presets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from froude.base.errors import InputError


class Attribute(Enum):
    """What replicas of a block may be told to differ in; its order is that of the counts of relaxations."""

    ENVIRONMENT = "environment"
    """Never forgotten."""
    RACK = "rack"
    """Never forgotten."""
    PEAK_ROW = "peak_row"
    """A class's row: forgotten after every third replica, when each row has had its turn."""
    REIMAGE_COLUMN = "reimage_column"
    """A class's column: likewise."""


ATTRIBUTES = tuple(Attribute)
"""All, in the order of counts."""


class Draw(Enum):
    """Who gets a replica among those that may; a class is what the constrained rows and columns make of the grid."""

    TENANT = "tenant"
    """Any class with equal chance, any tenant in it, any of its servers: Algorithm 2. Small tenants fill first."""
    SPACE = "space"
    """Any class with equal chance, then any of its servers that have space, so that large tenants get more."""
    SERVER = "server"
    """Any server that has space: servers are filtered, and no tenant or class is drawn before."""


@dataclass(frozen=True, slots=True)
class Constraints:
    """What must differ between the replicas of a block."""

    distinct: tuple[Attribute, ...]
    """In order of importance: the last soft one is given up first."""
    soft: frozenset[Attribute] = frozenset()
    """Those given up, and counted, when no server fits; without them the replica is refused."""

    def __post_init__(self) -> None:
        if len(set(self.distinct)) < len(self.distinct):
            raise ValueError("an attribute is named once")
        if not self.soft <= set(self.distinct):
            raise ValueError("what is soft is a constraint")

    def softened(self) -> Constraints:
        """The same with every constraint soft."""
        return Constraints(self.distinct, frozenset(self.distinct))


class Kind(Enum):
    """Which rule chooses servers."""

    CONSTRAINED = "constrained"
    """Constraints and a draw."""
    PAPER_STOCK = "paper-stock"
    """The writer, another server of its rack, one of another rack: HDFS as the paper describes it."""
    HDFS_STOCK = "hdfs-stock"
    """The writer and two servers of one other rack: HDFS as it is (BlockPlacementPolicyDefault)."""
    COPYSET = "copyset"
    """Within sets that random permutations made (Cidon et al., ATC 2013)."""


@dataclass(frozen=True, slots=True)
class Policy:
    """A way to place replicas; the first goes to the writer's own server in all of them."""

    name: str
    kind: Kind = Kind.CONSTRAINED
    constraints: Constraints = Constraints(())
    """For a constrained one; no constraint but that servers differ is a random placement."""
    draw: Draw = Draw.SERVER
    """For a constrained one."""
    scatter: int = 4
    """For copysets: at least how many other servers share blocks with one, from 1."""

    def __post_init__(self) -> None:
        if self.scatter < 1:
            raise ValueError("scatter is 1 or more")

    def softened(self) -> Policy:
        """The same with soft constraints, and a name that says so."""
        return Policy(f"{self.name}, soft", self.kind, self.constraints.softened(), self.draw, self.scatter)


_ALL = Constraints((Attribute.ENVIRONMENT, Attribute.PEAK_ROW, Attribute.REIMAGE_COLUMN))
_ROWS = Constraints((Attribute.ENVIRONMENT, Attribute.PEAK_ROW))

PRESETS = (
    Policy("stock", Kind.HDFS_STOCK),
    Policy("stock-paper", Kind.PAPER_STOCK),
    Policy("random"),
    Policy("rack-fault-tolerant", constraints=Constraints((Attribute.RACK,)).softened()),
    Policy("environment", constraints=Constraints((Attribute.ENVIRONMENT,))),
    Policy("rows+environment", constraints=_ROWS),
    Policy("history", constraints=_ALL, draw=Draw.TENANT),
    Policy("history-space", constraints=_ALL, draw=Draw.SPACE),
    Policy("copyset", Kind.COPYSET),
)
"""The policies that are known by name: `history` is Algorithm 2, `stock` HDFS as it is."""


def preset(name: str) -> Policy:
    """A policy by its name; `, soft` after it makes its constraints soft.

    Raises:
        InputError: there is none of that name.
    """
    bare = name.removesuffix(", soft").removesuffix("-soft")
    for policy in PRESETS:
        if policy.name == bare:
            return policy if bare == name else policy.softened()
    known = ", ".join(policy.name for policy in PRESETS)
    raise InputError("is no policy", place="policy", found=name, allowed=f"{known}; with -soft after it")


def constrained(distinct: Iterable[str], soft: Iterable[str] = (), draw: Draw = Draw.SERVER) -> Policy:
    """A policy of constraints that a user names.

    Args:
        distinct: names of attributes, the most important first.
        soft: those of them that may be given up.

    Raises:
        InputError: an attribute is not known, is named twice, or is soft and no constraint.
    """
    hard, given_up = [_attribute(name) for name in distinct], frozenset(map(_attribute, soft))
    try:
        constraints = Constraints(tuple(hard), given_up)
    except ValueError as error:
        raise InputError(
            str(error), place="distinct", found=", ".join(each.value for each in hard)
        ) from error
    name = "+".join(each.value + "?" * (each in given_up) for each in hard) or "no constraint"
    return Policy(
        name if draw is Draw.SERVER else f"{name} by {draw.value}", Kind.CONSTRAINED, constraints, draw
    )


def _attribute(name: str) -> Attribute:
    try:
        return Attribute(name)
    except ValueError as error:
        allowed = [each.value for each in Attribute]
        raise InputError(
            "is no attribute of a server", place="distinct", found=name, allowed=allowed
        ) from error
