"""States and Plans as documents: `cache-state` is read as people or a monitor wrote it, `cache-plan` is ours."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from froude.cache.solve.state import State
from froude.documents.lineage import open_document, read_placed
from froude.documents.migrate import Migrations
from froude.documents.reading import dump_document

STATE = Migrations("cache-state", 1)
PLAN = Migrations("cache-plan", 1)
EXAMPLES = Path(__file__).parent / "examples"
"""States that come with Froude."""


class Opened(NamedTuple):
    """A state that was read."""

    state: State
    content: str
    """The hash of its file's content."""


def read_state(path: Path) -> Opened:
    """Read a state, YAML or JSON.

    Raises:
        InputError: with file, line and field of what is wrong.
    """
    opened = open_document(path, STATE)
    return Opened(read_placed(State, opened.root.fields, path), opened.content)


def state_text(state: State) -> str:
    """The YAML text of a state, which `read_state` reads.

    Args:
        state: all of it is written that is not empty by default.
    """
    return dump_document(STATE.kind, STATE.newest, state.plain())


def shipped() -> dict[str, Path]:
    """The states that come with Froude, by name."""
    return {path.stem: path for path in sorted(EXAMPLES.glob("*.yaml"))}
