"""Strict reading of documents, ours and those that people write: every error names file, line and field.

A `Section` hands out its fields by name and type; `finish()` refuses what nobody asked for: a misspelt key
is an error, not a default. Every document begins with its stamp, `froude: KIND/VERSION`, in YAML and in JSON.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from froude.base.errors import InputError
from froude.base.plain import Fields, dump_yaml, parse_json, parse_yaml

LIMIT_BYTES = 16 << 20
"""Largest document read; figures, which are read otherwise, have a limit of their own."""
STAMP = "froude"
"""The key that says kind and version of a document; always the first."""
_STAMP = re.compile(r"([a-z][a-z-]*)/(\d{1,6})")
_NOT_IN_YAML = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""What may stand in a JSON text and not, or not as it is, in a YAML one."""

T = TypeVar("T")


class Section:
    """A mapping of a document, read field by field."""

    def __init__(self, fields: Fields, file: str, path: str = "") -> None:
        """Wrap a mapping that stands at `path` in `file`."""
        self.fields = fields
        """The mapping itself."""
        self._asked: set[str] = set()
        self.file = file
        self.path = path

    def __contains__(self, name: str) -> bool:
        return name in self.fields

    def names(self) -> list[str]:
        """The names present, in the file's order; asks for all of them."""
        self._asked.update(map(str, self.fields))
        return [str(name) for name in self.fields]

    def error(
        self, name: str | None, message: str, *, found: object = None, allowed: object = None
    ) -> InputError:
        """An error about a field, or about the section itself, with its line."""
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

        Raises:
            InputError: absent and required.
        """
        self._asked.add(name)
        if name not in self.fields:
            if required:
                raise self.error(None, f"{name} is missing", allowed=f"a field {name}")
            return None
        return self.fields[name]

    def value(self, name: str, kind: type[T], default: T | None = None) -> T:
        """A scalar of a type; without a default it is required.

        Raises:
            InputError: absent without a default, or of another type.
        """
        found = self.raw(name, required=default is None)
        if found is None and default is not None:
            return default
        if kind is float and isinstance(found, (int, float)) and not isinstance(found, bool):
            if not math.isfinite(found):
                raise self.error(name, "is not a finite number", found=found)
            return float(found)  # type: ignore[return-value]
        if not isinstance(found, kind) or (isinstance(found, bool) and kind is not bool):
            raise self.error(name, "has the wrong type", found=_describe(found), allowed=kind.__name__)
        return found

    def optional(self, name: str, kind: type[T]) -> T | None:
        """A scalar that may be absent or null."""
        return None if self.raw(name) is None else self.value(name, kind)

    def section(self, name: str) -> Section:
        """A mapping below; an absent one reads as empty."""
        found = self.raw(name)
        if found is None:
            return Section(Fields(), self.file, self._below(name))
        if not isinstance(found, Fields):
            raise self.error(name, "has the wrong type", found=_describe(found), allowed="a mapping")
        return Section(found, self.file, self._below(name))

    def sections(self, name: str) -> Iterator[Section]:
        """The mappings of a list below; an absent list is empty."""
        for number, item in enumerate(self.items(name)):
            if not isinstance(item, Fields):
                raise self.error(
                    name, f"item {number} has the wrong type", found=_describe(item), allowed="a mapping"
                )
            yield Section(item, self.file, f"{self._below(name)}[{number}]")

    def items(self, name: str) -> list[Any]:
        """The items of a list below; an absent list is empty."""
        found = self.raw(name)
        if found is None:
            return []
        if not isinstance(found, list):
            raise self.error(name, "has the wrong type", found=_describe(found), allowed="a list")
        return list(found)

    def wrap(self, value: Fields, name: str) -> Section:
        """A section for a mapping found below by `raw` or `items`."""
        return Section(value, self.file, self._below(name))

    def convert(self, name: str, convert: Callable[[Any], T]) -> T:
        """A field through a parser; its error gains file, line and field.

        Raises:
            InputError: absent, or refused by the parser.
        """
        found = self.raw(name, required=True)
        try:
            return convert(found)
        except InputError as error:
            raise self.error(
                name, error.message, found=error.found or found, allowed=error.allowed
            ) from error

    def converted(self, name: str, convert: Callable[[Any], T]) -> tuple[T, ...]:
        """The items of a list below, each through a parser; an absent list is empty.

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
                raise self.error(str(name), "is not a field here", allowed=", ".join(sorted(self._asked)))

    def _below(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name


def parse_document(data: bytes, file: str) -> Section:
    """Read YAML bytes whose root is a mapping.

    Raises:
        InputError: not UTF-8, not YAML, with aliases or tags, too deep or too long, or not a mapping.
    """
    return _root(parse_yaml(data, file), file)


def parse_figures(data: bytes, file: str) -> Section:
    """Read JSON bytes whose root is a mapping: for figures, which are too many for the lines of YAML.

    Raises:
        InputError: not UTF-8, not JSON, too deep, or not a mapping.
    """
    return _root(parse_json(data, file), file)


def parse_stamp(stamp: object) -> tuple[str, int] | None:
    """Kind and version of `KIND/VERSION`; None for what is no stamp."""
    match = _STAMP.fullmatch(stamp) if isinstance(stamp, str) else None
    return None if match is None else (match[1], int(match[2]))


def dump_document(kind: str, version: int, fields: Mapping[str, Any]) -> str:
    """The text of a YAML document, fields in the order given."""
    return dump_yaml(_stamped(kind, version, fields))


def dump_figures(kind: str, version: int, fields: Mapping[str, Any], *, indent: int | None = 2) -> str:
    """The text of a JSON document, fields in the order given; it is YAML as well.

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
        raise InputError("does not start with fields", file=file, found=_describe(value), allowed="a mapping")
    return Section(value, file)


def _describe(value: object) -> str:
    if isinstance(value, dict):
        return "a mapping"
    return "a list" if isinstance(value, list) else "nothing" if value is None else repr(value)
