"""Ranges that the values of the inputs must lie in, and looking one up by its name."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Protocol, TypeVar


class _Named(Protocol):
    @property
    def name(self) -> str: ...


_T = TypeVar("_T", bound=_Named)


def named(things: Iterable[_T], name: str) -> _T:
    """The one of a name.

    Raises:
        KeyError: there is none.
    """
    for thing in things:
        if thing.name == name:
            return thing
    raise KeyError(name)


def positive(name: str, value: float) -> None:
    """Refuse what is not above 0 and finite.

    Raises:
        ValueError: it is out of that range.
    """
    if not (value > 0 and math.isfinite(value)):
        raise ValueError(f"{name} must be above 0 and finite, got {value:g}")


def not_negative(name: str, value: float) -> None:
    """Refuse what is below 0 or not finite.

    Raises:
        ValueError: it is out of that range.
    """
    if not (value >= 0 and math.isfinite(value)):
        raise ValueError(f"{name} must be 0 or above and finite, got {value:g}")


def share(name: str, value: float) -> None:
    """Refuse what does not lie in [0, 1].

    Raises:
        ValueError: it is out of that range.
    """
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must lie in [0, 1], got {value:g}")
