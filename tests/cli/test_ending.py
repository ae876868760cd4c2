"""A command ends with one of a few codes, and says why on standard error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer

from froude.base.errors import InputError
from froude.cli.app import run
from froude.cli.ending import Code, end, print_error


def test_the_reason_is_one_line_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a reason nothing is printed."""
    for why, printed in (("", ""), ("a limit\x1b was missed", "froude: a limit\\x1b was missed\n")):
        with pytest.raises(typer.Exit) as ended:
            end(Code.MISSED, why)
        assert ended.value.exit_code == 3
        assert capsys.readouterr() == ("", printed)


def test_an_error_is_printed_and_given_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    """Its fields are the document."""
    print_error(InputError("is wrong", file="a.yaml", place=3), as_json=True)
    out, err = capsys.readouterr()
    assert err == "froude: a.yaml:3: is wrong\n"
    assert json.loads(out) == {"error": {"message": "is wrong", "file": "a.yaml", "place": "3"}}


@pytest.mark.parametrize(("command", "code"), [("check", Code.MISSED), ("evaluate", Code.ERROR)])
def test_errors_that_were_collected_are_a_line_each(
    command: str, code: Code, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With --json they are one document as well."""
    file = tmp_path / "flawed.yaml"
    file.write_text("froude: provision/1\nresources:\n  cpu: {price: a, power: b}\n")
    for flags in ([], ["--json"]):
        assert run(["provision", command, str(file), *flags]) == code
        out, err = capsys.readouterr()
        lines = err.splitlines()
        assert len(lines) >= 2
        assert all(line.startswith(f"froude: {file}:") for line in lines)
        errors = json.loads(out)["errors"] if flags else []
        assert len(errors) == (len(lines) if flags else 0)
        assert all(error["file"] == str(file) for error in errors)
