"""Names out of paths, users and contexts: identifiers that any file form takes, each once.

A trace may hold anything, and may be redacted: what is not a letter, a digit or `_` becomes `_`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_FOREIGN = re.compile(r"[^A-Za-z0-9]+")
_LONGEST = 48
_YAML_WORDS = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n", "blank", "nan", "inf"})


def identifier(text: str, fallback: str) -> str:
    """A name for something: letters, digits and `_`, beginning with a letter; `fallback` where nothing is left.

    Args:
        fallback: a name that stands alone where the text has no letter or digit, and before one that begins otherwise.
    """
    name = _FOREIGN.sub("_", text).strip("_")[:_LONGEST].rstrip("_")
    if not name:
        return fallback
    if not name[0].isalpha() or name.lower() in _YAML_WORDS:
        return f"{fallback}_{name}"[:_LONGEST]
    return name


def distinct(texts: Iterable[str], fallback: str) -> list[str]:
    """An identifier for each text, told apart by a number where two would be equal; linear.

    Args:
        texts: of any characters, in the order of the result.
    """
    taken: dict[str, int] = {}
    names = []
    for text in texts:
        name = base = identifier(text, fallback)
        while name in taken:
            taken[base] += 1
            name = f"{base}_{taken[base]}"
        taken.setdefault(name, 1)
        names.append(name)
    return names


def one_line(text: str, longest: int = 100) -> str:
    """A text of a peer in a comment: one line, printable, cut.

    Args:
        longest: most characters of the result, 1 or more.
    """
    plain = "".join(c if c.isprintable() else "?" for c in text)
    return plain if len(plain) <= longest else plain[: longest - 1] + "…"
