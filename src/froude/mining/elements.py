"""Elements of repeated fields by their place: an effect's `{each}` counts them, whether they are numbered or named.

Elements of a list that stands for a map are named by their keys in leaf paths (`hadoop.leaves`).
"""

from __future__ import annotations

import re

from froude.mining.events import Leaves

EACH = "{each}"
_INDEX = re.compile(r"\[[^\]]+\]")


def number_of(leaves: Leaves, listed: str, word: str) -> int:
    """An element's number in its list, in the order of the message.

    Args:
        leaves: of the message, by path.
        listed: path of the repeated field.
        word: what stands for the element between brackets: its number, or its key.
    """
    return int(word) if word.isdigit() else _words(leaves, listed).index(word)


def element_path(leaves: Leaves, path: str, number: int) -> str:
    """A path in which `{each}` stands for an element, as it is in a message.

    Args:
        leaves: of the message, by path.
        path: with `{each}` once, or without.
        number: of the element.
    """
    listed, each, rest = path.partition(f"[{EACH}]")
    numbered = f"{listed}[{number}]{rest}"
    if not each or numbered in leaves:
        return numbered if each else path
    words = _words(leaves, listed)
    return f"{listed}[{words[number]}]{rest}" if number < len(words) else numbered


def leaf_name(path: str) -> str:
    """A leaf path's last name, without indices.

    Args:
        path: of the leaf.
    """
    return _INDEX.sub("", path).rpartition(".")[2]


def _words(leaves: Leaves, listed: str) -> list[str]:
    prefix = f"{listed}["
    inside = (path[len(prefix) :].partition("]")[0] for path in leaves if path.startswith(prefix))
    return list(dict.fromkeys(inside))
