"""What a figures file says that its form refuses, as an error of ours."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from froude.base.errors import InputError

_MOST_SHOWN = 80


def refused(error: ValidationError, file: Path) -> InputError:
    """The first thing that is wrong, with its place in the file.

    Args:
        error: what the form says.
    """
    first = error.errors()[0]
    place = ".".join(map(str, first["loc"]))
    message = first["msg"].removeprefix("Value error, ")  # of a check of ours
    return InputError(message, file=file, place=place, found=str(first["input"])[:_MOST_SHOWN])
