"""YAML and JSON texts as plain values and back: every mapping and list knows its lines, no text can exhaust us.

libyaml splits the text into events; the values are built here, so that depth, lengths, aliases and tags are
refused before anything is spent on them. What a plain word means is YAML 1.2's core schema: `yes`, `1:30` and
dates are texts. Keys are texts as they stand.
"""

from __future__ import annotations

import base64
import binascii
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NoReturn

import yaml

from froude.base.errors import InputError

DEPTH_LIMIT = 60
"""Deepest nesting read; real documents stay under twenty."""
LONGEST_LINE = 1 << 20
"""Longest line, and longest single value, in characters."""
LONGEST_NUMBER = 100
"""Most characters of a number: more digits than any quantity has, and few enough to be worked with."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_WORDS: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?\d[\d_]*|0x[0-9a-fA-F]+|0o[0-7]+", re.ASCII)
_FLOAT = re.compile(
    r"[-+]?(?:\.\d+|\d[\d_]*(?:\.[\d_]*)?)(?:[eE][-+]?\d+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
    re.ASCII,
)
_COMMENT = re.compile(r"(#[^\n]*)")
_BLOCK_HEADER = re.compile(r"[|>][-+0-9]*[ \t]+(#[^\n]*)")
"""The first line of a text that goes on over several; a `#` in the others begins no comment."""
_TAG = "tag:yaml.org,2002:"
_BREAKS = re.compile("[\x85\u2028\u2029\ufeff]")
"""Line breaks of Unicode, which only a text in double quotes keeps as they are."""


class Fields(dict[str, Any]):
    """A mapping of a document, with the line of each key and its own."""

    __slots__ = ("line", "lines")

    def __init__(
        self, fields: Mapping[str, Any] | Iterable[tuple[str, Any]] = (), line: int | None = None
    ) -> None:
        """Fields, by default of no known line.

        Args:
            fields: keys and values, in the document's order.
            line: where the mapping begins, from 1; None where no file stands behind it.
        """
        super().__init__(fields)
        self.line = line
        self.lines: dict[str, int] = {}


class OneLine(dict[str, Any]):
    """A mapping that is written on one line, in braces."""


class OneLineItems(list[Any]):
    """A list that is written on one line, in brackets."""


class Items(list[Any]):
    """A list of a document, with the line of each item and its own."""

    __slots__ = ("line", "lines")

    def __init__(self, items: Iterable[Any] = (), line: int | None = None) -> None:
        """Items, by default of no known line.

        Args:
            items: the values, in the document's order.
            line: where the list begins, from 1; None where no file stands behind it.
        """
        super().__init__(items)
        self.line = line
        self.lines: list[int] = []


def parse_yaml(data: bytes, file: str) -> Any:
    """The value of a YAML text: Fields, Items, or a scalar.

    Args:
        data: the text, UTF-8.

    Raises:
        InputError: not UTF-8, not YAML, several documents, an alias, a tag, a key twice, or beyond a limit.
    """
    text = _decoded(data, file)
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > LONGEST_LINE:
            raise _beyond("has a line too long", file, number, len(line))
    try:
        return _Builder(yaml.parse(text, Loader=_LOADER), file).value()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = mark.line + 1 if mark else None
        raise InputError(f"is not YAML ({error.problem})", file=file, place=place) from error
    except yaml.YAMLError as error:
        raise InputError(f"is not YAML ({_first_line(error)})", file=file) from error


def yaml_comments(text: str) -> Iterator[re.Match[str]]:
    """The comments of a YAML text, in their order; group 1 is a comment with its `#`.

    Args:
        text: that `parse_yaml` reads.
    """
    end = 0
    for token in yaml.scan(text, Loader=_LOADER):
        start = token.start_mark.index
        yield from _COMMENT.finditer(
            text, end, max(start, end)
        )  # only white space is between tokens otherwise
        block = getattr(token, "style", None) in {"|", ">"}
        if block and (header := _BLOCK_HEADER.match(text, start)):
            yield header
        end = max(end, token.end_mark.index)
    yield from _COMMENT.finditer(text, end)


def parse_json(data: bytes, file: str) -> Any:
    """The value of a JSON text: Fields, lists and scalars, without lines.

    Args:
        data: the text, UTF-8.

    Raises:
        InputError: not UTF-8, not JSON, a key twice, nested too deep, or a number that is none or too long.
    """

    def fields(pairs: list[tuple[str, Any]]) -> Fields:
        mapping = Fields(pairs)
        if len(mapping) < len(pairs):
            raise ValueError("a key stands twice in one object")
        return mapping

    def no_number(text: str) -> NoReturn:
        raise ValueError(f"{text[:20]} is no number")

    def whole(text: str) -> int:
        return int(text) if len(text) <= LONGEST_NUMBER else no_number(text)

    text = _decoded(data, file)
    try:
        return json.loads(text, object_pairs_hook=fields, parse_constant=no_number, parse_int=whole)
    except json.JSONDecodeError as error:
        raise InputError(f"is not JSON ({error.msg})", file=file, place=error.lineno) from error
    except (ValueError, RecursionError) as error:
        what = "nested too deep" if isinstance(error, RecursionError) else error
        raise InputError(f"is not JSON of ours ({what})", file=file) from error


def dump_yaml(fields: Mapping[str, Any]) -> str:
    """The YAML text of a mapping, in its order; `parse_yaml` gives equal values."""
    out = io.StringIO()
    yaml.dump(
        dict(fields), out, _Dumper, sort_keys=False, allow_unicode=True, width=110, default_flow_style=False
    )
    return out.getvalue()


class _Dumper(yaml.SafeDumper):  # type: ignore[misc] # it has no types
    """Quotes what `parse_yaml` would take for something else, indents lists, and never writes an alias."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> Any:  # noqa: ARG002
        """Lists stand two spaces inside what they belong to."""
        return super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        """Equal objects are written again."""
        return True

    def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:
        """The tag that our reader gives a plain scalar; only then may it stand without quotes."""
        if kind is not yaml.ScalarNode or not implicit[0]:
            return super().resolve(kind, value, implicit)
        return _TAG + {type(None): "null"}.get(type(meaning := _resolved(value)), type(meaning).__name__)


