"""Numbers left blank on purpose: a draft says `blank` where its measurements are silent, for the user to fill in."""

from __future__ import annotations

from collections.abc import Iterable

from froude.base.errors import InputError
from froude.provision.inputs.tree import Element, Flaws

BLANK = "blank"
"""The word that stands for a number which is not known yet."""

_NOT_NUMBERS = frozenset(
    {"name", "task", "dataset", "bus", "profile", "phase", "local_to", "memory_unit", "op"}
)
_REMEDIES = {
    ("compute", "time"): "measure or estimate it",
    ("task", "memory"): "say what one execution needs",
    ("dataset", "size"): "ask the file system, for example by hdfs dfs -du",
    ("dataset", "replication"): "say how many copies are kept; dfs.replication has the file system's default",
    ("io", "record_size"): "say the bytes of one record",
    ("sla", "rate"): "say what must be sustained",
}


def is_blank(text: str) -> bool:
    """Whether a field's text says that its number is not known yet."""
    return text.strip() == BLANK


def note_blanks(elements: Iterable[Element], flaws: Flaws, above: str = "") -> None:
    """Note every number that is still blank, with the element and what stands above it.

    Args:
        elements: of one level; their children are looked at too.
        above: title of the element that holds them, such as `task Read`; empty at the top and in `application`.
    """
    for element in elements:
        named = next((element.fields[n].text for n in ("name", "task", "dataset") if n in element.fields), "")
        title = " ".join(part for part in (element.tag, named, above and f"of {above}") if part)
        for name, text in element.fields.items():
            if name not in _NOT_NUMBERS and is_blank(text.text):
                remedy = _REMEDIES.get((element.tag, name), "fill it in")
                place = f" of {above}" if above else ""
                where = f"{name} of {title}" if named else f"{element.tag} {name}{place}"
                flaws.note(InputError(f"{where} is blank: {remedy}", file=element.file, place=text.line))
        inner = title if element.tag != "application" else ""
        note_blanks(element.children, flaws, inner)
