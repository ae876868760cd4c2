"""Colours and faces, light and dark, by name.

Series colours are the Okabe-Ito set, darkened on white and lightened on black until each has a contrast of
at least 3:1 with its ground; they stay apart under the three common kinds of colour blindness, and series
beyond the first also differ by dash or label. Text has at least 4.5:1.

Source: M. Okabe and K. Ito, Color Universal Design, 2008; WCAG 2.2, 1.4.3 and 1.4.11.
"""

from __future__ import annotations

from collections.abc import Mapping

SANS = (
    'Inter, "Segoe UI", system-ui, -apple-system, Roboto, "Helvetica Neue", "DejaVu Sans", Arial, sans-serif'
)
"""Face of text: whatever the reader's system has; nothing is fetched."""
MONO = 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace'
"""Face of method names, paths and commands."""

LIGHT: Mapping[str, str] = {
    "page": "#f6f7f9",
    "card": "#ffffff",
    "sunk": "#f1f3f6",
    "ink": "#15202b",
    "soft": "#465361",
    "faint": "#5f6c7a",
    "line": "#d9dfe6",
    "grid": "#e9edf1",
    "accent": "#005b94",
    "good": "#00694b",
    "good-wash": "#e2f4ed",
    "warning": "#8a4b00",
    "warning-wash": "#fdf1dd",
    "bad": "#a8231c",
    "bad-wash": "#fdeae8",
    "neutral-wash": "#e6f0f8",
    "c1": "#0072b2",
    "c2": "#d55e00",
    "c3": "#00875f",
    "c4": "#aa4a8a",
    "c5": "#8a6d00",
    "c6": "#15202b",
    "c7": "#5f6c7a",
}
"""Values of the light page, by token."""

DARK: Mapping[str, str] = {
    "page": "#0e141b",
    "card": "#161e27",
    "sunk": "#1d2732",
    "ink": "#e8edf2",
    "soft": "#b4c0cc",
    "faint": "#93a1af",
    "line": "#2d3945",
    "grid": "#25303b",
    "accent": "#6cbcf5",
    "good": "#4fd1a5",
    "good-wash": "#10302a",
    "warning": "#f5b858",
    "warning-wash": "#362812",
    "bad": "#ff8b80",
    "bad-wash": "#3b1c1b",
    "neutral-wash": "#15293a",
    "c1": "#5fb4ee",
    "c2": "#ff8c42",
    "c3": "#35c795",
    "c4": "#e491c6",
    "c5": "#e0c04a",
    "c6": "#e8edf2",
    "c7": "#9aa7b4",
}
"""Values of the dark page, by token."""

SERIES = ("c1", "c2", "c3", "c4", "c5", "c6", "c7")
"""Tokens of series colours, in the order they are given out."""


def colour(token: str) -> str:
    """The CSS variable of a colour, which follows the reader's light or dark setting.

    Raises:
        KeyError: no such token.
    """
    if token not in LIGHT:
        raise KeyError(token)
    return f"var(--{token})"


def series_colour(index: int) -> str:
    """Colour of the n-th series, from 0; starts over after the last."""
    return colour(SERIES[index % len(SERIES)])


def css_variables() -> str:
    """The tokens as CSS custom properties: light by default and in print, dark where the reader asks."""
    light = "".join(f"--{token}:{value};" for token, value in LIGHT.items())
    dark = "".join(f"--{token}:{value};" for token, value in DARK.items())
    faces = f"--sans:{SANS};--mono:{MONO};"
    return (
        f":root{{color-scheme:light dark;{faces}{light}}}"
        f"@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"
    )
