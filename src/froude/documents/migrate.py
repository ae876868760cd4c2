"""Old file forms are read by migrating them one version at a time.

Each kind of document registers one step per version, from `n` to `n + 1`; a reader asks for the newest. A
step sees plain data (the mapping that the file holds), never this version's classes, so that it stays true
when they change; it changes the mapping in place, so that errors keep their lines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from froude.base.errors import InputError
from froude.documents.plain import Fields
from froude.documents.reading import STAMP, Section, parse_stamp
from froude.documents.unstamped import Unstamped

Step = Callable[[Fields], None]


def same(_: Fields) -> None:
    """The step to a version that only adds fields."""


class Migrations:
    """The versions of one kind of document.

    Args:
        kind: of the documents, as their stamp names it.
        newest: the version that this Froude writes.
        steps: from version -> step to the next; must reach `newest` without a hole.
        unstamped: the form from before stamps; None where there was none.
    """

    def __init__(
        self,
        kind: str,
        newest: int,
        steps: Mapping[int, Step] | None = None,
        *,
        unstamped: Unstamped | None = None,
    ) -> None:
        self.kind = kind
        self.newest = newest
        self._steps = dict(steps or {})
        self._unstamped = unstamped
        oldest = min(self._steps, default=newest)
        missing = [version for version in range(oldest, newest) if version not in self._steps]
        if missing:
            raise ValueError(f"no step from version {missing[0]} of {kind}")

    @property
    def stamp(self) -> str:
        """What stands at the head of a document that this Froude writes."""
        return f"{self.kind}/{self.newest}"

    def version(self, root: Section) -> int:
        """The version of a document as it stands in the file.

        Raises:
            InputError: of another kind, newer than this Froude, or too old to be known.
        """
        stamp = root.raw(STAMP)
        version = None if self._unstamped is None else self._unstamped.version_of(root.fields)
        if version is None:
            named = parse_stamp(stamp)
            if named is None or named[0] != self.kind:
                what = "nothing" if STAMP not in root else stamp
                raise root.error(STAMP, f"is not a {self.kind}", found=what, allowed=self._allowed())
            version = named[1]
        if not isinstance(version, int) or isinstance(version, bool) or version < 1:
            raise root.error(None, f"is not a {self.kind}", found=version, allowed=self._allowed())
        if version > self.newest:
            error = root.error(
                STAMP, f"is a {self.kind} of a newer Froude", found=version, allowed=self._allowed()
            )
            error.remedy = "Read it with the Froude that wrote it, or a newer one"
            raise error
        if version < min(self._steps, default=self.newest):
            raise root.error(
                STAMP, f"is a {self.kind} too old to be read", found=version, allowed=self._allowed()
            )
        return version

    def apply(self, root: Section) -> int:
        """Bring a document to the newest version.

        Returns:
            The version that it had.

        Raises:
            InputError: as `version`, or a step cannot bring it to the next version.
        """
        version = self.version(root)
        for step in range(version, self.newest):
            try:
                self._steps[step](root.fields)
            except InputError as error:
                error.file = error.file or root.file
                raise
        root.fields[STAMP] = self.stamp
        return version

    def _allowed(self) -> str:
        known = range(min(self._steps, default=self.newest), self.newest + 1)
        return " or ".join(f"{STAMP}: {self.kind}/{version}" for version in known)
