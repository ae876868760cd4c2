"""The form that XML and YAML share: elements with named texts, children, and the line of each.

Errors are collected in a `Flaws`, so that a file's errors come all at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from froude.base.errors import InputError


@dataclass(frozen=True, slots=True)
class Text:
    """A field's text and where it stands."""

    text: str
    line: int | None


@dataclass(frozen=True, slots=True)
class Element:
    """One element of an input, whatever it was written in."""

    tag: str
    file: str
    line: int | None
    fields: dict[str, Text] = field(default_factory=dict)
    children: tuple[Element, ...] = ()


@dataclass(frozen=True, slots=True)
class Flaw:
    """One error of an input."""

    file: str
    line: int | None
    where: str
    """Element and field, such as `storage_unit SSD: gapR`."""
    message: str
    found: str | None = None
    allowed: str | None = None

    def __str__(self) -> str:
        return str(self.error())

    def error(self) -> InputError:
        """The same as an error."""
        message = f"{self.where}: {self.message}" if self.where else self.message
        return InputError(message, file=self.file, place=self.line, found=self.found, allowed=self.allowed)


class FlawedInputError(InputError):
    """Inputs with errors, all of them."""

    def __init__(self, flaws: Sequence[Flaw]) -> None:
        first = flaws[0].error()
        more = f" (and {len(flaws) - 1} more)" if len(flaws) > 1 else ""
        super().__init__(
            first.message + more, file=first.file, place=first.place, found=first.found, allowed=first.allowed
        )
        self.flaws = tuple(flaws)

    def errors(self) -> tuple[InputError, ...]:
        """One for each flaw."""
        return tuple(flaw.error() for flaw in self.flaws)

    def document(self) -> dict[str, object]:
        """What `--json` prints in place of a result: all of them."""
        return {"errors": [error.parts() for error in self.errors()]}

    def __reduce__(self) -> tuple[object, ...]:
        return FlawedInputError, (self.flaws,)


class Flaws:
    """Collects the errors of inputs, in the order of their places."""

    MOST = 200
    """More are not looked for, which takes long in a file of another kind."""

    def __init__(self) -> None:
        self._found: list[Flaw] = []

    def add(
        self,
        at: Element,
        message: str,
        *,
        name: str | None = None,
        found: object = None,
        allowed: object = None,
    ) -> None:
        """Note an error of an element, or of one of its fields.

        Args:
            message: what is wrong, to follow the title.
            name: of the field that is wrong, whose line is then shown; None for the element as a whole.

        Raises:
            FlawedInputError: there are `MOST` already.
        """
        if len(self._found) >= self.MOST:
            raise FlawedInputError(self.found())
        line = at.fields[name].line if name in at.fields else at.line
        title = f"{at.tag} {at.fields['name'].text}" if "name" in at.fields else at.tag
        where = f"{title}: {name}" if name else title
        as_text = [None if part is None else str(part) for part in (found, allowed)]
        self._found.append(Flaw(at.file, line, where, message, *as_text))

    def note(self, error: InputError) -> None:
        """Note an error that was raised for a whole file."""
        line = int(error.place) if error.place and error.place.isdigit() else None
        self._found.append(Flaw(error.file or "", line, "", error.message, error.found, error.allowed))

    def __bool__(self) -> bool:
        return bool(self._found)

    def found(self) -> tuple[Flaw, ...]:
        """All, by file and line."""
        return tuple(sorted(self._found, key=lambda flaw: (flaw.file, flaw.line or 0)))

    def check(self) -> None:
        """Raise them, if there are any.

        Raises:
            FlawedInputError: there are.
        """
        if self._found:
            raise FlawedInputError(self.found())
