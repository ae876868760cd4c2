"""Documents and requests with one thing wrong: a field that is misspelled, or `true` in the place of a number."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

Place = tuple[str | int, ...]


def parts(value: Any, at: Place = ()) -> Iterator[tuple[Place, Any]]:
    """A value and all that is in it, each with its place; of a list the first three items."""
    yield at, value
    items = (
        value.items() if isinstance(value, dict) else enumerate(value[:3]) if isinstance(value, list) else ()
    )
    for name, inner in items:
        yield from parts(inner, (*at, name))


def changed(document: Any, at: Place, value: Any) -> Any:
    """A copy with another value at a place."""
    if not at:
        return value
    copied = copy.deepcopy(document)
    here = copied
    for name in at[:-1]:
        here = here[name]
    here[at[-1]] = value
    return copied


def misspelled(document: Any, free: Callable[[Place], bool] = lambda _: False) -> Iterator[tuple[str, Any]]:
    """A name that is wrong, and the document with it next to the right one, for each mapping at every level.

    Args:
        document: plain values.
        free: of the places of mappings whose names the writer chooses.
    """
    for at, value in parts(document):
        if isinstance(value, dict) and value and not free(at):
            name = next(name for name in reversed(value))
            wrong = f"{name[:-1]}{name[-1]}{name[-1]}"
            yield wrong, changed(document, at, {**value, wrong: value[name]})


def true_numbers(
    document: Any, free: Callable[[Place], bool] = lambda _: False
) -> Iterator[tuple[Place, Any]]:
    """The place of a number, and the document with `true` there, for each number.

    Args:
        document: plain values.
        free: of the places where any value may be, or a switch.
    """
    for at, value in parts(document):
        if isinstance(value, int | float) and not isinstance(value, bool) and not free(at):
            yield at, changed(document, at, True)


def below(*names: Sequence[str]) -> Callable[[Place], bool]:
    """Whether a place ends with some names, whatever the numbers of list items between them.

    Args:
        names: the last names of such places; `*` stands for any one.
    """

    def is_free(at: Place) -> bool:
        own = [name for name in at if isinstance(name, str)]
        return any(
            len(own) >= len(tail)
            and all(part in {"*", name} for part, name in zip(tail, own[len(own) - len(tail) :], strict=True))
            for tail in names
        )

    return is_free
