"""A tree of seeds: random choices hang on a path of names, so results do not depend on the number of workers.

`Seeds(7).child("players", 3)` is the same stream whether player 3 runs first, last or on another machine.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Seeds:
    """A node of the tree; immutable, so that passing one on never disturbs another's numbers."""

    root: int
    """The seed the user gave; any integer."""
    path: tuple[str | int, ...] = ()
    """Names from the root to here."""

    def child(self, *names: str | int) -> Seeds:
        """The node below, by name or number."""
        return Seeds(self.root, self.path + names)

    @property
    def value(self) -> int:
        """This node's seed, 64 bits, from BLAKE2 over the root and the path."""
        return int.from_bytes(self._hash().digest(), "big")

    def numbered(self) -> Callable[[int], int]:
        """The seeds of children by number: `seeds.numbered()(3)` is `seeds.child(3).value`, at a third of its cost."""
        begun = self._hash()

        def value(number: int) -> int:
            child = begun.copy()
            child.update(b"\x1fint:%d" % number)
            return int.from_bytes(child.digest(), "big")

        return value

    def _hash(self) -> hashlib.blake2b:
        text = "\x1f".join(f"{type(n).__name__}:{n}" for n in (self.root, *self.path))
        return hashlib.blake2b(text.encode(), digest_size=8)

    def random(self) -> random.Random:
        """A fresh generator of this node; two calls give two equal streams."""
        return random.Random(self.value)
