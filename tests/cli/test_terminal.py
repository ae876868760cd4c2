"""Names from files and peers do not steer a terminal."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.cli.settings import Settings
from froude.cli.terminal import visible, visible_json

_STEERING = ["\x1b[2J", "\r", "\x07", "\x9b2J", "\x7f", "\u202e", "\u2066", "\udcff"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[2Jb", "a\\x1b[2Jb"),
        ("a\rb", "a\\rb"),
        ("\u202egnp", "\\u202egnp"),
        ("\x9b", "\\x9b"),
        ("a\tb\nc ü 名 \u00a0", "a\tb\nc ü 名 \u00a0"),
    ],
)
def test_what_is_shown(text: str, shown: str) -> None:
    """Escapes in place of controls; line feeds, tabs and every script stay."""
    assert visible(text) == shown


@given(st.text())
def test_documents_keep_their_values(text: str) -> None:
    """JSON has escapes of its own."""
    shown = visible_json(json.dumps({text: text}, ensure_ascii=False))
    assert json.loads(shown) == {text: text}
    assert visible(shown) == shown


@pytest.mark.parametrize("steering", _STEERING)
def test_every_way_out_is_guarded(steering: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Results, remarks and documents."""
    settings = Settings()
    settings.out(f"a{steering}b")
    settings.note(f"a{steering}b")
    Settings(json=True).emit(f'"a{steering}b"')
    shown = capsys.readouterr()
    assert steering not in shown.out + shown.err
    assert (shown.out + shown.err).count("a\\") == 3
