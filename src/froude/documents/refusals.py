"""What a document says that its form refuses, as an error of ours."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from froude.base.errors import InputError
from froude.documents.plain import shown

T = TypeVar("T")
_MOST_SHOWN = 80
_OURS = {"missing": "is missing", "extra_forbidden": "is not a field here"}
"""By kind of error, where the words of pydantic are about classes."""
_ALLOWED = {
    "string_type": "a text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    **dict.fromkeys(("list_type", "tuple_type"), "a list"),
    **dict.fromkeys(("dict_type", "model_type"), "a mapping"),
}


def formed(form: TypeAdapter[T], fields: Mapping[str, Any], file: Path) -> T:
    """The value of a document's fields.

    Raises:
        InputError: they are not of that form.
    """
    try:
        return form.validate_python(fields)
    except ValidationError as error:
        raise refused(error, file) from error


def refused(error: ValidationError, file: Path) -> InputError:
    """The first thing that is wrong, with its place in the file."""
    first = error.errors()[0]
    kind, place = first["type"], ".".join(map(str, first["loc"]))
    message, should, allowed = first["msg"].partition("Input should be ")
    if kind in _ALLOWED or (should and not message):
        message, allowed = "has a wrong value", _ALLOWED.get(kind, allowed)
    message = _OURS.get(kind, message.removeprefix("Value error, "))  # of a check of ours
    found = None if kind == "missing" else shown(first["input"])[:_MOST_SHOWN]
    return InputError(message, file=file, place=place or None, found=found, allowed=allowed or None)
