"""A knee as a JSON file: every play of the search as `run.json` has it."""

from __future__ import annotations

from dataclasses import fields as dataclass_fields
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from froude.base.files import atomic_write_text
from froude.documents.artifact import Origin, State
from froude.documents.lineage import dump_sealed_figures, open_figures
from froude.documents.migrate import Migrations, same
from froude.documents.model import read_fields
from froude.experiment.knee.answer import Knee

KIND = "knee"


MIGRATIONS = Migrations(KIND, 3, {1: same, 2: same})
"""Version 1 had neither remarks nor interrupted; 2, of bursts of load, neither bounds nor the other work of a play."""
_LIMIT_BYTES = 64 << 20
_CURVE = {
    "calls_per_s", "p50_ms", "p99_ms", "p999_ms", "containers_per_s", "allocation_p50_ms", "allocation_p99_ms",
    "call_queue_ms", "call_queue_max", "target_cpu_share", "player_cpu_share",
}  # fmt: skip
"""What a row of the curve has of a play."""
_FORM = TypeAdapter(Knee)
_ANY = TypeAdapter(dict[str, Any])


def knee_text(knee: Knee, origin: Origin | None = None) -> str:
    """The file's text: the answer first, with what a `Knee` works out again, for readers of the file; the plays last."""
    bounds = {
        bound: {**play.run.model_dump(include={"calls_per_s", "containers_per_s"}), "load": play.load}
        for bound, play in knee.bounds.items()
    }
    worked_out = {
        "answer": knee.answer,
        "confidence": knee.confidence,
        "bounds": bounds,
        "curve": [{"load": play.load} | play.run.model_dump(include=_CURVE) for play in knee.curve],
        "computed_limit": knee.computed_limit,
        "scalability": knee.scalability,
        "remarks": knee.remarks,
    }
    fields: dict[str, Any] = _FORM.dump_python(knee, mode="json", exclude={"origin"})
    plays = fields.pop("plays")
    state = State.INTERRUPTED if knee.interrupted else State.COMPLETE
    written = {**_ANY.dump_python(worked_out, mode="json"), **fields, "plays": plays}
    return dump_sealed_figures(MIGRATIONS, written, replace(origin or Origin(), state=state))


def write_knee(path: Path, knee: Knee, origin: Origin | None = None) -> None:
    """Write a knee's file, whole or not at all.

    Raises:
        MissingError: it cannot be written.
    """
    atomic_write_text(path, knee_text(knee, origin))


def read_knee(path: Path) -> Knee:
    """Read a knee's file.

    Raises:
        ChangedError: it was edited or damaged.
        InputError: it is no knee's file.
    """
    document = open_figures(path, MIGRATIONS, limit_bytes=_LIMIT_BYTES)
    lineage = document.check()
    names = {each.name for each in dataclass_fields(Knee)} - {"origin"}
    fields = {name: value for name, value in document.root.fields.items() if name in names}
    read: Knee = read_fields(Knee, fields, path)
    return replace(read, origin=Origin(lineage.command, lineage.inputs, lineage.seed))
