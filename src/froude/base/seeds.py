"""A tree of seeds: random choices hang on a path of names, so results do not depend on the number of workers.

`Seeds(7).child("players", 3)` is the same stream whether player 3 runs first, last or on another machine.
"""

from __future__ import annotations

import hashlib
import random
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
        text = "\x1f".join(f"{type(n).__name__}:{n}" for n in (self.root, *self.path))
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")

    def random(self) -> random.Random:
        """A fresh generator of this node; two calls give two equal streams."""
        return random.Random(self.value)
