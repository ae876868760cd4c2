"""The command line finds commands, catches errors once, and states its exit codes."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from froude.cli import app
from froude.cli.app import hoist, run

Out = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("given", "moved"),
    [
        (["mine", "a", "--json"], ["--json", "mine", "a"]),
        (["play", "p", "--seed", "7", "--target", "x"], ["--seed", "7", "play", "p", "--target", "x"]),
        (["mine", "--workers=2", "a"], ["--workers=2", "mine", "a"]),
        (["trace", "--", "--json"], ["trace", "--", "--json"]),
        (["mine", "--seed"], ["--seed", "mine"]),
    ],
)
def test_global_flags_stand_anywhere(given: list[str], moved: list[str]) -> None:
    """They are moved before the command, with their values, up to a bare `--`."""
    assert hoist(given) == moved


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--version"], 0),
        (["--help"], 0),
        ([], 2),
        (["mien"], 2),
        (["extrapolate"], 2),
        (["--seed", "x", "doctor"], 2),
    ],
)
def test_exit_codes(arguments: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Help and version are done; usage errors are 2 and say something."""
    assert run(arguments) == code
    out, err = capsys.readouterr()
    assert out or err


def test_a_wrong_command_names_one_like_it(capsys: pytest.CaptureFixture[str]) -> None:
    """As those within a group do."""
    assert run(["mien"]) == 2
    assert "Did you mean 'mine'?" in capsys.readouterr().err


def test_a_stated_error_is_one_line_and_1(capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong file names itself; no traceback."""
    assert run(["extrapolate", "/nowhere/w.yaml", "--at", "a=1"]) == 1
    err = capsys.readouterr().err
    assert err.startswith("froude: /nowhere/w.yaml: cannot be read")
    assert err.count("\n") == 1


def test_a_bug_is_70_and_says_where(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An exception that nobody stated becomes a message for a report, not a traceback."""

    def broken(_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(app, "resolve", broken)
    assert run(["doctor"]) == 70
    err = capsys.readouterr().err
    assert "a bug of ours: ZeroDivisionError" in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            OSError(5, "Input/output error", "disk.csv"),
            "disk.csv: cannot be read or written (Input/output error)",
        ),
        (OSError("odd"), "cannot be read or written (odd)"),
        (BrokenPipeError(32, "Broken pipe"), "cannot be read or written (Broken pipe)"),  # of a connection
        (MemoryError(), "there is not enough memory for this. Give it less at a time"),
    ],
)
def test_what_the_system_refuses_is_1(
    error: Exception, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of whatever command: one line, and the same as JSON."""

    def refused(_: object) -> None:
        raise error

    monkeypatch.setattr(app, "resolve", refused)
    assert run(["--json", "doctor"]) == 1
    out, err = capsys.readouterr()
    assert err.startswith(f"froude: {said}")
    assert err.count("\n") == 1
    assert json.loads(out)["error"]["message"] in err


@pytest.mark.parametrize("words", [["nope"], ["mine", "--nope"], ["play"]])
def test_a_wrong_command_line_as_json(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """One document, as for any other error; without `--json` standard output stays empty."""
    assert run(["--json", *words]) == 2
    out, err = capsys.readouterr()
    assert json.loads(out) == {"error": {"message": "is a wrong command line: standard error has the reason"}}
    assert "Usage:" in err
    assert run(words) == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "words", ["trace show none --json", "scenario list", "--json scenario list", "--version"]
)
def test_a_full_disk_behind_standard_output_is_1(words: str, unbuffered: str) -> None:
    """Also of an error that shall be printed there, and where Python writes only at its end."""
    command = [sys.executable, "-c", "from froude.cli.entry import main; main()", *words.split()]
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, env=environment
        )
    assert done.returncode == 1
    assert done.stderr.startswith("froude: ")
    assert done.stderr.count("\n") == 1


def test_limits_of_inputs_hold_for_one_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The flag may be repeated, and stand anywhere."""
    (tmp_path / "t.csv").write_text("time,sender,method\n1,a,b\n")
    words = ["trace", "import", "calls", str(tmp_path / "t.csv"), "-o", str(tmp_path / "t"), "--dry-run"]
    assert run([*words, "--max", "columns=2", "--max", "nodes=1"]) == 1
    assert "found 3; allowed: " in capsys.readouterr().err
    assert run(words) == 0


def test_interruption_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a shell expects of Ctrl-C."""

    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(app, "resolve", interrupted)
    assert run(["doctor"]) == 130


def test_a_cancelled_job_ends_as_by_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    """SIGTERM runs every clean-up that Ctrl-C runs."""

    def cancelled(_: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(app, "resolve", cancelled)
    before = {name: signal.getsignal(name) for name in (signal.SIGINT, signal.SIGTERM)}
    try:
        with pytest.raises(SystemExit) as stop:
            app.main(["doctor"])
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)
    assert stop.value.code == 130


_SIGNALLED_AGAIN = """
import os, signal, sys
from froude.cli import app

def cancelled(_):
    os.kill(os.getpid(), signal.SIGTERM)

class Last:
    def __del__(self, kill=os.kill, me=os.getpid(), number=int(sys.argv[1])):
        kill(me, number)

last = Last()
app.resolve = cancelled
app.main(["doctor"])
"""


@pytest.mark.parametrize("again", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_does_not_change_the_exit_code(again: signal.Signals) -> None:
    """However late it comes: here when Python itself has ended its signal handling."""
    command = [sys.executable, "-c", _SIGNALLED_AGAIN, str(int(again))]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (130, "froude: interrupted\n")


def commands(command: object, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command that can be called, as the words that call it."""
    below = getattr(command, "commands", None)
    names = list(below) if below else list(app.COMMANDS) if not words else []
    if not names:
        yield words
    for name in names:
        child = command.get_command(None, name)  # type: ignore[attr-defined]
        child = child.commands.get(name, child) if set(getattr(child, "commands", ())) == {name} else child
        yield from commands(child, (*words, name))


@pytest.mark.parametrize("words", list(commands(typer.main.get_command(app.app))), ids=" ".join)
def test_every_command_has_help_with_an_example(words: tuple[str, ...], capsys: Out) -> None:
    """A newcomer finds a worked example behind every --help, within 80 columns."""
    assert run([*words, "--help"]) == 0
    out = capsys.readouterr().out
    assert "Example: froude" in " ".join(out.split()), out
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize("group", ["hadoop", "trace", "provision"])
def test_the_overview_of_a_group_is_whole(group: str, capsys: Out) -> None:
    """No summary is cut; long ones go on in the next line."""
    assert run([group, "--help"]) == 0
    summaries = capsys.readouterr().out.split("Commands:")[1]
    assert "..." not in summaries
    assert summaries.strip().endswith(".")


@pytest.mark.parametrize(
    "words",
    [
        ("hadoop", "fetch"),
        ("hadoop", "up"),
        ("hadoop", "down"),
        ("demo",),
        ("capture", "proxy", "--target", "127.0.0.1:1", "--listen", "127.0.0.1:0", "-o", "t"),
    ],
    ids=" ".join,
)
def test_a_dry_run_as_json(words: tuple[str, ...], capsys: Out, tmp_path: Path, hadoop: object) -> None:
    """What would be done, as one document; nothing is."""
    assert run(["--json", "--dry-run", "--workspace", str(tmp_path), *words]) == 0
    assert json.loads(capsys.readouterr().out)["dry_run"] is True
    assert list(tmp_path.iterdir()) == []


def test_json_prints_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    """And nothing else on stdout."""
    run(["hadoop", "show", "--json"])
    json.loads(capsys.readouterr().out)
