"""Elements of inputs without a file around them."""

from __future__ import annotations

from froude.provision.inputs.tree import Element, Flaws, Text


def element(tag: str, *children: Element, line: int = 1, **fields: str) -> Element:
    """One element; each field stands on its line."""
    return Element(tag, "f", line, {name: Text(text, line) for name, text in fields.items()}, children)


def messages(flaws: Flaws) -> list[str]:
    """Each flaw in words."""
    return [str(flaw) for flaw in flaws.found()]
