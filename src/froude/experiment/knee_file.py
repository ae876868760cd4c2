"""A knee as a JSON file: every play of the search as `run.json` has it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from froude.base.errors import InputError
from froude.base.files import atomic_write_text
from froude.emulation.run_summary import RunSummary
from froude.experiment.knee import Knee, Play, Status
from froude.experiment.knee_search import Outcome
from froude.workspace.artifact import Origin
from froude.workspace.document import dump_sealed_figures, open_figures
from froude.workspace.migrate import Migrations

KIND = "knee"
MIGRATIONS = Migrations(KIND, 1)
_LIMIT_BYTES = 64 << 20


class _Play(BaseModel):
    model_config = ConfigDict(extra="forbid")

    level: float
    outcome: Outcome
    run: RunSummary


class _Knee(BaseModel):
    model_config = ConfigDict(extra="forbid")

    answer: str
    confidence: str
    status: Status
    raised: tuple[str, ...]
    limits: tuple[str, ...]
    low: float | None
    high: float | None
    environment: dict[str, str]
    plays: tuple[_Play, ...]


def knee_text(knee: Knee, origin: Origin | None = None) -> str:
    """The file's text: the answer first."""
    plays = tuple(_Play(level=play.level, outcome=play.outcome, run=play.run) for play in knee.plays)
    written = _Knee(
        answer=knee.answer,
        confidence=knee.confidence,
        status=knee.status,
        raised=knee.raised,
        limits=knee.limits,
        low=knee.low,
        high=knee.high,
        environment=dict(knee.environment),
        plays=plays,
    )
    return dump_sealed_figures(MIGRATIONS, written.model_dump(mode="json"), origin or Origin())


def write_knee(path: Path, knee: Knee, origin: Origin | None = None) -> None:
    """Write a knee's file, whole or not at all.

    Args:
        path: the file.
        knee: what was found.
        origin: how it came to be.

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
    fields: dict[str, Any] = {name: document.root.fields.get(name) for name in _Knee.model_fields}
    try:
        read = _Knee.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise InputError(first["msg"], file=path, place=place, found=str(first["input"])[:80]) from error
    plays = tuple(Play(each.level, each.outcome, each.run) for each in read.plays)
    origin = Origin(lineage.command, lineage.inputs, lineage.seed)
    return Knee(
        read.raised, read.limits, plays, read.status, read.low, read.high, read.environment, origin=origin
    )
