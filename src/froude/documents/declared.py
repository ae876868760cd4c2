"""Values whose fields are declared once: type, range, default and a line of description.

A value is a frozen dataclass that derives from `Declared`. From its declaration come the check of a value made in
Python, the strict reading of YAML, the writing of it, a commented template, and the reference page. A field's *form*
(`forms`) follows from its type, or stands beside it in `Annotated`; its description is the text under it.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, fields
from enum import Enum
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, NamedTuple, Self, TypeVar, get_args, get_origin, get_type_hints

from froude.base.errors import nearest
from froude.base.units import Quantity
from froude.documents.forms import (
    Amount,
    Change,
    Each,
    FieldError,
    Flag,
    Form,
    Maybe,
    Named,
    Place,
    Seconds,
    Size,
    Text,
    Word,
    below,
)
from froude.documents.plain import Fields


class Example(NamedTuple):
    """What a template shows of a field that is empty by default."""

    value: Any
    """As it is written."""
    active: bool = False
    """Whether it stands there as a value, for the user to replace, instead of in a comment."""


class Declared:
    """A value whose fields are declared; its subclasses are frozen dataclasses with keyword arguments only."""

    __slots__ = ()

    def __post_init__(self) -> None:
        """Bring each field to its form.

        Raises:
            InputError: one may not be, or they do not go together.
        """
        for each in declared(type(self)):
            value = getattr(self, each.name)
            with below(each.key):
                object.__setattr__(self, each.name, each.form.read(value))
        self.check()

    def check(self) -> None:
        """Refuse fields that do not go together; those of a subclass may.

        Raises:
            InputError: they do not.
        """

    def plain(self) -> dict[str, Any]:
        """What reads as this value again: all but fields that are empty by default and here."""
        written = {}
        for each in declared(type(self)):
            value = getattr(self, each.name)
            plain = each.form.write(value)
            if value != each.default or plain not in (None, [], {}):
                written[each.key] = plain
        return written

    def moved(self, change: Change) -> Self:
        """This value with every path in it changed."""
        values = {
            each.name: each.form.moved(getattr(self, each.name), change) for each in declared(type(self))
        }
        return type(self)(**values)


D = TypeVar("D", bound=Declared)


@dataclass(frozen=True)
class Inner(Form):
    """A section: a value that is declared itself."""

    kind: type[Declared]
    allowed = "a section"

    def read(self, value: Any) -> Declared:
        """Field by field."""
        return value if isinstance(value, self.kind) else from_plain(self.kind, value)

    def write(self, value: Any) -> dict[str, Any]:
        """Field by field."""
        return value.plain()  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class Declaration:
    """One field, as it was declared."""

    name: str
    form: Form
    default: Any
    """`MISSING` where it must be given."""
    kind: type[Declared]
    """What it is a field of."""
    example: Example | None = None

    @property
    def key(self) -> str:
        """Its name in a document: without the unit, which is written with the value, and as `raise` of `raise_`."""
        unit = {Seconds: "_s", Size: "_bytes"}.get(type(self.single), "")
        return self.name.removesuffix(unit).removesuffix("_")

    @property
    def single(self) -> Form:
        """The form of its value where it has one."""
        return self.form.form if isinstance(self.form, Maybe) else self.form

    @property
    def about(self) -> str:
        """The text under it."""
        texts = (_descriptions(each).get(self.name) for each in self.kind.__mro__)
        return next((text for text in texts if text), "")

    @property
    def required(self) -> bool:
        """Whether it must be given."""
        return self.default is MISSING

    @property
    def section(self) -> type[Declared] | None:
        """What is declared within it; None for a single value."""
        return self.form.kind if isinstance(self.form, Inner) else None


def declared(kind: type[Declared]) -> tuple[Declaration, ...]:
    """The fields of a kind of value, its own before those that it inherits."""
    known: Any = kind  # mypy takes no class for hashable whose values may not be
    return _declared(known)


@cache
def _declared(kind: Any) -> tuple[Declaration, ...]:
    hints = get_type_hints(kind, include_extras=True)
    by_name = {each.name: each for each in fields(kind)}
    order = dict.fromkeys(
        name for each in kind.__mro__ for name in inspect.get_annotations(each) if name in by_name
    )
    return tuple(
        Declaration(name, form_of(hints[name]), _default(by_name[name]), kind, _example(hints[name]))
        for name in order
    )


def from_plain(kind: type[D], value: Any) -> D:
    """A value of what YAML gives.

    Args:
        value: a mapping; of its fields, those that are null count as absent. None reads as an empty one.

    Raises:
        FieldError: a field is missing, unknown, or may not hold what it does.
    """
    mapping = {} if value is None else value
    if not isinstance(mapping, Mapping):
        keys = ", ".join(each.key for each in declared(kind))
        raise FieldError("has the wrong type", found=repr(value), allowed=f"fields with their values: {keys}")
    lines, own = (mapping.lines, mapping.line) if isinstance(mapping, Fields) else ({}, None)
    known = {each.key: each for each in declared(kind)}
    for key in mapping:
        if key not in known:
            message = f"is not a field here{nearest(str(key), known)}"
            raise FieldError(message, names=(str(key),), line=lines.get(key), allowed=known)
    values = {}
    for key, each in known.items():
        if mapping.get(key) is None:
            if not each.required:
                continue
            if each.section is None:
                raise FieldError(f"{key} is missing", line=own, allowed=f"a field {key}: {each.form.allowed}")
        with below(key, lines.get(key, own)):
            values[each.name] = each.form.read(mapping.get(key))
    try:
        return kind(**values)
    except FieldError as error:  # of fields that do not go together; each by itself was read above
        error.line = lines.get(error.names[0] if error.names else "", own)
        raise


def form_of(hint: Any) -> Form:
    """The form of a type.

    Args:
        hint: a type, perhaps `Annotated` with a form.

    Raises:
        TypeError: no field can be of that type.
    """
    if get_origin(hint) is Annotated:
        base, *extras = get_args(hint)
        form = next((extra for extra in extras if isinstance(extra, Form)), None)
        if form is None:
            return form_of(base)
        return Maybe(form) if NoneType in get_args(base) else form
    arguments = get_args(hint)
    if NoneType in arguments:
        (inner,) = (each for each in arguments if each is not NoneType)
        return Maybe(form_of(inner))
    if get_origin(hint) is tuple:
        return Each(form_of(arguments[0]))
    if get_origin(hint) is not None and issubclass(get_origin(hint), Mapping):
        return Named(form_of(arguments[1]))
    return _form_of_class(hint)


def _form_of_class(kind: Any) -> Form:
    if issubclass(kind, Declared):
        return Inner(kind)
    if issubclass(kind, Enum):
        return Word(kind)
    simple: dict[type, Form] = {bool: Flag(), str: Text(), Path: Place(), Quantity: Amount()}
    if kind not in simple:
        raise TypeError(f"a field of {kind} says its form beside it")
    return simple[kind]


def _default(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _example(hint: Any) -> Example | None:
    return next((extra for extra in getattr(hint, "__metadata__", ()) if isinstance(extra, Example)), None)


@cache
def _descriptions(kind: type) -> Mapping[str, str]:
    """The text under each attribute of a class's own; none where its source is not there."""
    if "__dataclass_fields__" not in vars(kind):
        return {}
    return {
        node.target.id: " ".join(str(text.value.value).split())
        for node, text in pairwise(_bodies(kind.__module__).get(kind.__qualname__, []))
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
    }


@cache
def _bodies(module: str) -> Mapping[str, list[ast.stmt]]:
    """What is in each class of a module, read once for all of them."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (OSError, TypeError):
        return {}
    return {node.name: node.body for node in tree.body if isinstance(node, ast.ClassDef)}
