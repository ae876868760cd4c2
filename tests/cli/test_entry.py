"""The `froude` command from its first moment on."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

_INTERRUPTED = """
import sys
from froude.cli.entry import main

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == MODULE:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupting())
sys.argv = ["froude", "doctor"]
main()
"""


@pytest.mark.parametrize("module", ["froude.cli.app", "typer", "froude.base.errors", "froude.cli.doctor"])
def test_an_interrupt_while_modules_load(module: str) -> None:
    """One line and 130, no traceback."""
    program = _INTERRUPTED.replace("MODULE", repr(module))
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (130, "froude: interrupted\n")


def test_what_is_imported_before() -> None:
    """Nothing that takes time."""
    program = (
        "import sys, froude.cli.entry; sys.exit('typer' in sys.modules or 'froude.cli.app' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_the_command_begins_here() -> None:
    """In the package's metadata."""
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert project["scripts"]["froude"] == "froude.cli.entry:main"
