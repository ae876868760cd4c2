"""Documents whose fields are declared once, as frozen pydantic models: type, range, default and a line of description.

From the declaration come the check of a value made in Python, the strict reading of YAML, the writing of it, a commented
template, flags, and the reference page. A field's range and unit stand beside its type in `Annotated` (`forms`); its
description is the text under it. In a document it is called without its unit, which is written with the value.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, NamedTuple, Self, get_args, get_origin

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    TypeAdapter,
    ValidationError,
    model_serializer,
    model_validator,
)
from pydantic.fields import FieldInfo

from froude.base.errors import nearest
from froude.documents.forms import FieldError, Form, Seconds, Size, below
from froude.documents.plain import Fields, Items, shown

Flag = Annotated[bool, Field(strict=True)]
"""The type of a field that is true or false: no number, and no word that means one of them."""
Change = Callable[[Path], Path]
_MOST_SHOWN = 80
_OURS = {"extra_forbidden": "is not a field here"}
"""By kind of error, where the words of pydantic are about classes."""
_ALLOWED = {
    "int_type": "a whole number",
    "float_type": "a number",
    **dict.fromkeys(("list_type", "tuple_type"), "a list"),
    **dict.fromkeys(("dict_type", "model_type", "dataclass_type"), "a mapping"),
}


class Example(NamedTuple):
    """What a template shows of a field that is empty by default."""

    value: Any
    """As it is written."""
    active: bool = False
    """Whether it stands there as a value, for the user to replace, instead of in a comment."""


class Model(BaseModel):
    """A value whose fields are declared."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    def __init__(self, /, **fields: Any) -> None:
        """Bring each field to its form.

        Raises:
            FieldError: one may not be, or they do not go together.
        """
        try:
            super().__init__(**fields)
        except ValidationError as error:
            raise stated(error, type(self)) from error

    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined] # sections are then made without it, and its error

    @model_validator(mode="before")
    @classmethod
    def _under_names(cls, given: Any) -> Any:
        """Bring names of a document to those of attributes; fields of a document that are null count as absent."""
        if not isinstance(given, Mapping):
            return given
        known = {each.key: each for each in declared(cls)}
        if not isinstance(given, Fields):
            new = {key: each.name for key, each in known.items() if each.name not in given}
            return {new.get(key, key): value for key, value in given.items()}
        for key in given:
            if key not in known:
                message = f"is not a field here{nearest(str(key), known)}"
                raise FieldError(message, names=(str(key),), allowed=known)
        needed = {each.name: Fields() for each in known.values() if each.required and each.shape.section}
        return needed | {
            known[key].name: _with_empty(known[key].shape, value)
            for key, value in given.items()
            if value is not None
        }

    @model_validator(mode="after")
    def _checked(self) -> Self:
        with below():
            self.check()
        return self

    def check(self) -> None:
        """Refuse fields that do not go together; those of a subclass may.

        Raises:
            InputError: they do not.
        """

    @model_serializer(mode="wrap")
    def _written(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        plain = write(self)
        return {
            each.key: plain[each.name]
            for each in declared(type(self))
            if plain[each.name] not in (None, [], {}) or getattr(self, each.name) != each.default
        }

    def plain(self) -> dict[str, Any]:
        """What reads as this value again: all but fields that are empty by default and here."""
        return self.model_dump(mode="json")

    def replaced(self, **fields: Any) -> Self:
        """This value with other fields.

        Raises:
            FieldError: one may not be so.
        """
        return type(self)(**{**dict(self), **fields})

    def moved(self, change: Change) -> Self:
        """This value with every path in it changed, within lists, names and sections, too."""
        return self.replaced(**{name: moved(value, change) for name, value in self})


def _with_empty(shape: Shape, value: Any) -> Any:
    """A field of a document in which sections by names, or in a list, that are null are empty ones."""
    if shape.item.section is None:
        return value
    if shape.named and isinstance(value, Fields):
        return Fields({name: Fields() if each is None else each for name, each in value.items()}, value.line)
    return (
        Items([Fields() if each is None else each for each in value]) if isinstance(value, Items) else value
    )


def moved(value: Any, change: Change) -> Any:
    """A value of a field with every path in it changed, within lists, names and sections, too."""
    if isinstance(value, Path):
        return change(value)
    if isinstance(value, tuple):
        return tuple(moved(item, change) for item in value)
    if isinstance(value, Mapping):
        return {name: moved(inner, change) for name, inner in value.items()}
    return value.moved(change) if isinstance(value, Model) else value


# --- what was declared ------------------------------------------------------------------------------------


class Shape(NamedTuple):
    """The type of a field, taken apart."""

    base: Any = None
    """Without what stands beside it, and without None."""
    form: Form | None = None
    """What stands beside it; None where the type says all."""

    @classmethod
    def of(cls, hint: Any) -> Shape:
        """That of a type, perhaps `Annotated`, perhaps with None."""
        form = None
        while get_origin(hint) is Annotated or NoneType in get_args(hint):
            hint, *beside = (each for each in get_args(hint) if each is not NoneType)
            form = form or next((each for each in beside if isinstance(each, Form)), None)
        return cls(hint, form)

    @property
    def many(self) -> bool:
        """Whether it is a list."""
        return self.form is None and get_origin(self.base) in {tuple, list}

    @property
    def named(self) -> bool:
        """Whether it is values by names that the writer chooses."""
        return self.form is None and get_origin(self.base) in {dict, Mapping}

    @property
    def word(self) -> bool:
        """Whether it is one of the words of an enumeration."""
        return isinstance(self.base, type) and issubclass(self.base, Enum)

    @property
    def item(self) -> Shape:
        """What each is, of a list or of names; any other is itself."""
        return Shape.of(get_args(self.base)[self.named]) if self.many or self.named else self

    @property
    def section(self) -> type[Model] | None:
        """What is declared within it; None for a single value."""
        return self.base if isinstance(self.base, type) and issubclass(self.base, Model) else None

    @property
    def allowed(self) -> str:
        """What may stand there, in words; empty where that is not known."""
        if self.form is not None:
            return self.form.allowed
        if self.many or self.named:
            return f"{'names, each with' if self.named else 'a list of'}: {self.item.allowed}"
        if self.section is not None:
            return f"fields with their values: {', '.join(each.key for each in declared(self.section))}"
        if self.word:
            return ", ".join(str(member.value) for member in self.base)
        return {str: "a text", bool: "true or false"}.get(self.base, "")


@dataclass(frozen=True, slots=True)
class Declaration:
    """One field, as it was declared."""

    name: str
    key: str
    """Its name in a document: without the unit, which is written with the value, and as `raise` of `raise_`."""
    hint: Any
    """Its type, with what stands beside it."""
    shape: Shape
    required: bool
    """Whether it must be given."""
    default: Any
    """None where it must be given."""
    example: Example | None
    kind: type[Model]
    """What it is a field of."""

    @property
    def about(self) -> str:
        """The text under it."""
        kinds = (each for each in self.kind.__mro__ if issubclass(each, Model))
        return next((text for each in kinds if (text := _descriptions(each).get(self.name))), "")

    def read(self, value: Any) -> Any:
        """What it may hold, of what YAML gives, or of a value.

        Raises:
            FieldError: it may not hold that.
        """
        return read(self.hint, value)

    def write(self, value: Any) -> Any:
        """What reads as the value again; plain."""
        return TypeAdapter(self.hint).dump_python(value, mode="json")


@cache
def declared(kind: type[Model]) -> tuple[Declaration, ...]:
    """The fields of a kind of value, its own before those that it inherits."""
    names = dict.fromkeys(name for each in kind.__mro__ for name in inspect.get_annotations(each))
    return tuple(
        _declaration(kind, name, kind.model_fields[name]) for name in names if name in kind.model_fields
    )


def _declaration(kind: type[Model], name: str, info: FieldInfo) -> Declaration:
    hint = info.rebuild_annotation()
    shape, needed = Shape.of(hint), info.is_required()
    unit = "_s" if isinstance(shape.form, Seconds) else "_bytes" if isinstance(shape.form, Size) else ""
    key = name.removesuffix(unit).removesuffix("_")
    example = next((each for each in info.metadata if isinstance(each, Example)), None)
    return Declaration(name, key, hint, shape, needed, None if needed else info.default, example, kind)


@cache
def _descriptions(kind: type) -> Mapping[str, str]:
    """The text under each attribute of a class's own; none where its source is not there."""
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


# --- reading ----------------------------------------------------------------------------------------------


def read(hint: Any, value: Any) -> Any:
    """The value of a type: of a model, of values of Python, or of both.

    Args:
        hint: the type.
        value: what YAML gives, or what was read before.

    Raises:
        FieldError: it is of another form.
    """
    try:
        return (_adapter(hint) if isinstance(hint, type) else TypeAdapter(hint)).validate_python(value)
    except ValidationError as error:
        raise stated(error, hint) from error


_adapter = cache(TypeAdapter)


def read_fields(hint: Any, fields: Mapping[str, Any], file: str | Path) -> Any:
    """The value of the fields of a document.

    Args:
        hint: its type.

    Raises:
        InputError: with file, line and field of what is wrong.
    """
    try:
        return read(hint, fields)
    except FieldError as error:
        raise error.in_file(file, line_of(fields, error.names, around=True)) from error


def line_of(value: Any, names: tuple[str, ...], *, around: bool = False) -> int | None:
    """The line of a field of a document; None where it has none.

    Args:
        value: the document, as YAML gives it.
        names: of the fields around and its own, the outermost first; `[0]` is the first item of a list.
        around: whether it is that of what is around the field where the document does not have the field.
    """
    line: int | None = getattr(value, "line", None)
    for name in names:
        key: Any = int(name[1:-1]) if isinstance(value, Items) else name
        if not (key in value if isinstance(value, Fields) else isinstance(value, Items) and key < len(value)):
            return (getattr(value, "line", None) or line) if around else None
        line, value = value.lines[key] if value.lines else None, value[key]
    return line


def stated(error: ValidationError, hint: Any) -> FieldError:
    """The first thing that pydantic found wrong, in our words.

    Args:
        hint: the type that the value was to be of.
    """
    first = error.errors()[0]
    kind, value, more = first["type"], first["input"], first.get("ctx", {})
    names, shape = _place(first["loc"], Shape.of(hint))
    if isinstance(inner := more.get("error"), FieldError):
        with below(*names):
            raise inner
    message, _, allowed = first["msg"].partition("Input should be ")
    allowed, remedy = shape.allowed or _ALLOWED.get(kind, allowed), None
    found: str | None = shown(value)[:_MOST_SHOWN]
    if kind == "missing":
        message, found = "is missing", None
        if not names[-1].startswith("["):
            message, allowed = (
                f"{names[-1]} is missing",
                f"a field {names[-1]}" + (allowed and f": {allowed}"),
            )
            names = names[:-1]
    elif kind == "too_short":
        message, found, allowed = "has too few items", more["actual_length"], f"{more['min_length']} or more"
    elif kind == "enum":
        message = "is none of the words that may stand here"
    elif not message:
        message = "has the wrong type" if kind.endswith("_type") else "has a wrong value"
        if kind == "string_type" and isinstance(value, (int, float)) and not isinstance(value, bool):
            remedy = f"Write it in quotes: '{value}'"
        elif kind == "tuple_type" and value is not None and not isinstance(value, Mapping):
            remedy = f"Write one in brackets: [{value}]"
    message = _OURS.get(kind, message.removeprefix("Value error, "))
    return FieldError(message, names=names, found=found, allowed=allowed or None, remedy=remedy)


def _place(loc: tuple[int | str, ...], shape: Shape) -> tuple[tuple[str, ...], Shape]:
    """The names that a document has for the way to a value, and what the value should be."""
    names: list[str] = []
    for part in loc:
        if shape.section is not None:
            each = next((each for each in declared(shape.section) if each.name == part), None)
            names.append(str(part) if each is None else each.key)
            shape = Shape(None) if each is None else each.shape
        else:
            names.append(f"[{part}]" if isinstance(part, int) else part)
            shape = shape.item if shape.many or shape.named else Shape(None)
    return tuple(names), shape
