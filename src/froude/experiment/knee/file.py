"""A knee as a JSON file: every play of the search as `run.json` has it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from froude.base.files import atomic_write_text
from froude.documents.artifact import Origin, State
from froude.documents.lineage import dump_sealed_figures, open_figures
from froude.documents.migrate import Migrations
from froude.documents.plain import Fields
from froude.documents.refusals import formed
from froude.emulation.run.summary import RunSummary
from froude.experiment.knee.answer import Knee, Play, Status
from froude.experiment.knee.limit import ComputedLimit
from froude.experiment.knee.scalability import Scalability
from froude.experiment.knee.search import Outcome

KIND = "knee"


def _unremarked(data: Fields) -> None:
    """The step from version 1, which said neither: an interrupted search was one that is not settled."""
    data["remarks"], data["plan_remarks"], data["interrupted"] = [], [], False


def _unbounded(data: Fields) -> None:
    """The step from version 2, of bursts of load: it gave no bounds, and did not look at other work between plays."""
    data["bounds"] = Fields({})
    plays = data.get("plays")
    for play in plays if isinstance(plays, list) else ():
        if isinstance(play, dict):
            play["others"] = 0.0


MIGRATIONS = Migrations(KIND, 3, {1: _unremarked, 2: _unbounded})
_LIMIT_BYTES = 64 << 20
_CURVE = {
    "calls_per_s", "p50_ms", "p99_ms", "p999_ms", "containers_per_s", "allocation_p50_ms", "allocation_p99_ms",
    "call_queue_ms", "call_queue_max", "target_cpu_share", "player_cpu_share",
}  # fmt: skip
"""What a row of the curve has of a play."""
_READ = (
    "raised", "limits", "status", "low", "high", "environment", "interrupted", "plan_remarks", "time_limit_s", "cores",
)  # fmt: skip
"""What a `Knee` does not work out again."""


class _Play(BaseModel):
    model_config = ConfigDict(extra="forbid")

    level: float
    outcome: Outcome
    run: RunSummary
    others: float


class _Bound(BaseModel):
    model_config = ConfigDict(extra="forbid")

    calls_per_s: float
    containers_per_s: float | None = None
    load: str


class _Knee(BaseModel):
    model_config = ConfigDict(extra="forbid")

    answer: str
    confidence: str
    bounds: dict[str, _Bound]
    """By bound of p99, the largest load that was played up to which it stayed below; a `Knee` works them out again."""
    curve: tuple[dict[str, float | str | None], ...] | None = None
    """By load; this, `computed_limit` and `scalability` are for readers of the file: a `Knee` works them out again."""
    computed_limit: ComputedLimit | None = None
    scalability: Scalability | None = None
    remarks: tuple[str, ...]
    """What to keep in mind with the answer; for readers of the file: a `Knee` finds them again."""
    plan_remarks: tuple[str, ...]
    status: Status
    interrupted: bool
    raised: Annotated[tuple[Annotated[str, Field(min_length=1)], ...], Field(min_length=1)]
    limits: tuple[str, ...]
    low: float | None
    high: float | None
    environment: dict[str, str]
    time_limit_s: Annotated[float, Field(gt=0)] | None = None
    once: str | None = None
    cores: Annotated[int, Field(ge=1)] | None = None
    plays: tuple[_Play, ...]


def knee_text(knee: Knee, origin: Origin | None = None) -> str:
    """The file's text: the answer first."""
    plays = tuple(
        _Play(level=play.level, outcome=play.outcome, run=play.run, others=play.others) for play in knee.plays
    )
    bounds = {
        bound: _Bound(
            calls_per_s=play.run.calls_per_s, containers_per_s=play.run.containers_per_s, load=play.load
        )
        for bound, play in knee.bounds.items()
    }
    curve = tuple({"load": play.load} | play.run.model_dump(include=_CURVE) for play in knee.curve)
    others = _Knee.model_fields.keys() - {"plays", "bounds", "curve"}
    same: dict[str, Any] = {name: getattr(knee, name) for name in others}
    written = _Knee(plays=plays, bounds=bounds, curve=curve, **same)
    state = State.INTERRUPTED if knee.interrupted else State.COMPLETE
    origin = replace(origin or Origin(), state=state)
    return dump_sealed_figures(MIGRATIONS, written.model_dump(mode="json"), origin)


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
    fields: dict[str, Any] = {name: document.root.fields.get(name) for name in _Knee.model_fields}
    read = formed(TypeAdapter(_Knee), fields, path)
    plays = tuple(Play(each.level, each.outcome, each.run, each.others) for each in read.plays)
    origin = Origin(lineage.command, lineage.inputs, lineage.seed)
    same = {name: getattr(read, name) for name in _READ} | {"once": read.once or ""}
    return Knee(plays=plays, origin=origin, **same)
