"""What a field of a document that people write may hold, where its type alone does not say it: a range, a unit.

A form stands beside the type of a field of a `Model`, in `Annotated`. It takes what YAML gives and what it has read
before, so that a value made in Python is held to the same rules as one that was read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, get_args

from froude.base.errors import InputError
from froude.base.units import (
    LARGEST,
    LONGEST_S,
    SECONDS,
    SIZES,
    Quantity,
    exact_text,
    parse_quantity,
    parse_seconds,
    size_text,
)
from froude.documents.plain import shown


class FieldError(InputError, ValueError):
    """What a field may not hold, with the names of the fields around it; a ValueError, as pydantic's checks raise."""

    def __init__(
        self,
        message: str,
        *,
        names: tuple[str, ...] = (),
        found: object = None,
        allowed: object = None,
        remedy: str | None = None,
    ) -> None:
        """Keep the names apart, for the fields around add theirs.

        Args:
            names: of the fields around and its own, the outermost first.
            allowed: what may stand there.
        """
        place = ".".join(names).replace(".[", "[") or None
        super().__init__(message, place=place, found=found, allowed=allowed, remedy=remedy)
        self.names = names

    def __reduce__(self) -> tuple[object, ...]:
        """Between processes its parts travel, not its way."""
        parts = {name: getattr(self, name) for name in ("place", "found", "allowed", "remedy")}
        return InputError(self.message, **parts).__reduce__()

    def in_file(self, file: str | Path, line: int | None = None) -> InputError:
        """The same as an error of a file, at its line; without one, at the field."""
        return InputError(
            f"{self.place}: {self.message}" if line and self.place else self.message,
            file=file,
            place=line or self.place,
            found=self.found,
            allowed=self.allowed,
            remedy=self.remedy,
        )


@contextmanager
def below(*names: str) -> Iterator[None]:
    """Errors of the block are about a field.

    Args:
        names: of the field, the outermost first.

    Raises:
        FieldError: those errors.
    """
    try:
        yield
    except InputError as error:
        inner = error.names if isinstance(error, FieldError) else ()
        raise FieldError(
            error.message,
            names=(*names, *inner),
            found=error.found,
            allowed=error.allowed,
            remedy=error.remedy,
        ) from error


def check_range(name: str, values: Sequence[float], least: float, most: float) -> None:
    """Refuse an argument of a call in Python that has no values, or one that is out of range.

    Raises:
        InputError: it has none, or one below the least or above the most, or that is no number.
    """
    if not values or not all(least <= value <= most for value in values):
        allowed = range_text(least, most) if values else "one or more"
        raise InputError("is out of range", place=name, found=list(values), allowed=allowed)


def range_text(least: float, most: float) -> str:
    """A range in words."""
    return f"{least:,g} or more" if math.isinf(most) else f"{least:,g} to {most:,.15g}"


class Form:
    """What a field may hold."""

    allowed: str

    def read(self, value: Any) -> Any:
        """The value of what YAML gives, or of one that was read.

        Raises:
            InputError: it may not stand here.
        """
        raise NotImplementedError

    def write(self, value: Any) -> Any:
        """What reads as the value again; plain."""
        return value

    def __get_pydantic_core_schema__(self, source: Any, _: Any) -> Any:
        """How pydantic reads and writes a value of a type that this stands beside; None stays where it may be."""
        from pydantic_core import core_schema as schema

        def read(value: Any) -> Any:
            with below():
                return self.read(value)

        written = schema.plain_serializer_function_ser_schema(self.write)
        own = schema.no_info_plain_validator_function(read, serialization=written)
        return schema.nullable_schema(own) if NoneType in get_args(source) else own


@dataclass(frozen=True)
class Number(Form):
    """A number within a range, its ends included."""

    least: float = -math.inf
    most: float = math.inf
    whole: bool = False

    @property
    def allowed(self) -> str:  # type: ignore[override]
        """The range."""
        kind = "a whole number" if self.whole else "a number"
        return f"{kind}, {range_text(self.least, self.most)}" if math.isfinite(self.most) else kind

    def read(self, value: Any) -> float:
        """Whole numbers stay whole where only those are allowed."""
        kinds = (int,) if self.whole else (int, float)
        if not isinstance(value, kinds) or isinstance(value, bool):
            raise _wrong(value, self.allowed)
        if isinstance(value, float) and not math.isfinite(value) and math.isinf(self.most):
            raise InputError("is not a finite number", found=value)
        if not self.least <= value <= self.most:
            raise InputError("is out of range", found=value, allowed=range_text(self.least, self.most))
        return value if self.whole else float(value)


