"""Reads the fields of one element by name and dimension; what is wrong goes to the collected errors.

A value that is wrong reads as its fallback, so that reading goes on and finds the next error.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import Enum
from typing import TypeVar

from froude.base.errors import InputError, nearest
from froude.provision.inputs.blanks import is_blank
from froude.provision.inputs.tree import Element, Flaws
from froude.provision.inputs.units import Dimension, parse

E = TypeVar("E", bound=Enum)
T = TypeVar("T")

YES, NO = ("1", "true", "yes"), ("0", "false", "no")


class Fields:
    """The fields of an element; `finish` refuses what nobody asked for."""

    def __init__(self, element: Element, flaws: Flaws) -> None:
        self.element = element
        self._flaws = flaws
        self._asked: list[str] = []
        self._sound = True

    def flaw(self, message: str, name: str | None = None, *, allowed: object = None) -> None:
        """Note an error of the element or of a field.

        Args:
            message: what is wrong, to follow the element's or field's title.
            name: of the field, whose text and line are then shown; None for the element as a whole.
        """
        self._sound = False
        text = repr(self.element.fields[name].text) if name in self.element.fields else None
        self._flaws.add(self.element, message, name=name, found=text, allowed=allowed)

    def text(self, name: str, default: str | None = None) -> str:
        """A word that is not empty; required without a default.

        Args:
            default: for a field that is not there; None makes it required.
        """
        text = self._get(name, required=default is None)
        if text is not None and not text.strip():
            self.flaw("is empty", name)
        return (default or "") if text is None else text.strip()

    def optional_text(self, name: str) -> str | None:
        """A word, or None where there is none."""
        return self.text(name) if name in self.element.fields else self._get(name, required=False)

    def number(
        self,
        name: str,
        dimension: Dimension,
        default: float | None = None,
        *,
        above_zero: bool = False,
    ) -> float:
        """A quantity that is not negative; required without a default; a share lies in [0, 1].

        Args:
            dimension: which units its text may have, and so the base unit of the result.
            default: in base units, for a field that is not there; None makes it required.

        Returns:
            The value in base units; where the text is wrong or blank, the default or 1.
        """
        text = self._get(name, required=default is None)
        fallback = 1.0 if default is None else default
        if text is None or is_blank(text):  # `note_blanks` has said so
            return fallback
        try:
            value = parse(text, dimension)
        except InputError as error:
            self.flaw(error.message, name, allowed=error.allowed)
            return fallback
        low = value <= 0 if above_zero else value < 0
        if low or (dimension is Dimension.SHARE and value > 1):
            self.flaw("is out of range", name, allowed=_range(dimension, above_zero=above_zero))
            return fallback
        return value

    def optional_number(self, name: str, dimension: Dimension, *, above_zero: bool = False) -> float | None:
        """A quantity, or None where there is none.

        Args:
            dimension: which units its text may have, and so the base unit of the result.
        """
        if self._get(name, required=False) is None:
            return None
        return self.number(name, dimension, above_zero=above_zero)

    def whole(self, name: str, default: int | None = None) -> int:
        """A whole number that is not negative.

        Args:
            default: for a field that is not there, 0 or more; None makes it required.
        """
        value = self.number(name, Dimension.COUNT, None if default is None else float(default))
        if value != math.floor(value):
            self.flaw("is not a whole number", name, allowed="0, 1, 2, …")
        return int(value)

    def optional_whole(self, name: str) -> int | None:
        """A whole number, or None where there is none."""
        return None if self._get(name, required=False) is None else self.whole(name)

    def flag(self, name: str, default: bool | None = None) -> bool:
        """`1` or `0` (YAML's true and false too).

        Args:
            default: for a field that is not there; None makes it required.
        """
        text = self._get(name, required=default is None)
        if text is None:
            return bool(default)
        if text.strip().lower() not in YES + NO:
            self.flaw("is not a switch", name, allowed="1 or 0")
        return text.strip().lower() in YES

    def one_of(self, name: str, kind: type[E], default: E | None = None) -> E:
        """A member of an enumeration by its value; required without a default.

        Args:
            kind: the enumeration; its values are what may stand in the file.
            default: for a field that is not there; None makes it required.
        """
        text = self._get(name, required=default is None)
        members = {str(member.value): member for member in kind}
        if text is not None and text.strip() in members:
            return members[text.strip()]
        if text is not None:
            hint = nearest(text, members)
            self.flaw(f"is not a value of this field{hint}", name, allowed=" or ".join(members))
        return default if default is not None else next(iter(members.values()))

    def children(self, *tags: str) -> list[Element]:
        """The children of some tags, in their order."""
        return [child for child in self.element.children if child.tag in tags]

    def finish(self, *tags: str) -> None:
        """Refuse fields that nobody asked for and children of other tags."""
        for name in self.element.fields:
            if name not in self._asked:
                allowed = ", ".join(dict.fromkeys(self._asked))
                self.flaw(f"is not a field here{nearest(name, self._asked)}", name, allowed=allowed)
        for child in self.element.children:
            if child.tag not in tags:
                hint = nearest(child.tag, tags)
                self._flaws.add(
                    child,
                    f"does not belong in {self.element.tag}{hint}",
                    allowed=", ".join(tags),
                )
                self._sound = False

    def make(self, build: Callable[[], T]) -> T | None:
        """The value of the element, or None when anything about it is wrong."""
        if not self._sound:
            return None
        try:
            return build()
        except ValueError as error:
            self.flaw(str(error))
            return None

    def _get(self, name: str, *, required: bool) -> str | None:
        self._asked.append(name)
        field = self.element.fields.get(name)
        if field is None and required:
            hint = nearest(name, self.element.fields)
            self.flaw(f"{name} is missing{hint}", allowed=f"a field {name}")
        return None if field is None else field.text


def every(fields: Fields, tag: str, read: Callable[[Fields, Flaws], T | None], flaws: Flaws) -> list[T]:
    """The values of every child of a tag that is sound.

    Args:
        read: makes a value of a child's fields, or None of those that are wrong.
    """
    values = (read(Fields(child, flaws), flaws) for child in fields.children(tag))
    return [value for value in values if value is not None]


def at_most_one(fields: Fields, *tags: str) -> None:
    """Refuse several children of a tag."""
    for tag in tags:
        count = len(fields.children(tag))
        if count > 1:
            fields.flaw(f"has {count} elements {tag}", allowed="one")


def at_least_one(fields: Fields, *tags: str) -> None:
    """Refuse an element without a child of a tag."""
    for tag in tags:
        if not fields.children(tag):
            fields.flaw(f"has no {tag}", allowed="at least one")


def distinct(fields: Fields, flaws: Flaws, *tags: str, by: str = "name") -> None:
    """Refuse two children of a tag with one name, or one value of another field.

    Args:
        tags: of the children; each tag has names of its own.
        by: the field that must differ.
    """
    for tag in tags:
        seen: dict[str, int | None] = {}
        for child in fields.children(tag):
            name = child.fields[by].text.strip() if by in child.fields else None
            if name in seen:
                where = "above" if seen[name] is None else f"on line {seen[name]}"
                flaws.add(child, f"stands {where} already", name=by, found=repr(name))
            elif name is not None:
                seen[name] = child.line


def _range(dimension: Dimension, *, above_zero: bool) -> str:
    if dimension is Dimension.SHARE:
        return "above 0 and at most 1" if above_zero else "from 0 to 1"
    return "above 0" if above_zero else "0 or above"
