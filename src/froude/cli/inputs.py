"""What commands read: artifacts, with remarks on what their lineage says, and errors that name the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import typer

from froude.base.errors import InputError, nearest
from froude.base.files import kind_of_place
from froude.cli.settings import Settings
from froude.documents.forms import FieldError

if TYPE_CHECKING:
    from froude.experiment.scenario.scenario import Scenario
    from froude.workload.yaml_file import WorkloadFile

Member = TypeVar("Member", bound=Enum)
_FIELDS = {
    "--abort-when": ("abort_when",),
    "--at": ("load", "at"),
    "--duration": ("load", "duration"),
    "--limit": ("limits",),
    "--raise": ("knee", "raise"),
    "--time-limit": ("time_limit",),
}
"""The fields of a scenario that have the values of flags of `froude play` and `froude knee`."""


def pairs(texts: Sequence[str], flag: str) -> dict[str, str]:
    """Values of a flag that names each; of two of one name the later counts.

    Args:
        texts: `NAME=VALUE` each.

    Raises:
        BadParameter: another form, which is a matter of usage.
    """
    named = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise typer.BadParameter(f"{text!r} is no NAME=VALUE", param_hint=flag)
        if not text.isprintable():
            raise typer.BadParameter(f"{text!r} has a sign that cannot be written", param_hint=flag)
        named[name] = value
    return named


def member(kind: type[Member], text: str, flag: str) -> Member:
    """A member of an enumeration by its value, where its module is loaded by the command alone.

    Raises:
        InputError: another text, with the words that are allowed.
    """
    try:
        return kind(text)
    except ValueError as error:
        allowed = [each.value for each in kind]
        raise InputError("is not one of its words", place=flag, found=text, allowed=allowed) from error


def place(settings: Settings, path: Path, *kinds: str) -> Path:
    """Where an artifact is that was given by its path, or by its name or id in the workspace around.

    Args:
        settings: global flags; they say which folder's workspace is meant.
        kinds: those looked for by name, such as `trace`; none for any.

    Returns:
        The path as given where something stands there, or where there is no workspace: its reader says what is wrong.

    Raises:
        InputError: a name that no artifact of the workspace has, or that several have.
    """
    from froude.documents.store import Workspace

    if kind_of_place(path) is not None or len(path.parts) != 1:
        return path
    around = Workspace.around(settings.workspace)
    if around is None:
        return path
    wanted = kinds or (None,)
    matches = [each for kind in wanted for each in around.matches(str(path), kind)]
    if len(matches) == 1:
        return matches[0].path
    what = "names several things" if matches else "does not exist, and names nothing"
    meant = [
        artifact.name for artifact in matches or [each for kind in wanted for each in around.artifacts(kind)]
    ]
    like = "" if matches else nearest(str(path), meant)
    raise InputError(
        f"{what} in the workspace {around.folder.name}{like}",
        file=path,
        allowed=", ".join(meant[:10]) or None,
        remedy=None if meant else "`froude ls` shows what a workspace holds",
    )


def workload(settings: Settings, path: Path) -> WorkloadFile:
    """A workload; a note says when somebody edited it since it was written.

    Raises:
        InputError: with file, line and field of what is wrong.
    """
    from froude.workload.yaml_file import open_workload

    opened = open_workload(path)
    note_edited(settings, path, opened)
    return opened


def note_edited(settings: Settings, path: Path, opened: WorkloadFile) -> None:
    """Say so where somebody edited a workload since it was written."""
    if opened.edited and opened.lineage is not None:
        settings.note(
            f"note: {path}: edited since it was written on {opened.lineage.made_at or 'an unknown day'}"
        )


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Errors of the block that name neither a file nor a flag are about this file.

    Raises:
        InputError: those errors, with the file.
    """
    try:
        yield
    except InputError as error:
        if error.file is None and not (error.place or "").startswith("--"):
            error.file = str(path)
            # A plan's folder has the name of the place that its errors name, as a rule.
            error.place = None if error.place == path.name else error.place
        raise


@contextmanager
def as_fields(path: Path, scenario: Scenario) -> Iterator[None]:
    """Errors of the block about a flag are about the field of a scenario's file that has its value.

    Of a sweep that is a field that it varies, or one of its base.

    Raises:
        InputError: those errors, with file, line and field; one about a field that no file has is as it was.
    """
    from froude.documents.lineage import open_document
    from froude.documents.model import line_of
    from froude.experiment.scenario.scenario import MIGRATIONS, SweepScenario

    try:
        yield
    except InputError as error:
        names = _FIELDS.get(error.place or "", ())
        places = [(path, names)]
        if names and isinstance(scenario, SweepScenario):
            field = ".".join(names)
            varied = [name for name in scenario.vary if f"{name}.".startswith(f"{field}.")]
            places = [*((path, ("vary", name)) for name in varied), (scenario.base, names)]
        for file, found in places:
            line = line_of(open_document(file, MIGRATIONS).root.fields, found) if found else None
            if line:
                parts = {name: getattr(error, name) for name in ("found", "allowed", "remedy")}
                raise FieldError(error.message, names=found, **parts).in_file(file, line) from error
        raise
