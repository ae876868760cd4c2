"""What commands read: artifacts, with remarks on what their lineage says, and errors that name the file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from froude.base.errors import InputError
from froude.cli.settings import Settings

if TYPE_CHECKING:
    from froude.workload.yaml_file import WorkloadFile


def workload(settings: Settings, path: Path) -> WorkloadFile:
    """A workload; a note says when somebody edited it since it was written.

    Args:
        settings: global flags; they say whether the note is shown.
        path: the file.

    Raises:
        InputError: with file, line and field of what is wrong.
    """
    from froude.workload.yaml_file import open_workload

    opened = open_workload(path)
    if opened.edited and opened.lineage is not None:
        settings.note(
            f"note: {path}: edited since it was written on {opened.lineage.made_at or 'an unknown day'}"
        )
    return opened


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Errors of the block that name no file are about this one.

    Raises:
        InputError: those errors, with the file.
    """
    try:
        yield
    except InputError as error:
        if error.file is None:
            error.file = str(path)
        raise
