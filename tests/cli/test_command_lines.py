"""No command and no path of one is left out of the tests of inputs and outputs."""

from __future__ import annotations

from tests.support.cli.command_lines import LINES, NO_FILES, OTHER_PATHS, commands, paths


def test_every_command_has_a_line() -> None:
    """Or takes no file."""
    assert {name for name, _ in commands()} == LINES.keys() | NO_FILES


def test_every_path_is_an_input_or_an_output() -> None:
    """A flag that takes a path is tested as what it is."""
    for name, command in commands():
        for parameter, flags in paths(command):
            outputs = {place.flag for place in LINES[name].outputs} if name in LINES else set()
            known = parameter in LINES[name].inputs if name in LINES else False
            assert known or outputs & {*flags, f"--{parameter}"} or (name, parameter) in OTHER_PATHS, (
                f"{name} {parameter}"
            )
