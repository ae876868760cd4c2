"""The command line finds commands, catches errors once, and states its exit codes."""

import json

import pytest

from froude.base.errors import InputError
from froude.cli import app
from froude.cli.app import hoist, run


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


def test_interruption_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a shell expects of Ctrl-C."""

    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(app, "resolve", interrupted)
    assert run(["doctor"]) in {1, 130}


def test_every_command_has_help_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    """A newcomer finds a worked example behind every --help."""
    for name in app.COMMANDS:
        assert run([name, "--help"]) == 0
        out = capsys.readouterr().out
        assert "Example" in out or "COMMAND" in out, name


def test_precedence_of_global_flags(tmp_path: pytest.TempPathFactory) -> None:
    """Flag, then environment, then the workspace's file, then the default."""
    from pathlib import Path

    from froude.cli.settings import resolve

    folder = Path(str(tmp_path))
    (folder / "froude.toml").write_text("[defaults]\nseed = 3\nworkers = 2\n")
    flags = {"workspace": folder}
    assert resolve(flags, {}).seed == 3
    assert resolve(flags, {"FROUDE_SEED": "4"}).seed == 4
    assert resolve({**flags, "seed": 5}, {"FROUDE_SEED": "4"}).seed == 5
    assert resolve(flags, {}).workers == 2
    with pytest.raises(InputError, match="not a seed; found x"):
        resolve(flags, {"FROUDE_SEED": "x"})


def test_json_prints_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    """And nothing else on stdout."""
    run(["hadoop", "show", "--json"])
    json.loads(capsys.readouterr().out)
