"""How wide texts of the pattern's picture are, and how they are made to fit.

There is no font to ask when a report is written, so widths are those of the widest usual faces: what fits
here fits everywhere.
"""

from __future__ import annotations


def width(text: str, size: float, *, mono: bool = False, bold: bool = False) -> float:
    """Pixels that a text of this size takes at most.

    Args:
        bold: whether it is bold; a monospaced one is as wide either way.
    """
    per_character = 0.605 if mono else (0.64 if bold else 0.575)
    return len(text) * size * per_character


def fit(text: str, room: float, size: float, *, mono: bool = False, bold: bool = False) -> str:
    """The text, or as much of its beginning as fits, with an ellipsis."""
    if width(text, size, mono=mono, bold=bold) <= room:
        return text
    per_character = width("x", size, mono=mono, bold=bold)
    return text[: max(1, int(room / per_character) - 1)].rstrip() + "…"


def wrap(text: str, room: float, size: float, lines: int) -> list[str]:
    """The text in at most so many lines, broken between words; the last one is cut where it must be.

    Args:
        size: of the font, pixels; neither monospaced nor bold.
        lines: the most there may be, at least 1.
    """
    broken: list[str] = []
    for word in text.split():
        if broken and width(f"{broken[-1]} {word}", size) <= room:
            broken[-1] += f" {word}"
        else:
            broken.append(word)
    kept = broken[:lines]
    if len(broken) > lines:
        kept[-1] = " ".join(broken[lines - 1 :])
    return [fit(line, room, size) for line in kept]
