"""`froude ls`: what a workspace or a folder holds, newest first, with the figures of each."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import FroudeError, InputError
from froude.cli.report import READERS, read
from froude.cli.settings import Settings
from froude.cli.tables import aligned
from froude.documents.artifact import LINEAGE, TAGS
from froude.documents.lineage import parse_file
from froude.documents.reading import STAMP
from froude.documents.recognise import DOCUMENTS, kind_of
from froude.documents.store import PLACES, Workspace, read_artifact

if TYPE_CHECKING:
    from froude.emulation.run.run import Run

_MOST = 10_000
"""Files of a folder that are looked at."""
_LONGEST = 120
"""Characters of figures in a line; `--json` has all."""
_DOCUMENTS = {".json", ".yaml", ".yml"}
"""Suffixes of what has fields; pages, tables and XML have none."""
_BESIDE = "report"
"""Kind of the JSON file that is written with a page."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A file or folder of Froude's."""

    path: Path
    kind: str
    made_s: float
    """When it was made, seconds since the epoch: by its lineage, for copies have other times."""

    def parts(self, facts: Mapping[str, str]) -> dict[str, str]:
        """As they are printed."""
        made = f"{datetime.fromtimestamp(self.made_s, UTC):%Y-%m-%d %H:%M}"
        return {"made": made, "kind": self.kind, "path": os.path.relpath(self.path), **facts}


def ls(
    ctx: typer.Context,
    folder: Annotated[
        Path | None, typer.Argument(metavar="FOLDER", help="A workspace, or any folder [the workspace].")
    ] = None,
    runs: Annotated[bool, typer.Option("--runs", help="Runs alone, side by side.")] = False,
) -> None:
    """What a workspace or a folder holds, newest first: a line each, with its figures.

    Example: froude ls
    Example: froude ls --runs
    """
    settings: Settings = ctx.obj
    around = folder or settings.workspace
    if not around.is_dir():
        raise InputError("is not a folder", file=around)
    kinds = [(path, kind) for path, kind in _kinds(around) if kind == "run" or not runs]
    described = []
    with settings.progress().task("Reading", total=len(kinds)) as task:
        for path, kind in kinds:
            task.say(str(path))
            found = _Found(path, kind, _made_s(path))
            described.append((found.made_s, found.parts(_facts(settings, found, runs=runs))))
            task.advance()
    rows = [parts for _, parts in sorted(described, key=lambda each: each[0], reverse=True)]
    settings.emit(rows)
    if not rows:
        settings.out(f"{around} holds {'no run' if runs else 'nothing of Froude'}")
    elif runs:
        heads = list(dict.fromkeys(name for row in rows for name in row if name != "kind"))
        settings.out(aligned([heads, *([row.get(head, "") for head in heads] for row in rows)], words=2))
    else:
        first = ("made", "kind", "path")
        texts = [[*(row.pop(name) for name in first), _line(row)] for row in rows]
        settings.out(aligned([["made (UTC)", "kind", "path", "figures"], *texts], words=4))


def _kinds(folder: Path) -> Iterator[tuple[Path, str]]:
    """What of Froude's is in a folder, and in those that a workspace has for each kind.

    Raises:
        InputError: there are too many files.
    """
    around = Workspace.around(folder)
    own = (
        []
        if around is None or around.folder != folder.resolve()
        else [folder / each for each in PLACES.values()]
    )
    for place in (folder, *filter(Path.is_dir, own)):
        for number, path in enumerate(sorted(place.iterdir())):
            if number >= _MOST:
                raise InputError("holds too many files", file=place, allowed=f"{_MOST:,}")
            with suppress(OSError, InputError):  # what cannot be read is not known to be Froude's
                kind = None if path.name.startswith(".") or path.suffix == ".partial" else kind_of(path)
                if kind is not None and kind != _BESIDE:
                    yield path, kind


def _made_s(path: Path) -> float:
    with suppress(InputError, ValueError):  # its reader says what is wrong with it
        artifact = read_artifact(path)
        if artifact is not None:
            return datetime.fromisoformat(artifact.lineage.made_at).timestamp()
    document = next((path / name for name in DOCUMENTS if (path / name).is_file()), path)
    return document.stat().st_mtime


def _facts(settings: Settings, found: _Found, *, runs: bool) -> Mapping[str, str]:
    """The figures of an artifact, or the reason why it cannot be read."""
    try:
        if found.kind not in READERS:
            return _figures(found.path)
        artifact = read(settings, found.kind, found.path)
    except FroudeError as error:
        return {"cannot be read": error.message}
    facts: Mapping[str, str] = _run_facts(artifact) if runs else artifact.summary()
    return facts


def _figures(path: Path) -> Mapping[str, str]:
    """Of a document without a reader here: its numbers and words, and how long its lists are."""
    document = next((path / name for name in DOCUMENTS if (path / name).is_file()), path)
    if document.suffix not in _DOCUMENTS:
        return {}
    figures = {}
    for name, value in parse_file(document).fields.items():
        if name in {STAMP, LINEAGE, TAGS} or value is None:
            continue
        if isinstance(value, dict):
            lists = {inner: each for inner, each in value.items() if isinstance(each, list)}
            figures[name] = ", ".join(f"{len(each):,} {inner}" for inner, each in lists.items())
        elif isinstance(value, list):
            figures[name] = f"{len(value):,}"
        else:
            figures[name] = f"{value:,.6g}" if isinstance(value, float) else str(value)
    return {name: figure for name, figure in figures.items() if figure}


def _run_facts(run: Run) -> Mapping[str, str]:
    latency = run.latency()
    return {
        "scale": ", ".join(f"{name}={value}" for name, value in run.scale.items()),
        "calls": f"{run.answered():,}",
        "calls/s": f"{run.answered() / run.steady_s:,.0f}" if run.steady_s else "",
        "p50 ms": f"{latency.p50_ms:,.1f}" if latency.count else "",
        "p99 ms": f"{latency.p99_ms:,.1f}" if latency.count else "",
        "failed": f"{run.failed.total():,}",
        "limited by": run.bottleneck.by.value,
        "verdict": run.verdict.colour.value,
    }


def _line(facts: Mapping[str, str]) -> str:
    """Figures in one line; the first ones where all are too long for it."""
    text = ", ".join(f"{name} {fact}" for name, fact in facts.items() if fact)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
