"""Standard output is for results, and names from files and peers do not steer a terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys

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


_NOISY = """
import ctypes, os, subprocess, sys
from froude.cli import app
from froude.experiment.scenario import shipped

quiet = shipped.shipped

def noisy():
    print("noise of Python")
    os.write(1, b"noise of C\\n")
    ctypes.CDLL(None).puts(b"noise of stdio")
    subprocess.run(["/bin/echo", "noise of a child"])
    return quiet()

shipped.shipped = noisy
app.main(WORDS)
"""
_NOISE = {"noise of Python", "noise of C", "noise of stdio", "noise of a child"}


def noisy(*words: str, **streams: object) -> subprocess.CompletedProcess[str]:
    """A command whose library prints to standard output in every way."""
    program = [sys.executable, "-c", _NOISY.replace("WORDS", repr(list(words)))]
    return subprocess.run(program, capture_output=not streams, text=True, check=False, **streams)  # type: ignore[call-overload,no-any-return]


def test_what_libraries_print_is_not_in_a_json_document() -> None:
    """It goes to standard error; the document of an error is clean as well."""
    done = noisy("scenario", "list", "--json")
    assert (done.returncode, "kinds" in json.loads(done.stdout)) == (0, True)
    assert set(done.stderr.splitlines()) == _NOISE
    failed = noisy("scenario", "new", "nope", "--json")
    assert (failed.returncode, "error" in json.loads(failed.stdout)) == (1, True)
    assert set(failed.stderr.splitlines()) > _NOISE


def test_without_json_nothing_changes() -> None:
    """Standard output is the command's, help included."""
    assert set(noisy("scenario", "list").stdout.splitlines()) > _NOISE
    assert "Usage" in noisy("scenario", "list", "--json", "--help").stdout


def test_closed_streams_are_no_error() -> None:
    """A reader that has gone, and standard streams that the caller closed."""
    words = ["scenario", "list", "--json"]
    main = f"{sys.executable} -c 'from froude.cli.app import main; main()' {' '.join(words)}"
    for streams, out in ((">&- 2>&-", ""), ("2>&-", "kinds")):
        done = subprocess.run(f"{main} {streams}", shell=True, stdout=subprocess.PIPE, text=True, check=False)
        assert (done.returncode, out in done.stdout) == (0, True)
        assert not done.stdout or json.loads(done.stdout)
    read, write = os.pipe()
    os.close(read)
    gone = noisy(*words, stdout=write, stderr=subprocess.PIPE)
    assert (gone.returncode, set(gone.stderr.splitlines())) == (1, _NOISE)
    os.close(write)
