"""Values of a table of calls: the cells of a CSV, the argument lists in them, and names that protobuf can hold.

A CSV says nothing of types, so a cell is kept as its text (`Cell`) until every value of its column was seen.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection
from typing import Any

from froude.base.errors import InputError

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?")
_TRUTH = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_PAIR = re.compile(
    r'\s*+([A-Za-z_][\w.-]*+)\s*+(?:=|:(?=\s))\s*+(?:("(?:[^"\\]|\\.)*+")\s*+|([^,;{}"]*+))(?:[,;]|$)'
)
"""`name=value` or `name: value`; without the blank behind it, a colon may be that of `host:port`.

Nothing is tried twice, so that a text of any length is read in linear time.
"""
_NO_NAME = re.compile(r"[^A-Za-z0-9_]")
DEEPEST = 32
"""Objects and lists within one another, at most."""


class Cell(str):
    """The text of a CSV's cell, of which only all cells of its column say what type it is."""

    __slots__ = ()

    def guess(self) -> int | float | bool | str:
        """The value that the text reads as.

        Numbers with leading zeros or beyond a double's range, and all that is no number, stay text.
        """
        if self in _TRUTH:
            return _TRUTH[self]
        if _INTEGER.fullmatch(self):
            return int(self) if len(self) < 20 else str(self)
        if _DECIMAL.fullmatch(self) and math.isfinite(number := float(self)):
            return number
        return str(self)


def parse_json(text: str) -> Any:
    """A JSON value.

    Raises:
        InputError: none, with the place; or one that no protobuf message can hold (NaN, 1e999,
            two fields of one name, half a character). It quotes nothing of the text.
    """
    try:
        value = json.loads(text, parse_constant=_no_constant, parse_float=_number, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise InputError("is no JSON", found=f"{error.msg} at character {error.pos + 1}") from error
    except (ValueError, RecursionError) as error:
        raise InputError("is no JSON that can be read", found=str(error)) from error
    if text.count("[") + text.count("{") > DEEPEST and _is_deeper(value, DEEPEST):
        raise InputError("is too deep", allowed=f"at most {DEEPEST} objects and lists within one another")
    if "\\u" in text:
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except (UnicodeEncodeError, RecursionError) as error:
            raise InputError("holds half a character") from error
    return value


def _is_deeper(value: Any, levels: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_is_deeper(each, levels - 1) for each in inner)


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number beyond a double's range")
    return number


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("two fields of one name")
    return made


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is no number")


def parse_arguments(text: str) -> Any:
    """What a single cell of arguments or of an answer holds.

    Args:
        text: a JSON value that is an object, a list or a text in quotes; or pairs `name=value` or `name: value`,
            separated by commas or semicolons, with or without braces around; or one plain value.

    Raises:
        InputError: begins like JSON or like pairs, and is neither.
    """
    text = text.strip()
    if text[:1] in ("[", '"'):
        return parse_json(text)
    if text.startswith("{"):
        try:
            return parse_json(text)
        except InputError:
            pairs = _pairs(text[1:-1]) if text.endswith("}") else None
            if pairs is None:
                raise
            return pairs
    pairs = _pairs(text)
    return Cell(text) if pairs is None else pairs


def _pairs(text: str) -> dict[str, Any] | None:
    """The pairs of a list, a dot in a name leading to a field of a field; None for what is no such list."""
    root: dict[str, Any] = {}
    at, text = 0, text.strip()
    while at < len(text):
        match = _PAIR.match(text, at)
        if match is None:
            return None
        name, quoted, plain = match[1], match[2], match[3]
        put(root, tuple(name.split(".")), parse_json(quoted) if quoted else Cell(plain.rstrip()))
        at = match.end()
    return root


def put(root: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    """Put a value where a path leads to; an empty cell is no value.

    Raises:
        InputError: something else stands there.
    """
    if value == "" and isinstance(value, Cell):
        return
    if len(path) > DEEPEST:
        raise InputError("is too deep", allowed=f"at most {DEEPEST} names with dots between")
    for name in path[:-1]:
        root = root.setdefault(name, {})
        if not isinstance(root, dict):
            raise InputError("is given twice, as a value and as more", place=".".join(path))
    if path[-1] in root:
        raise InputError("is given twice", place=".".join(path))
    root[path[-1]] = value


def is_name(key: str) -> bool:
    """Whether a key reads as the name of a field, or as a header's (`user-id`), and not as a value."""
    return bool(key) and (key[0].isalpha() or key[0] == "_") and key.replace("-", "_").isidentifier()


def identifier(name: str, taken: Collection[str]) -> str:
    """A name that protobuf allows, as like the given one as can be.

    Args:
        taken: names that are used in the same place.
    """
    plain = _NO_NAME.sub("_", name) or "_"
    plain = f"_{plain}" if plain[0].isdigit() else plain
    unique, number = plain, 1
    while unique in taken:
        number += 1
        unique = f"{plain}_{number}"
    return unique
