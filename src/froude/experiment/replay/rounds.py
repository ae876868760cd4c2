"""An audit log that begins again when it is over: what its lines do in each further round, over copies of paths. Pure.

What the log makes (creates, or moves from what it made) has a copy of its own in each round, next to the original and
with the round in its name; the lines about it go there. Lines that read, or change attributes, stay at the paths that
were there before. What the log deletes or moves without having made it is there once: lines about it are for the first
round alone, and so are an administrator's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field

from froude.base.summary import counted
from froude.emulation.programs.audit.commands import command_of, sources
from froude.emulation.programs.audit.conflicts import folders_above
from froude.emulation.programs.audit.lines import OLDER, REMOVAL, ROUND, Line
from froude.experiment.replay.growth import ONCE
from froude.experiment.replay.into_folders import MAKES, Change, changes_by, ends_of, opened_by


@dataclass(slots=True)
class Rounds:
    """What becomes of each line of a log in further rounds."""

    mark: str
    """Stands in names of copies before the number of their round; no name has it."""
    removes: bool
    """Whether each round deletes what the round two before it has left."""
    own: set[str] = field(default_factory=set)
    """What the log makes; what is below is its own, too."""
    gone: set[str] = field(default_factory=set)
    """What it deletes or moves and has not made, and where it moves that."""
    left: dict[str, tuple[int, int]] = field(default_factory=dict)
    """What it makes and does not delete or move: the client, and the number of the change."""
    ends: dict[int, str] = field(default_factory=dict)
    """By the number of a line that moves something into a folder: its path there. The log has the folder."""
    lines: int = 0
    counts: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(
        cls,
        lines: Iterable[Line],
        mark: str,
        there: Callable[[Iterable[str]], Collection[str] | None],
        *,
        removes: bool,
    ) -> Rounds:
        """Look what a log makes and takes away.

        Args:
            there: those of some paths that were there before the log; None where that is not known.
        """
        rounds, opened, changes = cls(mark, removes), set[str](), list[Change]()
        for line in lines:
            rounds.lines += 1
            opened.update(opened_by(line))
            changes += changes_by(line, rounds.lines)
        rounds.ends, before, known = ends_of(lambda: changes, opened, there)
        changes = [_ended(change, rounds.ends.get(change.number)) for change in changes]
        size = -1
        # What is about a path that is taken away later is left out, and makes nothing.
        while size < len(rounds.gone):
            size = len(rounds.gone)
            rounds._learn(changes, before, known=known)
        return rounds

    def _learn(self, changes: Iterable[Change], before: Collection[str], *, known: bool) -> None:
        """Take note of what was changed.

        Args:
            before: paths that were there before the log.
            known: whether those are all.
        """
        folders, taken = set[str](), dict[str, int]()
        self.own.clear()
        self.left.clear()
        for command, (source, *target), client, number in changes:
            makes = command in MAKES
            mine = makes or self._root(source) or (source in folders and source not in before)
            if any(map(self._is_gone, (source, *target))) or not mine:
                if not makes and (mine or not known or source in before or self._is_gone(source)):
                    self.gone.update((source, *target))
            elif makes:
                folders.update(each for each in folders_above(source) if each not in before)
                if source not in before:
                    self.own.add(source)
                    self.left[source] = (client, number)
            else:
                self.own.update((source, *target))
                maker, _ = self.left.pop(source, (client, 0))
                taken[source] = number
                self.left.update(dict.fromkeys(target, (maker, number)))
        self.left = {
            path: made
            for path, made in self.left.items()
            if all(taken.get(each, -1) < made[1] for each in folders_above(path))
        }

    def marked(self, lines: Iterable[Line]) -> Iterator[Line]:
        """The lines of the log, each with what it is in further rounds; and the deletions of those, spread evenly."""
        left = {path: made[0] for path, made in self.left.items() if not self._is_gone(path)}
        # Who made the root deletes it, with what others made below; a root that was moved is the last maker's.
        roots = {path[: self._root(path)]: client for path, client in left.items()}
        roots |= {root: left[root] for root in roots if root in left}
        every = self.lines / len(roots) if roots and self.removes else float("inf")
        rest, made = iter(roots.items()), 0
        for number, line in enumerate(lines, 1):
            copied = self._copied(line._replace(dst=self.ends.get(number, line.dst)))
            yield line if copied is None else line._replace(copied=copied)
            while (made + 1) * every <= number and (root := next(rest, None)) is not None:
                made += 1
                older = f"{root[0]}{self.mark}{OLDER}"
                yield Line(line.at_s, root[1], "delete", options=REMOVAL, copied=[older, None])

    def _copied(self, line: Line) -> list[str | None] | None:
        """The paths of a line in further rounds; none where it is left out, None where they are its own."""
        command = command_of(line)
        paths = () if command is None else command.paths(line)
        ours = any(map(self._root, paths))
        changes = command is not None and command.changes
        once = (
            line.command in ONCE
            or (changes and not paths)
            or (changes and not ours and "Snapshot" in line.command)
        )
        if once or any(self._is_gone(path) for path in paths):
            self.counts["left out"] += 1
            return []
        self.counts["copied" if ours else "kept"] += 1
        return [self._moved(line.src), self._moved(line.dst)] if ours else None

    def _moved(self, text: str | None) -> str | None:
        moved = [self._copy(path) for path in sources(text)]
        return text if text is None else f"[{', '.join(moved)}]" if text.startswith("[/") else moved[0]

    def _copy(self, path: str) -> str:
        end = self._root(path)
        return f"{path[:end]}{self.mark}{ROUND}{path[end:]}" if end else path

    def _root(self, path: str) -> int:
        """Where the topmost own path at or above a path ends; 0 for none."""
        return next((len(each) for each in (*folders_above(path), path.rstrip("/")) if each in self.own), 0)

    def _is_gone(self, path: str) -> bool:
        return any(each in self.gone for each in (*folders_above(path), path))

    def remarks(self) -> list[str]:
        """What further rounds are; when all lines have been marked."""
        counts, left = self.counts, counted(self.counts["left out"], "line")
        stays = (
            "what a round leaves is deleted in the next round but one, as far as the user that made it may"
            if self.removes
            else "what it makes stays"
        )
        texts = {
            f"When the log is over it begins again. In each further round {counted(counts['copied'], 'line')} go to "
            f"copies of what the log makes (`NAME{self.mark}2`, ...), {counts['kept']:,} to the paths of the log; "
            f"{stays}.": True,
            f"In further rounds {left} are left out, since they are about what is there once, as what the image holds "
            "and the log deletes or moves, or are an administrator's.": counts["left out"],
        }
        return [text for text, holds in texts.items() if holds]


def _ended(change: Change, end: str | None) -> Change:
    return change if end is None else change._replace(paths=(change.paths[0], end))
