"""Flags that are fields of a document: name, help, range, unit and default come from the field's declaration.

A parameter of a command that is annotated with `Fields` becomes a flag for each of them, in its place, and the command
gets a mapping from which the value is made: `load: Annotated[Given, Fields(PlanLoad, "pacing speed")]`.
"""

from __future__ import annotations

import functools
import inspect
import math
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from operator import getitem
from typing import Annotated, Any

import typer

from froude.cli.inputs import pairs
from froude.cli.numbers import finite
from froude.documents.forms import FieldError, Number, PlaceForm, Seconds, below
from froude.documents.model import Declaration, Model, Shape, declared

Given = Mapping[str, Any]
"""Values of fields by their names in Python; those of flags that were not given are absent."""


class Fields:
    """The fields of a declared value that are flags.

    Args:
        names: of the fields, with blanks between, in the order in which help shows them.
        flags: names of flags that are called otherwise than their fields.
        more: what help adds to a field's own text.
        optional: whether flags have no value where they are not given, though their fields have a default, which help
            shows; so that it is known which were given.
    """

    def __init__(
        self,
        kind: type[Model],
        names: str,
        *,
        flags: Mapping[str, str] | None = None,
        more: Mapping[str, str] | None = None,
        optional: bool = False,
    ) -> None:
        by_name = {each.name: each for each in declared(kind)}
        self._fields = [by_name[name] for name in names.split()]
        self._named, self._more = flags or {}, more or {}
        self._optional = optional

    @property
    def flags(self) -> dict[str, str]:
        """Each flag by its field's name in a document."""
        return {each.key: self._flag(each) for each in self._fields}

    @property
    def parameters(self) -> list[inspect.Parameter]:
        """What typer makes a flag of, a field each."""
        return [self._parameter(each) for each in self._fields]

    def given(self, values: dict[str, Any]) -> Given:
        """The fields' values, taken out of those of all flags, and read before the command reads anything.

        Raises:
            BadParameter: a flag that names each of its values has one without a name.
            FieldError: a field may not have such a value.
        """
        found = {}
        for each in self._fields:
            value = self._value(each, values.pop(each.name))
            if value is not None:
                with below(each.key):
                    found[each.name] = each.read(value)
        return found

    def _flag(self, field: Declaration) -> str:
        return self._named.get(field.name) or "--" + field.key.replace("_", "-")

    def _value(self, field: Declaration, value: Any) -> Any:
        if field.shape.named and value is not None:
            return pairs(value, self._flag(field))
        if isinstance(field.shape.form, Seconds) and value is not None:
            with suppress(ValueError):
                return float(value)
        return value

    def _parameter(self, field: Declaration) -> inspect.Parameter:
        shape, default = field.shape, field.default
        many = shape.many or shape.named
        kind: Any = list[_kind(shape.item)] if many else _kind(shape)  # type: ignore[misc]
        settings: dict[str, Any] = {}
        if isinstance(shape.form, Number):
            settings = {"min": _finite(shape.form.least), "max": _finite(shape.form.most), "callback": finite}
        elif isinstance(shape.form, Seconds):
            settings, default = {"metavar": "TIME"}, default and field.write(default)
        elif many:
            number = isinstance(shape.item.form, Number)
            settings = {"metavar": "NAME=VALUE" if shape.named else "NUMBER" if number else "TEXT"}
        usual = f"[{field.write(field.default)}]" if self._optional and default else ""
        text = " ".join(part for part in (_help(field), self._more.get(field.name), usual) if part)
        option = typer.Option(self._flag(field), help=text, **settings)
        empty = default is None or many or self._optional
        annotation = getitem(Annotated, (kind | None if empty else kind, option))
        return inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None if empty else default,
            annotation=annotation,
        )


def with_fields(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose parameters of `Fields` are flags; errors about a field name its flag.

    Args:
        command: gets a `Given` for each such parameter.
    """
    parameters: list[inspect.Parameter] = []
    groups: dict[str, Fields] = {}
    for each in inspect.signature(command, eval_str=True).parameters.values():
        metadata = getattr(each.annotation, "__metadata__", ())
        fields = next((extra for extra in metadata if isinstance(extra, Fields)), None)
        if fields is not None:
            groups[each.name] = fields
        added = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY)] if fields is None else fields.parameters
        parameters += added
    flags = {key: flag for fields in groups.values() for key, flag in fields.flags.items()}

    @functools.wraps(command)
    def with_flags(**values: Any) -> None:
        with _as_flags(flags):
            given = {name: fields.given(values) for name, fields in groups.items()}
            command(**values, **given)

    with_flags.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    with_flags.__annotations__ = {}  # typer reads the signature
    return with_flags


@contextmanager
def _as_flags(flags: Mapping[str, str]) -> Iterator[None]:
    """Errors of the block about a field are about its flag.

    Raises:
        FieldError: those errors, with the flag.
    """
    try:
        yield
    except FieldError as error:
        names = [name for name in error.names if not name.startswith("[")]
        if names:
            last = next((name for name in reversed(names) if name in flags), names[-1])
            error.place = flags.get(last, "--" + last.replace("_", "-"))
        raise


def _kind(shape: Shape) -> Any:
    """What typer makes of a flag's text."""
    if isinstance(shape.form, Number):
        return int if shape.form.whole else float
    plain = shape.base is bool or isinstance(shape.form, PlaceForm) or shape.word
    return shape.base if plain else str


def _finite(bound: float) -> float | None:
    return bound if math.isfinite(bound) else None


def _help(field: Declaration) -> str:
    """The text under the field, with an example, and whether the flag is repeated."""
    shape = field.shape
    value = field.example.value if field.example else None
    first = value[0] if isinstance(value, list) and value else value
    parts = [field.about]
    if isinstance(first, str) and not (shape.word or isinstance(shape.form, PlaceForm)):
        parts.append(f"Such as {shlex.quote(first)}.")
    if shape.many or shape.named:
        parts.append("Repeatable.")
    return " ".join(parts)
