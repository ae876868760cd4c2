"""What `nox` runs is what `make` runs."""

from __future__ import annotations

import importlib.util
import re
import shlex
from pathlib import Path

_ROOT = Path(__file__).parent.parent.parent


class Recording:
    """A session that runs nothing and keeps the commands."""

    def __init__(self) -> None:
        self.commands: list[tuple[str, ...]] = []

    def install(self, *_: str) -> None:
        """Nothing is installed."""

    def run(self, *command: str) -> None:
        """Keep a command."""
        self.commands.append(command)


def commands_of(target: str) -> list[tuple[str, ...]]:
    """The commands of a target of the Makefile that come from the virtual environment."""
    recipe = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", (_ROOT / "Makefile").read_text(), re.MULTILINE)
    assert recipe is not None
    lines = (line.strip().removeprefix("@") for line in recipe[1].splitlines())
    return [tuple(shlex.split(line.removeprefix("$(BIN)/"))) for line in lines]


def test_lint_and_types_are_make_lint() -> None:
    """The same commands with the same words, in whatever order."""
    spec = importlib.util.spec_from_file_location("noxfile", _ROOT / "noxfile.py")
    assert spec is not None
    assert spec.loader is not None
    noxfile = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(noxfile)
    session = Recording()
    for name in ("lint", "types"):
        getattr(noxfile, name).func(session)
    assert {frozenset(command) for command in session.commands} == {frozenset(c) for c in commands_of("lint")}
