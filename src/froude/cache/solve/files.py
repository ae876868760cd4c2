"""States and Plans as documents: `cache-state` is read as people or a monitor wrote it, `cache-plan` is ours."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from froude.base.declared import Declared, from_plain
from froude.base.documents import STAMP, dump_document
from froude.base.forms import FieldError
from froude.base.plain import Fields
from froude.cache.solve.plan import Plan
from froude.cache.solve.state import State
from froude.workspace.artifact import LINEAGE, TAGS
from froude.workspace.document import open_document
from froude.workspace.migrate import Migrations

STATE = Migrations("cache-state", 1)
PLAN = Migrations("cache-plan", 1)
EXAMPLES = Path(__file__).parent / "examples"
"""States that come with Froude."""
D = TypeVar("D", bound=Declared)
_BESIDE = frozenset({STAMP, LINEAGE, TAGS})


class Opened(NamedTuple):
    """A state that was read."""

    state: State
    content: str
    """The hash of its file's content."""


def read_state(path: Path) -> Opened:
    """Read a state, YAML or JSON.

    Args:
        path: the file.

    Raises:
        InputError: with file, line and field of what is wrong.
    """
    opened = open_document(path, STATE)
    return Opened(value_of(State, opened.root.fields, str(path)), opened.content)


def value_of(kind: type[D], fields: Fields, file: str) -> D:
    """A value that is declared, of the fields of its document.

    Args:
        kind: of the value.
        fields: all of them, stamp and lineage among them.
        file: the document's name, for errors.

    Raises:
        InputError: with file, line and field of what is wrong.
    """
    own = Fields({key: value for key, value in fields.items() if key not in _BESIDE}, fields.line)
    own.lines = fields.lines
    try:
        return from_plain(kind, own)
    except FieldError as error:
        raise error.in_file(file) from error


def state_text(state: State) -> str:
    """The YAML text of a state, which `read_state` reads.

    Args:
        state: all of it is written that is not empty by default.
    """
    return dump_document(STATE.kind, STATE.newest, state.plain())


def shipped() -> dict[str, Path]:
    """The states that come with Froude, by name."""
    return {path.stem: path for path in sorted(EXAMPLES.glob("*.yaml"))}


def plan_fields(plan: Plan) -> dict[str, Any]:
    """The content of a plan's document.

    Args:
        plan: all of it.
    """
    return asdict(plan)
