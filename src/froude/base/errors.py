"""The errors that Froude states to its user.

One base and few leaves: a command line that catches `FroudeError` prints one message and exits with 1.
Anything else that escapes is a bug of ours (exit 70). Caller mistakes inside Python use the builtins
(`ValueError`, `TypeError`), as everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


class FroudeError(Exception):
    """Something the user can act on: says where, what was found, what is allowed."""

    def __init__(
        self,
        message: str,
        *,
        file: str | Path | None = None,
        place: str | int | None = None,
        found: object = None,
        allowed: object = None,
        remedy: str | None = None,
    ) -> None:
        """Keep the parts apart, so that `--json` can print them as fields.

        Args:
            message: what is wrong, in one clause, without the parts below.
            file: the file or the peer (`host:port`) that is wrong.
            place: where in it: a line, a field, a byte offset.
            found: what was there; shortened to 200 characters when shown.
            allowed: what may stand there; of several names, the one nearest to what was found is suggested. Where
                there is none, nothing is said of it.
            remedy: what the user can do now.
        """
        if isinstance(allowed, Iterable) and not isinstance(allowed, str):
            names = list(map(str, allowed))
            hint = "" if found is None else nearest(str(found).strip("'"), names)
            message, allowed = f"{message}{hint}", ", ".join(names)
        super().__init__(message)
        self.message = message
        self.file = None if file is None else str(file)
        self.place = None if place is None else str(place)
        self.found = None if found is None else str(found)
        self.allowed = None if allowed is None else str(allowed) or None
        self.remedy = remedy

    def __str__(self) -> str:
        where = ":".join(part for part in (self.file, self.place) if part is not None)
        text = f"{where}: {self.message}" if where else self.message
        if self.found is not None:
            text += f"; found {_short(self.found)}"
        if self.allowed is not None:
            text += f"; allowed: {_short(self.allowed)}"
        if self.remedy is not None:
            text += f". {self.remedy}"
        return _one_line(text)

    def parts(self) -> dict[str, str]:
        """Its fields in JSON: message, file, place, found, allowed and remedy, those that there are."""
        names = ("message", "file", "place", "found", "allowed", "remedy")
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    def errors(self) -> tuple[FroudeError, ...]:
        """Those that it consists of: itself, but for an error that collects others."""
        return (self,)

    def document(self) -> dict[str, object]:
        """What `--json` prints in place of a result."""
        return {"error": self.parts()}

    def __reduce__(self) -> tuple[object, ...]:
        parts = {k: getattr(self, k) for k in ("file", "place", "found", "allowed", "remedy")}
        return _rebuild, (type(self), self.message, parts)


class InputError(FroudeError):
    """A file, a flag or a value that the user gave is wrong."""


class ChangedError(InputError):
    """An artifact is not what was written: edited, cut short or damaged."""


class TargetError(FroudeError):
    """A daemon or another peer refused, hung, reset the connection, or answered what it may not."""


class MissingError(FroudeError):
    """A program, library, privilege or file that is needed is not here; `remedy` says how to get it."""


class GuardError(FroudeError):
    """The guard refused to act on a target (see `froude.emulation.guard`)."""


def _short(text: str, limit: int = 200) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _one_line(text: str) -> str:
    """Without line breaks, and with what would steer a terminal made visible: parts may come from a peer."""
    joined = " ".join(line.strip() for line in text.splitlines() if line.strip())
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in joined)


def _rebuild(kind: type[FroudeError], message: str, parts: dict[str, str | None]) -> FroudeError:
    return kind(message, **parts)


def nearest(name: str, names: Iterable[str]) -> str:
    """` did you mean X?` for a name that is not known, or nothing."""
    import difflib

    known = list(names)
    close = [n for n in known if n.lower() == name.lower()] or difflib.get_close_matches(name, known, 1, 0.6)
    return f", did you mean {close[0]}?" if close else ""
