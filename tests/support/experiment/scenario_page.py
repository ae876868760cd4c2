"""The reference page of scenarios, made from their declarations."""

from __future__ import annotations

from collections.abc import Iterator

from froude.documents.model import Declaration, Model, Shape, declared
from froude.documents.plain import dump_yaml
from froude.experiment.scenario.scenario import KINDS


def walk(kind: type[Model], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Declaration]]:
    """Every field of a kind with the names that lead to it, a section before what is in it.

    Args:
        above: names that lead to it.
    """
    for each in declared(kind):
        names = (*above, each.key)
        yield names, each
        if each.shape.section is not None:
            yield from walk(each.shape.section, names)


def reference() -> str:
    """The tables of all fields, kind by kind, in Markdown; a section that several kinds have stands once."""
    shown: dict[type[Model], None] = {}
    parts = []
    for kind, value in KINDS.items():
        parts.append(f"## kind: {kind}\n\n{value.__doc__}\n\n{field_table(value)}")
        for section in _sections(value):
            shown.setdefault(section)
    parts += [f"## {each.__name__}\n\n{each.__doc__}\n\n{field_table(each)}" for each in shown]
    return "\n\n".join(parts) + "\n"


def _sections(kind: type[Model]) -> Iterator[type[Model]]:
    for each in declared(kind):
        section = each.shape.item.section
        if section is not None:
            yield section
            yield from _sections(section)


def field_table(kind: type[Model]) -> str:
    """The table of a kind's fields, in Markdown."""
    rows = ["| field | default | allowed | meaning |", "|---|---|---|---|"]
    rows += [
        f"| `{each.key}` | {_default_text(each)} | {_allowed_text(each.shape)} | {_cell(each.about)} |"
        for each in declared(kind)
    ]
    return "\n".join(rows)


def _default_text(each: Declaration) -> str:
    if each.shape.section is not None:
        return ""
    if each.required:
        return "**required**"
    plain = each.write(each.default)
    return "" if plain in (None, [], {}) else f"`{dump_yaml({'x': plain}).removeprefix('x:').strip()}`"


def _allowed_text(shape: Shape) -> str:
    section = shape.item.section
    if section is None:
        return _cell(shape.allowed)
    around = "names, each with " if shape.named else "a list of " if shape.many else ""
    return f"{around}[{section.__name__}](#{section.__name__.lower()})"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("{", "&#123;")