def _represent_text(dumper: Any, text: str) -> Any:
    return dumper.represent_scalar(f"{_TAG}str", text, style='"' if _BREAKS.search(text) else None)


def _represent_line(dumper: Any, fields: OneLine) -> Any:
    return dumper.represent_mapping(f"{_TAG}map", fields.items(), flow_style=True)


def _represent_items(dumper: Any, items: OneLineItems) -> Any:
    return dumper.represent_sequence(f"{_TAG}seq", items, flow_style=True)


_Dumper.add_representer(str, _represent_text)
_Dumper.add_representer(OneLineItems, _represent_items)
_Dumper.add_representer(OneLine, _represent_line)
_Dumper.add_representer(Fields, _Dumper.represent_dict)
_Dumper.add_representer(Items, _Dumper.represent_list)


class _Builder:
    """Values out of libyaml's events; its stack is ours, so that depth costs nothing but a comparison."""

    def __init__(self, events: Iterator[Any], file: str) -> None:
        self._events = events
        self._file = file

    def value(self) -> Any:
        """The value of the only document; None for an empty one."""
        top = Items()
        open_: list[tuple[Fields | Items, str | None]] = []
        here: Fields | Items = top
        key: str | None = None
        for event in self._events:
            if isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                here, key = open_.pop()
                continue
            value = self._begun(event)
            if value is _NOTHING:
                continue
            line = event.start_mark.line + 1
            if isinstance(here, Fields) and key is None:
                key = self._key(event, here, line)
                continue
            if isinstance(here, Fields):
                assert key is not None
                here[key] = value
                key = None
            else:
                if here is top and top:
                    raise self._error("holds more than one document", line)
                here.append(value)
                here.lines.append(line)
            if isinstance(value, (Fields, Items)):
                open_.append((here, key))
                here, key = value, None
                if len(open_) > DEPTH_LIMIT:
                    raise self._error("is nested too deep", line, allowed=f"at most {DEPTH_LIMIT} levels")
        return top[0] if top else None

    def _begun(self, event: Any) -> Any:
        """The value that an event begins or is; `_NOTHING` for one that belongs to the text's frame."""
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise self._error("uses an anchor or alias", line, allowed="plain YAML without them")
        if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            if event.tag is not None:
                raise self._error("has a tag", line, found=event.tag, allowed="plain YAML without tags")
            return Fields(line=line) if isinstance(event, yaml.MappingStartEvent) else Items(line=line)
        return self._scalar(event, line) if isinstance(event, yaml.ScalarEvent) else _NOTHING

    def _scalar(self, event: Any, line: int) -> Any:
        text = event.value
        if len(text) > LONGEST_LINE:
            raise _beyond("has a value too long", self._file, line, len(text))
        if event.tag == f"{_TAG}binary":
            try:
                return base64.b64decode("".join(text.split()), validate=True)
            except (binascii.Error, ValueError) as error:
                raise self._error("has binary data that is not base64", line) from error
        if event.tag not in {None, "!", f"{_TAG}str"}:
            raise self._error("has a tag", line, found=event.tag, allowed="!!binary, or none")
        if event.tag is not None or not event.implicit[0]:
            return text
        if len(text) > LONGEST_NUMBER and (_INTEGER.fullmatch(text) or _FLOAT.fullmatch(text)):
            raise _beyond("has a number too long", self._file, line, len(text), LONGEST_NUMBER)
        return _resolved(text)

    def _key(self, event: Any, fields: Fields, line: int) -> str:
        if not isinstance(event, yaml.ScalarEvent):
            raise self._error("has a key that is no text", line)
        if event.value in fields:
            raise self._error("has a key twice", line, found=event.value[:80])
        fields.lines[event.value] = line
        return str(event.value)

    def _error(self, message: str, line: int, **parts: Any) -> InputError:
        return InputError(message, file=self._file, place=line, **parts)


_NOTHING = object()


def _resolved(text: str) -> Any:
    """What a plain word means."""
    if text in _WORDS:
        return _WORDS[text]
    if len(text) <= LONGEST_NUMBER:
        if _INTEGER.fullmatch(text):
            return int(text.replace("_", ""), 0 if text[:2] in {"0x", "0o"} else 10)
        if _FLOAT.fullmatch(text):
            return float(text.lower().replace("_", "").replace(".inf", "inf").replace(".nan", "nan"))
    return text


def _decoded(data: bytes, file: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("is not UTF-8 text", file=file, place=f"byte {error.start}") from error


def _beyond(message: str, file: str, line: int, length: int, limit: int = LONGEST_LINE) -> InputError:
    found, allowed = f"{length:,} characters", f"at most {limit:,}"
    return InputError(message, file=file, place=line, found=found, allowed=allowed)


def _first_line(error: Exception) -> str:
    return " ".join(str(error).split())[:120]


def shown(value: object) -> str:
    """What a value is, for an error: a mapping and a list by that word, nothing else is long."""
    if isinstance(value, Mapping):
        return "a mapping"
    return "a list" if isinstance(value, (list, tuple)) else "nothing" if value is None else repr(value)
