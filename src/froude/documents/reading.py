"""Strict reading of documents, ours and those that people write: every error names file, line and field.

A `Section` hands out its fields by name and type; `finish()` refuses what nobody asked for: a misspelt key
is an error, not a default. Every document begins with its stamp, `froude: KIND/VERSION`, in YAML and in JSON.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, TypeVar

from froude.base.errors import InputError, nearest
from froude.documents.forms import Form, Number, Text
from froude.documents.model import Flag, read
from froude.documents.plain import Fields, dump_yaml, parse_json, parse_yaml, shown

LIMIT_BYTES = 16 << 20
"""Largest document read; figures, which are read otherwise, have a limit of their own."""
STAMP = "froude"
"""The key that says kind and version of a document; always the first."""
_STAMP = re.compile(r"([a-z][a-z-]*)/([0-9]{1,6})")
_HEAD = re.compile(
    rb"""\A(?:\xef\xbb\xbf)?(?:(?:[ \t]*#[^\n]*|[ \t\r]*|---[ \t]*)\n)*"""  # comments and blank lines before it
    rb"""[ \t]*(?:\{\s*)?['"]?%b['"]?\s*:\s*['"]?%b""" % (STAMP.encode(), _STAMP.pattern.encode())
)
_NOT_IN_YAML = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""What may stand in a JSON text and not, or not as it is, in a YAML one."""

T = TypeVar("T")


_ANY = (-math.inf, math.inf)


class Section:
    """A mapping of a document, read field by field."""

    def __init__(self, fields: Fields, file: str, path: str = "") -> None:
        """Wrap a mapping that stands at `path` in `file`.

        Args:
            fields: the mapping, with the lines of its keys.
            path: names of the sections above and of this one, joined by dots; empty for the root.
        """
        self.fields = fields
        """The mapping itself."""
        self._asked: set[str] = set()
        self.file = file
        self.path = path

    def __contains__(self, name: str) -> bool:
        return name in self.fields

    def instead(self, fields: Fields) -> Section:
        """The same section with other fields, of which those that were asked for stay so.

        Args:
            fields: what is read from now on.
        """
        section = Section(fields, self.file, self.path)
        section._asked |= self._asked
        return section

    def names(self) -> list[str]:
        """The names present, in the file's order; asks for all of them."""
        self._asked.update(map(str, self.fields))
        return [str(name) for name in self.fields]

    def error(
        self, name: str | None, message: str, *, found: object = None, allowed: object = None
    ) -> InputError:
        """An error about a field, or about the section itself, with its line.

        Args:
            name: the field; None for the section as a whole.
            message: what is wrong, to follow the field's name.
            found: what stands there, where it helps to see it.
            allowed: what may stand there.

        Returns:
            The error, for the caller to raise.
        """
        line = self.fields.lines.get(name or "", self.fields.line)
        field = ".".join(part for part in (self.path, name) if part)
        return InputError(
            f"{field}: {message}" if field else message,
            file=self.file,
            place=line,
            found=found,
            allowed=allowed,
        )

    def raw(self, name: str, *, required: bool = False) -> Any:
        """A field as YAML gives it; None when absent.

        Args:
            required: whether it must be there; null counts as there.

        Raises:
            InputError: absent and required.
        """
        self._asked.add(name)
        if name not in self.fields:
            if required:
                raise self.error(None, f"{name} is missing", allowed=f"a field {name}")
            return None
        return self.fields[name]

    def value(
        self, name: str, kind: type[T], default: T | None = None, *, within: tuple[float, float] = _ANY
    ) -> T:
        """A scalar of a type; without a default it is required.

        Args:
            kind: `str`, `int`, `float`, `bool` or an enum; a whole number passes as a float, a bool never as a number.
            default: what an absent field, or one that is null, reads as; None makes it required.
            within: the smallest and the largest number that it may be.

        Raises:
            InputError: absent without a default, of another type, or out of range.
        """
        value = self.raw(name, required=default is None)
        if value is None and default is not None:
            return default
        forms: dict[Any, Form] = {int: Number(*within, whole=True), float: Number(*within), str: Text()}
        hint: Any = Flag if kind is bool else kind
        found: T = self._read(name, value, forms[kind].read if kind in forms else partial(read, hint))
        return found

    def optional(self, name: str, kind: type[T]) -> T | None:
        """A scalar that may be absent or null.

        Args:
            kind: the type of the value, as for `value`.

        Raises:
            InputError: present, and of another type.
        """
        return None if self.raw(name) is None else self.value(name, kind)

    def section(self, name: str) -> Section:
        """A mapping below; an absent one reads as empty."""
        fields = self.raw(name)
        if fields is None:
            return Section(Fields(), self.file, self._below(name))
        if not isinstance(fields, Fields):
            raise self.error(name, "has the wrong type", found=shown(fields), allowed="a mapping")
        return Section(fields, self.file, self._below(name))

    def sections(self, name: str) -> Iterator[Section]:
        """The mappings of a list below; an absent list is empty."""
        for number, item in enumerate(self.items(name)):
            if not isinstance(item, Fields):
                raise self.error(
                    name, f"item {number} has the wrong type", found=shown(item), allowed="a mapping"
                )
            yield Section(item, self.file, f"{self._below(name)}[{number}]")

    def items(self, name: str) -> list[Any]:
        """The items of a list below; an absent list is empty."""
        items = self.raw(name)
        if items is None:
            return []
        if not isinstance(items, list):
            raise self.error(name, "has the wrong type", found=shown(items), allowed="a list")
        return list(items)

    def wrap(self, value: Fields, name: str) -> Section:
        """A section for a mapping found below by `raw` or `items`.

        Args:
            name: where it stands below this section, for errors: a key, or `KEY[0]`.
        """
        return Section(value, self.file, self._below(name))

    def convert(self, name: str, convert: Callable[[Any], T]) -> T:
        """A field through a parser; its error gains file, line and field.

        Args:
            convert: makes the value of what YAML gives; refuses with an `InputError`.

        Raises:
            InputError: absent, or refused by the parser.
        """
        return self._read(name, self.raw(name, required=True), convert)

    def _read(self, name: str, value: Any, convert: Callable[[Any], T]) -> T:
        try:
            return convert(value)
        except InputError as error:
            raise self.error(
                name, error.message, found=error.found or value, allowed=error.allowed
            ) from error

    def converted(self, name: str, convert: Callable[[Any], T]) -> tuple[T, ...]:
        """The items of a list below, each through a parser; an absent list is empty.

        Args:
            convert: makes a value of one item; refuses with an `InputError`.

        Raises:
            InputError: no list, or an item is refused by the parser.
        """
        return self.convert(name, lambda items: tuple(map(convert, items))) if self.items(name) else ()

    def finish(self) -> None:
        """Refuse fields that nobody asked for.

        Raises:
            InputError: there is one.
        """
        for name in self.fields:
            if str(name) not in self._asked:
                message = f"is not a field here{nearest(str(name), self._asked)}"
                raise self.error(str(name), message, allowed=sorted(self._asked))

    def _below(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name


def parse_document(data: bytes, file: str) -> Section:
    """Read YAML bytes whose root is a mapping.

    Args:
        data: the text as UTF-8.

    Raises:
        InputError: not UTF-8, not YAML, with aliases or tags, too deep or too long, or not a mapping.
    """
    return _root(parse_yaml(data, file), file)


def parse_figures(data: bytes, file: str) -> Section:
    """Read JSON bytes whose root is a mapping: for figures, which are too many for the lines of YAML.

    Args:
        data: the text as UTF-8.

    Raises:
        InputError: not UTF-8, not JSON, too deep, or not a mapping.
    """
    return _root(parse_json(data, file), file)


def parse_stamp(stamp: object) -> tuple[str, int] | None:
    """Kind and version of `KIND/VERSION`; None for what is no stamp."""
    match = _STAMP.fullmatch(stamp) if isinstance(stamp, str) else None
    return None if match is None else (match[1], int(match[2]))


def stamped_kind(head: bytes) -> str | None:
    """The kind that a document names at its head, in YAML or JSON; None for none. The rest is not read."""
    match = _HEAD.match(head)
    return None if match is None else match[1].decode()


def dump_document(kind: str, version: int, fields: Mapping[str, Any]) -> str:
    """The text of a YAML document, fields in the order given.

    Args:
        kind: what the document is, such as `workload`, for the stamp.
        version: of the kind's format, 1 or more.
    """
    return dump_yaml(_stamped(kind, version, fields))


def dump_figures(kind: str, version: int, fields: Mapping[str, Any], *, indent: int | None = 2) -> str:
    """The text of a JSON document, fields in the order given; it is YAML as well.

    Args:
        kind: what the document is, such as `report`, for the stamp.
        version: of the kind's format, 1 or more.
        indent: spaces a level; None puts all on one line without spaces.

    Raises:
        ValueError: a number is not finite, which JSON cannot say.
    """
    separators = None if indent else (",", ":")
    stamped = _stamped(kind, version, fields)
    text = json.dumps(stamped, indent=indent, separators=separators, ensure_ascii=False, allow_nan=False)
    return _NOT_IN_YAML.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n"


def _stamped(kind: str, version: int, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields behind their stamp; one that they had already gives way."""
    stamped = {STAMP: "", **fields}
    stamped[STAMP] = f"{kind}/{version}"
    return stamped


def _root(value: object, file: str) -> Section:
    if not isinstance(value, Fields):
        raise InputError("does not start with fields", file=file, found=shown(value), allowed="a mapping")
    return Section(value, file)
