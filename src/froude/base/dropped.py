"""What an import leaves out, counted by reason with the first place of each, and the one tolerance of all imports."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from froude.base.errors import InputError
from froude.base.summary import counted

TOLERANCE = 0.1
"""Share of the lines of a file that may be left out; beyond it the file is of another form, or damaged."""
MOST_REASONS = 20
"""Reasons that are counted by themselves; all further ones are counted as `OTHER`."""
OTHER = "other reasons"
CUT_SHORT = "cut short"
"""The reason of a last line that a cut file has in part."""
OF_ANOTHER_KIND = "of another kind"
"""The reason of lines that do not belong to the import, such as those of other loggers in one log."""
_NO_DAMAGE = (CUT_SHORT, OF_ANOTHER_KIND)
"""What does not count against the tolerance."""
SHORT_LOG = 10
"""Lines that a shorter log counts as, so that one line of it is within the tolerance."""
_MOST_TEXT = 60
Rows = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Reason:
    """The lines of one reason, and where the first of them is."""

    lines: int
    place: str
    text: str


@dataclass(slots=True)
class Dropped:
    """The lines that an import leaves out, by reason; its memory does not grow with their number."""

    noun: str = "line"
    """What is counted, such as `record`."""
    _reasons: dict[str, _Reason] = field(default_factory=dict)

    def add(self, reason: str, place: str, text: str = "", count: int = 1) -> None:
        """Count lines that are left out.

        Args:
            reason: what is wrong with them, such as `not a number in time`; the same words for the same kind.
            place: where the first of them is, such as `load.csv:17`.
            text: what is there; its first line is kept, up to 60 characters.
            count: how many lines, at least 1.
        """
        found = self._reasons.get(reason)
        if found is None and len(self._reasons) >= MOST_REASONS - 1 and reason != OTHER:
            self.add(OTHER, place, text, count)
        elif found is None:
            short = text.strip().partition("\n")[0]
            short = short if len(short) <= _MOST_TEXT else f"{short[: _MOST_TEXT - 1]}…"
            self._reasons[reason] = _Reason(count, place, short)
        else:
            self._reasons[reason] = _Reason(found.lines + count, found.place, found.text)

    def without(
        self,
        keep: Rows,
        odd: Iterable[tuple[Rows, str]],
        place: Callable[[int], str],
        text: Callable[[int], object],
    ) -> None:
        """Take rows out of those that are kept, each counted once.

        Args:
            keep: where rows are kept, of shape (n,); changed in place.
            odd: where rows are wrong, of shape (n,), and the reason.
            place: of the number of a row.
            text: likewise.
        """
        for where, reason in odd:
            new = where & keep
            if new.any():
                row = int(np.argmax(new))
                self.add(reason, place(row), str(text(row)), int(new.sum()))
                keep &= ~where

    def __iadd__(self, other: Dropped) -> Dropped:
        """Add what another part of the same import left out, which comes after this one."""
        for reason, each in other._reasons.items():
            self.add(reason, each.place, each.text, each.lines)
        return self

    @property
    def total(self) -> int:
        """Lines that are left out."""
        return sum(each.lines for each in self._reasons.values())

    def counts(self) -> dict[str, int]:
        """Lines by reason, the most frequent first."""
        pairs = sorted(self._reasons.items(), key=lambda pair: -pair[1].lines)
        return {reason: each.lines for reason, each in pairs}

    def notes(self) -> list[str]:
        """One line a reason, the most frequent first."""
        return [self._note(reason) for reason in self.counts()]

    def refuse(
        self,
        path: str | Path,
        of: int,
        *,
        strict: bool,
        least: int = 0,
        whole: bool = False,
        remedy: str | None = None,
    ) -> None:
        """Refuse a file if too much of it is left out.

        Args:
            path: the file, for the error.
            of: the lines of the file, those that are left out included.
            strict: whether one line is too much already.
            least: lines that a shorter file counts as, such as `SHORT_LOG`.
            whole: whether one line is too much for what the file is used for.
            remedy: what a person may do, for the error.

        Raises:
            InputError: a line is left out and `strict`, or more than `TOLERANCE` of them are damaged.
        """
        bad = sum(each.lines for reason, each in self._reasons.items() if reason not in _NO_DAMAGE)
        if not self.total or (not (strict or whole) and bad <= TOLERANCE * max(of, least)):
            return
        allowed = f"no such {self.noun}{'' if whole else ' with --strict'}"
        if not (strict or whole):
            allowed = f"at most {TOLERANCE:.0%} of the {self.noun}s"
        message = f"cannot be read in {self.total:,} of {counted(of, self.noun)}"
        found = "; ".join(self.notes()[:3]).replace(str(path), Path(path).name)
        raise InputError(message, file=path, found=found, allowed=allowed, remedy=remedy)

    def _note(self, reason: str) -> str:
        each = self._reasons[reason]
        shown = f" ({each.text!r})" if each.text else ""
        return f"{counted(each.lines, self.noun)} left out: {reason}, first at {each.place}{shown}"
