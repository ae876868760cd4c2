"""Strict reading of the YAML that people write: every error names file, line and field.

A `Section` hands out its fields by name and type; `finish()` refuses what nobody asked for: a misspelt key
is an error, not a default. Anchors and aliases are refused, so a small file cannot grow in memory.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent

from froude.base.errors import InputError
from froude.base.files import atomic_write_text, read_bounded

LIMIT_BYTES = 64 << 20
"""Largest document read."""
DEPTH_LIMIT = 60
"""Deepest nesting read; real documents stay under twenty."""

T = TypeVar("T")


class Section:
    """A mapping of a document, read field by field."""

    def __init__(self, fields: CommentedMap, file: str, path: str = "") -> None:
        """Wrap a mapping that stands at `path` in `file`."""
        self._fields = fields
        self._asked: set[str] = set()
        self.file = file
        self.path = path

    def __contains__(self, name: str) -> bool:
        return name in self._fields

    def names(self) -> list[str]:
        """The names present, in the file's order; asks for all of them."""
        self._asked.update(map(str, self._fields))
        return [str(name) for name in self._fields]

    def error(
        self, name: str | None, message: str, *, found: object = None, allowed: object = None
    ) -> InputError:
        """An error about a field, or about the section itself, with its line."""
        line = _line(self._fields, name)
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
        if name not in self._fields:
            if required:
                raise self.error(None, f"{name} is missing", allowed=f"a field {name}")
            return None
        return self._fields[name]

    def value(self, name: str, kind: type[T], default: T | None = None) -> T:
        """A scalar of a type; without a default it is required.

        Raises:
            InputError: absent without a default, or of another type.
        """
        found = self.raw(name, required=default is None)
        if found is None and default is not None:
            return default
        if kind is float and isinstance(found, int) and not isinstance(found, bool):
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
            return Section(CommentedMap(), self.file, self._below(name))
        if not isinstance(found, CommentedMap):
            raise self.error(name, "has the wrong type", found=_describe(found), allowed="a mapping")
        return Section(found, self.file, self._below(name))

    def sections(self, name: str) -> Iterator[Section]:
        """The mappings of a list below; an absent list is empty."""
        for number, item in enumerate(self.items(name)):
            if not isinstance(item, CommentedMap):
                raise self.error(
                    name, f"item {number} has the wrong type", found=_describe(item), allowed="a mapping"
                )
            yield Section(item, self.file, f"{self._below(name)}[{number}]")

    def items(self, name: str) -> list[Any]:
        """The items of a list below; an absent list is empty."""
        found = self.raw(name)
        if found is None:
            return []
        if not isinstance(found, CommentedSeq):
            raise self.error(name, "has the wrong type", found=_describe(found), allowed="a list")
        return list(found)

    def wrap(self, value: CommentedMap, name: str) -> Section:
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

    def finish(self) -> None:
        """Refuse fields that nobody asked for.

        Raises:
            InputError: there is one.
        """
        for name in self._fields:
            if str(name) not in self._asked:
                raise self.error(str(name), "is not a field here", allowed=", ".join(sorted(self._asked)))

    def _below(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name


def load_document(path: Path, kind: str, versions: range) -> tuple[Section, int]:
    """Read a YAML document that starts with `froude: KIND/VERSION`.

    Args:
        path: the file.
        kind: what it must be, for example `workload`.
        versions: which format versions are understood.

    Returns:
        Its root section and its format version.

    Raises:
        InputError: unreadable, not YAML, another kind, or a version from the future.
    """
    root = parse_document(read_bounded(path, limit_bytes=LIMIT_BYTES), str(path))
    stamp = root.value("froude", str)
    found_kind, _, version = stamp.partition("/")
    if found_kind != kind or not version.isdigit() or int(version) not in versions:
        allowed = " or ".join(f"{kind}/{v}" for v in versions)
        raise root.error("froude", "another kind or version of document", found=stamp, allowed=allowed)
    return root, int(version)


def parse_document(data: bytes, file: str) -> Section:
    """Read YAML bytes whose root is a mapping.

    Raises:
        InputError: not UTF-8, not YAML, with aliases, too deep, or not a mapping.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise InputError("is not UTF-8 text", file=file, place=f"byte {error.start}") from error
    try:
        _refuse_tricks(text, file)
        root = YAML(typ="rt").load(io.StringIO(text))
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise InputError(
            f"is not YAML ({error.problem})", file=file, place=mark.line + 1 if mark else None
        ) from error
    except (YAMLError, ValueError, RecursionError) as error:
        raise InputError(f"is not YAML ({type(error).__name__})", file=file) from error
    if not isinstance(root, CommentedMap):
        raise InputError("does not start with fields", file=file, found=_describe(root), allowed="a mapping")
    return Section(root, file)


def write_document(path: Path, kind: str, version: int, fields: Mapping[str, Any]) -> None:
    """Write a YAML document with its `froude: KIND/VERSION` line, whole or not at all."""
    atomic_write_text(path, dump_document(kind, version, fields))


def dump_document(kind: str, version: int, fields: Mapping[str, Any]) -> str:
    """The text of a YAML document, fields in the order given."""
    yaml = YAML(typ="rt")
    yaml.width = 110
    yaml.indent(mapping=2, sequence=4, offset=2)
    out = io.StringIO()
    yaml.dump({"froude": f"{kind}/{version}", **fields}, out)
    return out.getvalue()


def _refuse_tricks(text: str, file: str) -> None:
    depth = 0
    for event in YAML(typ="safe", pure=True).parse(io.StringIO(text)):
        if isinstance(event, AliasEvent):
            line = event.start_mark.line + 1
            raise InputError(
                "uses an alias", file=file, place=line, allowed="plain YAML without anchors and aliases"
            )
        name = type(event).__name__
        depth += name.endswith(("MappingStartEvent", "SequenceStartEvent"))
        depth -= name.endswith(("MappingEndEvent", "SequenceEndEvent"))
        if depth > DEPTH_LIMIT:
            raise InputError("is nested too deep", file=file, allowed=f"at most {DEPTH_LIMIT} levels")


def _line(fields: CommentedMap, name: str | None) -> int | None:
    try:
        if name is not None and name in fields:
            return int(fields.lc.key(name)[0]) + 1
        return None if fields.lc.line is None else int(fields.lc.line) + 1
    except (AttributeError, KeyError, TypeError):
        return None


def _describe(value: object) -> str:
    names = {CommentedMap: "a mapping", CommentedSeq: "a list", type(None): "nothing"}
    return names.get(type(value), repr(value))
