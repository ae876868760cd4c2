"""Colours that everybody can tell apart."""

import math
from itertools import combinations

import pytest

from froude.render.theme import DARK, LIGHT, SERIES, colour, css_variables, series_colour


def contrast(colour: str, other: str) -> float:
    """Contrast ratio of two `#rrggbb` colours, 1 to 21 (WCAG 2.2, relative luminance)."""
    high, low = sorted((_luminance(colour), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_contrast(colours: dict[str, str]) -> None:
    """Text reaches 4.5:1 on every ground it stands on, series 3:1."""
    for ground in ("page", "card", "sunk"):
        for token in ("ink", "soft", "faint", "accent"):
            assert contrast(colours[token], colours[ground]) >= 4.5, (token, ground)
    for token in SERIES:
        assert contrast(colours[token], colours["card"]) >= 3, token
    for tone in ("good", "warning", "bad"):
        assert contrast(colours[tone], colours[f"{tone}-wash"]) >= 4.5, tone
        assert contrast(colours["ink"], colours[f"{tone}-wash"]) >= 4.5, tone
        assert contrast(colours["card"], colours[tone]) >= 4.5, tone


def test_no_two_series_look_alike() -> None:
    """Two blues are one line to a reader; the distance is that of red, green and blue together."""
    for colours in (LIGHT, DARK):
        parts = {token: [int(colours[token][i : i + 2], 16) for i in (1, 3, 5)] for token in SERIES}
        for one, other in combinations(SERIES, 2):
            assert math.dist(parts[one], parts[other]) > 60, (one, other)


def test_both_themes_have_every_token() -> None:
    """Dark lacks nothing that light has."""
    assert LIGHT.keys() == DARK.keys()
    assert all(f"--{token}:" in css_variables() for token in LIGHT)


def test_colours_are_variables_of_the_page() -> None:
    """Series start over after the last; an unknown token is a mistake."""
    assert colour("ink") == "var(--ink)"
    assert series_colour(7) == "var(--c1)"
    with pytest.raises(KeyError):
        colour("mauve")
