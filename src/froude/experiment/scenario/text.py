"""What the declaration of a scenario says, for people: a commented file of each kind."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from froude.documents.forms import Number, PlaceForm
from froude.documents.lineage import KIND
from froude.documents.model import Declaration, Model, declared
from froude.documents.plain import dump_yaml
from froude.documents.reading import STAMP
from froude.experiment.scenario.scenario import KINDS, MIGRATIONS

_WIDTH = 100


def template(kind: str) -> str:
    """A scenario of a kind with every field, commented; valid as it stands where the files that it names are.

    Args:
        kind: one of `KINDS`.
    """
    head = f"""{KINDS[kind].__doc__}
Relative paths are relative to this file's folder. What stands behind # is left out; the rest is the default."""
    lines = [*_comment(head), f"{STAMP}: {MIGRATIONS.stamp}", f"{KIND}: {kind}", *_fields(KINDS[kind])]
    return "\n".join([*lines, ""])


def _fields(kind: type[Model], indent: str = "") -> Iterator[str]:
    for number, each in enumerate(declared(kind)):
        if number or not indent:
            yield ""
        yield from _comment(each.about + _allowed(each), indent)
        if each.shape.section is not None:
            yield f"{indent}{each.key}:"
            yield from _fields(each.shape.section, f"{indent}  ")
        else:
            value, active = _shown(each)
            for line in dump_yaml({each.key: value}).splitlines():
                yield f"{indent}{'' if active else '# '}{line}"


def _shown(each: Declaration) -> tuple[Any, bool]:
    """What a template shows of a field, and whether it is in force there."""
    plain = None if each.required else each.write(each.default)
    if each.example is not None and (each.example.active or plain in (None, [], {})):
        return each.example.value, each.example.active
    return plain, plain is not None


def _comment(text: str, indent: str = "") -> Iterator[str]:
    for line in text.splitlines():
        for part in textwrap.wrap(line, _WIDTH - len(indent)):
            yield f"{indent}# {part}"


def _allowed(each: Declaration) -> str:
    """What may stand there, where the description does not say it anyway."""
    form = each.shape.form
    plain = form == Number(whole=True) or isinstance(form, PlaceForm)
    return f" ({each.shape.allowed})" if (form or each.shape.word) and not plain else ""