@dataclass(frozen=True)
class Text(Form):
    """A text, perhaps of a form of its own."""

    check: Callable[[str], object] | None = None
    """Refuses others with an `InputError`."""
    allowed: str = "a text"

    def read(self, value: Any) -> str:
        """As it is."""
        if not isinstance(value, str):
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            raise _wrong(value, self.allowed, f"Write it in quotes: '{value}'" if number else None)
        if self.check is not None:
            self.check(value)
        return value


@dataclass(frozen=True)
class PlaceForm(Form):
    """A path, relative to the document's folder."""

    allowed = "a path"

    def read(self, value: Any) -> Path:
        """As it is."""
        if not isinstance(value, (str, Path)) or not str(value) or "\0" in str(value):
            raise _wrong(value, self.allowed)
        return Path(value)

    def write(self, value: Any) -> str:
        """As a text."""
        return str(value)


@dataclass(frozen=True)
class AmountForm(Form):
    """A quantity: a number, a size or a time."""

    allowed = "a number, a size or a time, such as 20000, 10 GB or 5 min"

    def read(self, value: Any) -> Quantity:
        """In base units."""
        if isinstance(value, Quantity):
            return value
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise _wrong(value, self.allowed)
        return parse_quantity(value)

    def write(self, value: Any) -> str | float:
        """As a person writes it, where that loses nothing."""
        return quantity_value(value)


@dataclass(frozen=True)
class Size(Form):
    """A number of bytes."""

    zero: bool = False
    """Whether it may be none."""
    most_bytes: int = int(LARGEST)

    @property
    def allowed(self) -> str:  # type: ignore[override]
        """A size, its range."""
        least = ", or 0" if self.zero else ""
        most = "" if self.most_bytes == int(LARGEST) else f", at most {size_text(self.most_bytes)}"
        return f"a size, such as 1 TiB{least}{most}"

    def read(self, value: Any) -> int:
        """In bytes; a plain number counts in bytes, too."""
        if isinstance(value, bool) or not isinstance(value, (str, int)):
            raise _wrong(value, self.allowed)
        quantity = parse_quantity(value)
        least = 0 if self.zero else 1
        if (
            quantity.unit not in {"", "B"}
            or not least <= quantity.value <= self.most_bytes
            or quantity.value % 1
        ):
            raise InputError("is no size", found=value, allowed=self.allowed)
        return int(quantity.value)

    def write(self, value: Any) -> Any:
        """As a person writes it."""
        return size_text(value) if value else 0


@dataclass(frozen=True)
class Seconds(Form):
    """How long something takes."""

    zero: bool = False
    """Whether it may take no time."""
    most_s: float = LONGEST_S

    @property
    def allowed(self) -> str:  # type: ignore[override]
        """A time, its range."""
        least = "0 or more" if self.zero else "more than 0"
        most = "" if self.most_s == LONGEST_S else f", at most {Quantity(self.most_s, 's')}"
        return f"a time such as 30 s or 5 min, {least}{most}"

    def read(self, value: Any) -> float:
        """In seconds; a plain number counts in seconds, too."""
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise _wrong(value, self.allowed)
        if self.zero and parse_quantity(value).value == 0:
            return 0.0
        seconds = parse_seconds(value)
        if seconds > self.most_s:
            raise InputError("is out of range", found=value, allowed=self.allowed)
        return seconds

    def write(self, value: Any) -> str | float:
        """As a person writes it, where that loses nothing."""
        return quantity_value(Quantity(value, "s"))


@dataclass(frozen=True)
class Plain(Form):
    """Any single value: whose field it is for says more."""

    allowed = "a text, a number, true or false"

    def read(self, value: Any) -> Any:
        """As it is."""
        if not isinstance(value, (str, int, float)):
            raise _wrong(value, self.allowed)
        if isinstance(value, float) and not abs(value) < float("inf"):
            raise InputError("is not a finite number", found=value)
        return value


Place = Annotated[Path, PlaceForm()]
"""The type of a field that is a path."""
Amount = Annotated[Quantity, AmountForm()]
"""The type of a field that is a quantity."""


def quantity_value(quantity: Quantity) -> str | float:
    """A quantity as it is best read: a plain number, or a text with its unit; it reads back as the same."""
    if not quantity.unit:
        return quantity.value
    text = str(quantity)
    if parse_quantity(text) == quantity:
        return text
    factors = SIZES if quantity.unit == "B" else SECONDS
    return exact_text(float(quantity.value), factors, ())


def _wrong(value: object, allowed: str, remedy: str | None = None) -> InputError:
    return InputError("has the wrong type", found=shown(value), allowed=allowed, remedy=remedy)
