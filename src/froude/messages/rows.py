"""Leaves of many messages in little room: messages with the same leaf paths share them as one `Shape`.

A run has millions of messages of a few dozen shapes. A `Row` is one message: its shape, and the values in the order of
the shape's paths. It is a mapping from path to value as any other; what looks at all messages asks the shape once, and
then reads `cells` by number.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, Mapping, ValuesView
from typing import Any, final, overload
from weakref import WeakValueDictionary

from froude.messages.leaves import Value


class Shape:
    """The leaf paths of a message, in its order. Of equal paths there is one shape at a time."""

    __slots__ = ("__weakref__", "paths", "places")

    def __init__(self, paths: tuple[str, ...]) -> None:
        """Use `shape_of`, which gives the one that there is."""
        self.paths = paths
        self.places = {path: place for place, path in enumerate(paths)}
        """Where in `paths` each stands."""

    def __reduce__(self) -> tuple[Any, ...]:
        return shape_of, (self.paths,)


_shapes: WeakValueDictionary[tuple[str, ...], Shape] = WeakValueDictionary()


def shape_of(paths: Iterable[str]) -> Shape:
    """The shape of messages with these leaf paths.

    Args:
        paths: each once, in the message's order.
    """
    key = tuple(paths)
    shape = _shapes.get(key)
    if shape is None:
        shape = _shapes[key] = Shape(key)
    return shape


@final
class Row(Mapping[str, Value]):
    """The leaves of one message."""

    __slots__ = ("cells", "shape")

    def __init__(self, shape: Shape, cells: tuple[Value, ...]) -> None:
        """A message.

        Args:
            cells: as many values, in their order.
        """
        self.shape = shape
        self.cells = cells

    @classmethod
    def of(cls, leaves: Mapping[str, Value]) -> Row:
        """Any mapping of leaf paths to values as a row."""
        return leaves if isinstance(leaves, Row) else cls(shape_of(leaves), tuple(leaves.values()))

    def __getitem__(self, path: str) -> Value:
        return self.cells[self.shape.places[path]]

    @overload
    def get(self, path: str, /) -> Value: ...
    @overload
    def get(self, path: str, /, default: Any) -> Any: ...
    def get(self, path: str, /, default: Any = None) -> Any:
        """The value of a leaf, or the default where the message lacks it."""
        place = self.shape.places.get(path)
        return default if place is None else self.cells[place]

    def __iter__(self) -> Iterator[str]:
        return iter(self.shape.paths)

    def __len__(self) -> int:
        return len(self.cells)

    def __contains__(self, path: object) -> bool:
        return path in self.shape.places

    def items(self) -> ItemsView[str, Value]:
        """All leaves."""
        return dict(zip(self.shape.paths, self.cells, strict=True)).items()

    def values(self) -> ValuesView[Value]:
        """The values of all leaves."""
        return dict(zip(self.shape.paths, self.cells, strict=True)).values()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Row) and other.shape is self.shape:
            return self.cells == other.cells
        return isinstance(other, Mapping) and dict(self) == dict(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(dict(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return Row, (self.shape, self.cells)


EMPTY = Row(shape_of(()), ())
"""Of a message without leaves, or in place of one that never came."""
