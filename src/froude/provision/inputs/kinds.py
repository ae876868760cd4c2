"""Kinds of elements: a table of fields and children by which an element is read, and its value is written.

The default of a field is that of the value's own; what equals its default is left out of what is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass
from dataclasses import fields as attributes_of
from enum import Enum
from typing import Any, Generic, TypeVar

from froude.provision.inputs.fields import Fields, at_least_one, at_most_one, distinct
from froude.provision.inputs.tree import Element, Flaws, Text
from froude.provision.inputs.units import Dimension, show

T = TypeVar("T")
_ATTRIBUTES = {
    "rateR": "rate_r",
    "gapR": "gap_r",
    "rateW": "rate_w",
    "gapW": "gap_w",
    "BW": "bandwidth",
    "IOPS": "iops",
    "price_per_GB_month": "price_per_gb_month",
}
"""Of values, whose fields have the paper's names in the files."""


@dataclass(frozen=True, slots=True)
class Field:
    """What a field may hold."""

    read: Callable[[Fields, str, Any], Any]
    """Of the element's fields, the field's name and its default: `MISSING` for none, None for one that may be absent."""
    show: Callable[[Any], str] = str
    required: bool = False
    """Whether it must be given though the value has a default."""
    always: bool = False
    """Whether it is written though it is the default."""


def number(dimension: Dimension, *, above_zero: bool = False, **more: bool) -> Field:
    """A quantity, 0 or more."""

    def read(fields: Fields, name: str, default: Any) -> float | None:
        if default is None:
            return fields.optional_number(name, dimension, above_zero=above_zero)
        return fields.number(name, dimension, _known(default), above_zero=above_zero)

    return Field(read, lambda value: show(value, dimension), **more)


def choice(kind: type[Enum]) -> Field:
    """A member of an enumeration, by its value."""
    return Field(
        lambda fields, name, default: fields.one_of(name, kind, _known(default)),
        lambda member: str(member.value),
    )


def _text(fields: Fields, name: str, default: Any) -> str | None:
    return fields.optional_text(name) if default is None else fields.text(name, _known(default))


def _whole(fields: Fields, name: str, default: Any) -> int | None:
    return fields.optional_whole(name) if default is None else fields.whole(name, _known(default))


def _known(default: Any) -> Any:
    return None if default is MISSING else default


TEXT, WHOLE = Field(_text), Field(_whole, lambda value: show(value, Dimension.COUNT))
FLAG = Field(
    lambda fields, name, default: fields.flag(name, _known(default)), lambda value: "1" if value else "0"
)


def _no_defaults(_: Mapping[str, str]) -> Mapping[str, Any]:
    return {}


def _no_check(_: Fields, __: Flaws) -> None:
    return


@dataclass(frozen=True, slots=True)
class Kind(Generic[T]):
    """What the elements of a tag hold."""

    tag: str
    of: type[T]
    """Of the values: attributes are called as the fields, or by `_ATTRIBUTES`; a tuple has the fields' order."""
    fields: Mapping[str, Field]
    """By field, in the order in which they are written."""
    children: tuple[Children, ...] = ()
    make: Callable[..., T | None] | None = None
    """Makes the value of its parts; its class by default."""
    parts: Callable[[T], Mapping[str, Any]] | None = None
    """Parts of a value that are not attributes of it."""
    defaults: Callable[[Mapping[str, str]], Mapping[str, Any]] = _no_defaults
    """Further ones, by attribute, where an element has such fields."""
    check: Callable[[Fields, Flaws], None] = _no_check
    """Notes what is wrong with an element beyond its fields and children."""

    def read(self, element: Element, flaws: Flaws) -> T | None:
        """The value of an element and of what is sound in it.

        Returns:
            None where a field of its own is wrong, or its parts contradict each other.
        """
        fields = Fields(element, flaws)
        defaults = {
            **self._usual,
            **self.defaults({name: text.text for name, text in element.fields.items()}),
        }
        parts = {}
        for name, field in self.fields.items():
            attribute = _ATTRIBUTES.get(name, name)
            default = MISSING if field.required else defaults.get(attribute, MISSING)
            parts[attribute] = field.read(fields, name, default)
        for children in self.children:
            parts[children.attribute] = children.read(fields, flaws)
        self.check(fields, flaws)
        fields.finish(*(kind.tag for children in self.children for kind in children.kinds))
        return fields.make(lambda: self._made(parts))

    def write(self, value: T, *, named: bool = False) -> Element:
        """The element of a value.

        Args:
            named: whether its name is written though it is the default.
        """
        parts, texts = self._parts_of(value), {}
        for name, field in self.fields.items():
            attribute = _ATTRIBUTES.get(name, name)
            part, default = parts(attribute), self._usual.get(attribute, MISSING)
            if part is not None and (part != default or field.always or (named and name == "name")):
                texts[name] = field.show(part)
        for attribute, default in self.defaults(texts).items():
            if parts(attribute) == default:
                texts.pop(attribute, None)
        inside = tuple(
            each for children in self.children for each in children.write(parts(children.attribute))
        )
        return Element(self.tag, "", None, {name: Text(text, None) for name, text in texts.items()}, inside)

    @property
    def _usual(self) -> Mapping[str, Any]:
        if self.of is tuple:
            return {}
        known: Any = self.of
        return {each.name: each.default for each in attributes_of(known)}

    def _made(self, parts: Mapping[str, Any]) -> T | None:
        if self.of is tuple:
            return self.of(parts.values())  # type: ignore[call-arg]
        return (self.make or self.of)(**parts)

    def _parts_of(self, value: Any) -> Callable[[str], Any]:
        """A part of a value by the attribute."""
        if self.of is tuple:
            return dict(zip(self.fields, value, strict=True)).__getitem__
        more = self.parts(value) if self.parts else {}
        return lambda attribute: more[attribute] if attribute in more else getattr(value, attribute)


@dataclass(frozen=True, slots=True)
class Children:
    """Elements within an element, which are one part of its value."""

    attribute: str
    kinds: tuple[Kind[Any], ...]
    by: str | None = None
    """The field in which those of a kind must differ; None for none."""
    one: bool = False
    """Whether there is at most one, which is the part; else that is a tuple of all."""
    needed: bool = False
    """Whether there must be one of each kind."""

    def read(self, fields: Fields, flaws: Flaws) -> Any:
        """The part, of the children that are sound."""
        kinds = {kind.tag: kind for kind in self.kinds}
        if self.one:
            at_most_one(fields, *kinds)
        if self.needed:
            at_least_one(fields, *kinds)
        if self.by is not None:
            distinct(fields, flaws, *kinds, by=self.by)
        values = [kinds[child.tag].read(child, flaws) for child in fields.children(*kinds)]
        sound = tuple(value for value in values if value is not None)
        return next(iter(sound), None) if self.one else sound

    def write(self, part: Any) -> Iterator[Element]:
        """The elements of a part.

        Args:
            part: a tuple of values; a mapping counts as its items; one value, or None, where there is at most one.
        """
        values = [] if part is None else [part] if self.one else part
        values = list(values.items() if isinstance(values, Mapping) else values)
        for value in values:
            kind = next(kind for kind in self.kinds if isinstance(value, kind.of))
            yield kind.write(value, named=len(values) > 1)
