"""What came of a sweep, as a JSON file: `sweep.json` in its folder, and what `froude sweep --json` prints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pydantic import TypeAdapter

from froude.base.errors import InputError
from froude.documents.artifact import Origin, State
from froude.documents.lineage import dump_sealed_figures, open_sealed
from froude.documents.migrate import Migrations
from froude.documents.model import read_fields
from froude.experiment.compare.file import check_rows
from froude.experiment.sweep.result import Swept

KIND = "swept"
NAME = "sweep.json"
"""Of the file in a sweep's folder."""
MIGRATIONS = Migrations(KIND, 1)
_LIMIT_BYTES = 256 << 20
_FORM = TypeAdapter(Swept)


def swept_text(swept: Swept, origin: Origin | None = None) -> str:
    """The file's text: the answer first."""
    fields = {"answer": swept.answer, **_FORM.dump_python(swept, mode="json")}
    state = State.INTERRUPTED if swept.interrupted else State.COMPLETE
    return dump_sealed_figures(MIGRATIONS, fields, replace(origin or Origin(), state=state))


def read_swept(path: Path) -> Swept:
    """Read such a file.

    Raises:
        ChangedError: it was edited or damaged.
        InputError: it is none.
    """
    root = open_sealed(path, MIGRATIONS, limit_bytes=_LIMIT_BYTES)
    fields = {name: value for name, value in root.fields.items() if name in Swept.__slots__}
    swept: Swept = read_fields(Swept, fields, path)
    if not swept.arms:
        raise InputError("has no arm", file=path, place="arms", allowed="one or more")
    for at, arm in enumerate(swept.arms):
        if arm.comparison is not None:
            check_rows(arm.comparison, path, f"arms.{at}.comparison.")
    return swept
