"""Global flags, resolved, and what a command prints."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from froude.base.errors import InputError
from froude.base.input_limits import InputLimits
from froude.base.progress import Silent
from froude.cli.progress import LineProgress, RichProgress
from froude.cli.settings import Settings, resolve

Out = pytest.CaptureFixture[str]


def test_precedence_of_global_flags(tmp_path: Path) -> None:
    """Flag, then environment, then the workspace's file, then the default."""
    (tmp_path / "froude.toml").write_text("[defaults]\nseed = 3\nworkers = 2\n")
    flags: dict[str, Any] = {"workspace": tmp_path}
    assert resolve({"workspace": tmp_path / "none"}, {}).seed == 0
    assert resolve(flags, {}).seed == 3
    assert resolve(flags, {"FROUDE_SEED": "4"}).seed == 4
    assert resolve({**flags, "seed": 5}, {"FROUDE_SEED": "4"}).seed == 5
    assert resolve({**flags, "seed": 0}, {"FROUDE_SEED": "4"}).seed == 0
    assert resolve(flags, {"FROUDE_SEED": "4"}).asked_seed is None
    assert resolve({**flags, "seed": 0}, {}).asked_seed == 0
    assert resolve(flags, {}).workers == 2
    assert resolve({**flags, "workers": "tcp://127.0.0.1:1"}, {}).workers == "tcp://127.0.0.1:1"


def test_limits_of_inputs(tmp_path: Path) -> None:
    """A list, or a text with commas; those of the flag replace those of the environment and of the file."""
    (tmp_path / "froude.toml").write_text('[defaults]\nmax = ["rows=5", "nodes=7"]\n')
    flags: dict[str, Any] = {"workspace": tmp_path}
    assert resolve(flags, {}).limits == InputLimits(rows=5, nodes=7)
    assert resolve(flags, {"FROUDE_MAX": "steps=3,expansion=2 MB"}).limits == InputLimits(2_000_000, steps=3)
    assert resolve({**flags, "max": ["rows=9"]}, {"FROUDE_MAX": "steps=3"}).limits == InputLimits(rows=9)
    (tmp_path / "froude.toml").write_text("[defaults]\nmax = 5\n")
    with pytest.raises(InputError, match="max: are not limits; found 5"):
        resolve(flags, {})


def test_the_workspace_is_the_current_folder_unless_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the flag, else by the environment."""
    monkeypatch.chdir(tmp_path)
    assert resolve({}, {}).workspace == tmp_path
    assert resolve({}, {"FROUDE_WORKSPACE": "/w"}).workspace == Path("/w")
    assert resolve({"workspace": "/v"}, {"FROUDE_WORKSPACE": "/w"}).workspace == Path("/v")


def test_flags_that_are_not_given_are_off(tmp_path: Path) -> None:
    """And each that is given is on, alone."""
    names = ("dry_run", "json", "quiet", "force")
    for name in (None, *names):
        settings = resolve({"workspace": tmp_path, name or "": True, "command": "froude x"}, {})
        assert [getattr(settings, each) for each in names] == [each == name for each in names]
        assert (settings.seed, settings.workers, settings.command) == (0, 1, "froude x")


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({"FROUDE_SEED": "x"}, "--seed: not a seed; found x"),
        ({"FROUDE_SEED": "9" * 6000}, "--seed: "),
        ({"FROUDE_WORKERS": "0"}, "--workers: "),
        ({"FROUDE_MAX": "rows"}, "--max rows: "),
    ],
)
def test_what_the_environment_may_not_say(environment: dict[str, str], message: str, tmp_path: Path) -> None:
    """Is a stated error."""
    with pytest.raises(InputError, match=message):
        resolve({"workspace": tmp_path}, environment)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("defaults = 3", "defaults: has the wrong type; found 3"),
        ("[", "is not TOML"),
        ("a = " + "[" * 5000, "is not TOML"),
    ],
)
def test_a_workspace_file_that_is_wrong(text: str, message: str, tmp_path: Path) -> None:
    """Is named."""
    (tmp_path / "froude.toml").write_text(text)
    with pytest.raises(InputError, match=rf"froude\.toml: {message}"):
        resolve({"workspace": tmp_path}, {})


def test_the_origin_of_what_is_written() -> None:
    """The command, what it read, and the seed where chance had a part."""
    settings = Settings(command="froude x", seed=7)
    origin = settings.origin(["a", "b"], tags=["t"])
    assert (origin.command, origin.inputs, origin.seed, origin.tags) == ("froude x", ("a", "b"), None, ("t",))
    assert settings.origin(seeded=True).seed == 7


@pytest.mark.parametrize(
    ("settings", "terminal", "kind"),
    [
        (Settings(), True, RichProgress),
        (Settings(), False, LineProgress),
        (Settings(quiet=True), True, Silent),
        (Settings(json=True), False, Silent),
    ],
)
def test_progress_is_live_at_a_terminal_and_lines_elsewhere(
    settings: Settings, terminal: bool, kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    """--quiet and --json show none."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    assert isinstance(settings.progress(), kind)


def test_results_remarks_and_documents(capsys: Out) -> None:
    """Results for people or one document, on stdout; remarks on stderr unless --quiet."""
    for settings, out, err in (
        (Settings(), "result\n", "remark\n"),
        (Settings(quiet=True), "result\n", ""),
        (Settings(json=True), '{\n  "a": 1\n}\n', "remark\n"),
    ):
        settings.out("result")
        settings.note("remark")
        settings.emit({"a": 1})
        assert capsys.readouterr() == (out, err)


def test_a_document_that_is_written_is_printed_as_it_is(capsys: Out) -> None:
    """To the letter, with one line's end; a value that JSON does not have is its text."""
    settings = Settings(json=True)
    settings.emit('{"a":  1}\n\n')
    assert capsys.readouterr().out == '{"a":  1}\n'
    settings.emit({"path": Path("/a")})
    assert json.loads(capsys.readouterr().out) == {"path": "/a"}


@pytest.mark.parametrize("text", ["a[b].yaml", "to /x[/b]", ":key: [red]", "\\[b]", "1.5 'a' http://x"])
def test_names_are_no_markup(text: str, capsys: Out) -> None:
    """What a user or a peer calls something is printed as it is."""
    Settings().out(text)
    assert capsys.readouterr().out == f"{text}\n"


def test_a_long_line_is_not_broken_in_a_pipe(capsys: Out) -> None:
    """Whoever reads it may count lines."""
    Settings().out("x " * 500)
    assert capsys.readouterr().out.count("\n") == 1


def test_what_a_dry_run_leaves_undone(capsys: Out) -> None:
    """In words, or as a document with its parts."""
    Settings().would("write a", parts=1)
    assert capsys.readouterr().out == "Would write a\n"
    Settings(json=True).would("write a", nodes=3)
    assert json.loads(capsys.readouterr().out) == {"dry_run": True, "would": "write a", "nodes": 3}
