"""Old file forms are read by migrating them one version at a time.

Each kind of artifact registers one step per version, from `n` to `n + 1`; a reader asks for the newest. A
step sees plain data (the mapping that the file holds), never this version's classes, so that it stays true
when they change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from froude.base.errors import InputError

Step = Callable[[dict[str, Any]], dict[str, Any]]


class Migrations:
    """The steps of one kind.

    Args:
        kind: what is migrated, for errors.
        newest: the version that this Froude writes.
        steps: from version -> step to the next; must reach `newest` without a hole.
    """

    def __init__(self, kind: str, newest: int, steps: Mapping[int, Step] | None = None) -> None:
        self.kind = kind
        self.newest = newest
        self._steps = dict(steps or {})
        oldest = min(self._steps, default=newest)
        missing = [version for version in range(oldest, newest) if version not in self._steps]
        if missing:
            raise ValueError(f"no step from version {missing[0]} of {kind}")

    def apply(self, data: Mapping[str, Any], *, file: str | Path) -> dict[str, Any]:
        """Bring a mapping with a `format` key to the newest version.

        Raises:
            InputError: no version, a newer one, or one too old to be known.
        """
        version = data.get("format")
        if not isinstance(version, int) or isinstance(version, bool):
            allowed = f"format: 1 to {self.newest}"
            raise InputError(
                f"is not a {self.kind}", file=file, place="format", found=version, allowed=allowed
            )
        if version > self.newest:
            remedy = "Read it with the Froude that wrote it, or a newer one"
            allowed = f"at most {self.newest}"
            raise InputError(
                f"is a {self.kind} of a newer Froude",
                file=file,
                place="format",
                found=version,
                allowed=allowed,
                remedy=remedy,
            )
        current = dict(data)
        while version < self.newest:
            step = self._steps.get(version)
            if step is None:
                raise InputError(
                    f"is a {self.kind} too old to be read", file=file, place="format", found=version
                )
            current = step(current)
            version += 1
            current["format"] = version
        return current
