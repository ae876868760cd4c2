"""`froude report`: artifacts → one HTML page, and the same figures as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from froude.base.errors import InputError
from froude.cli.settings import Settings
from froude.render import Report, Section, save
from froude.workspace.artifact import Artifact
from froude.workspace.store import Workspace, read_artifact


def _workload(path: Path) -> tuple[Section, ...]:
    from froude.experiment.figures.workload import workload_section
    from froude.workload.yaml_file import read_workload

    return (workload_section(read_workload(path)),)


def _trace(path: Path) -> tuple[Section, ...]:
    from froude.experiment.figures.trace import traces_section
    from froude.trace.files import read_trace

    return (traces_section([read_trace(path)]),)


def _plan(path: Path) -> tuple[Section, ...]:
    from froude.experiment.figures.page import sections_of
    from froude.workload.plan_file import read_plan

    return sections_of(read_plan(path))


def _run(path: Path) -> tuple[Section, ...]:
    from froude.emulation.run_files import read_run
    from froude.experiment.figures.run import run_sections

    return run_sections(read_run(path))


SECTIONS: Mapping[str, Callable[[Path], tuple[Section, ...]]] = {
    "workload": _workload,
    "trace": _trace,
    "plan": _plan,
    "run": _run,
}
"""What shows an artifact, by its kind: the table to extend when there is a new kind to show."""


def report(
    ctx: typer.Context,
    artifacts: Annotated[
        list[str], typer.Argument(metavar="ARTIFACT", help="Paths, or names or ids in the workspace.")
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="The page.")] = Path("report.html"),
    title: Annotated[str, typer.Option(help="What stands at its head.")] = "",
    static: Annotated[
        bool, typer.Option("--static", help="Charts as pictures: no script, a quarter of the size.")
    ] = False,
) -> None:
    """Artifacts → one HTML page that works offline, and the same figures as JSON beside it.

    Example: froude report workload.yaml -o report.html
    """
    settings: Settings = ctx.obj
    if output.suffix == ".json":
        raise InputError("is the place of the figures", file=output, allowed="another suffix, such as .html")
    sections: list[Section] = []
    facts: dict[str, str] = {}
    for name in artifacts:
        kind, path, artifact = _find(name, settings.workspace)
        sections += SECTIONS[kind](path)
        facts[f"{kind.capitalize()} {path.name}"] = artifact.id if artifact else str(path)
    page = Report(
        title or ", ".join(Path(name).name for name in artifacts), sections=tuple(sections), facts=facts
    )
    if settings.dry_run:
        settings.would(f"write {output} and {output.with_suffix('.json')}")
        return
    html, data = save(page, output, interactive=not static)
    settings.emit({"html": str(html), "json": str(data)})
    settings.out(f"Report written to {html}, its figures to {data}")


def _find(name: str, folder: Path) -> tuple[str, Path, Artifact | None]:
    """An artifact by its path, or by name or id in the workspace, and its kind.

    Raises:
        InputError: there is none, or nothing shows its kind.
    """
    path = Path(name)
    artifact = read_artifact(path)
    if artifact is None and not path.exists():
        around = Workspace.around(folder)
        if around is None:
            raise InputError("does not exist", file=path)
        artifact = around.find(name)
        path = artifact.path
    kind = artifact.kind if artifact else _kind_by_form(path)
    if kind not in SECTIONS:
        raise InputError(
            "cannot be shown in a report", file=path, found=f"kind {kind}", allowed=", ".join(SECTIONS)
        )
    return kind, path, artifact


def _kind_by_form(path: Path) -> str:
    """What an artifact without lineage is: one that was moved or edited is still what its form says."""
    if path.suffix in {".yaml", ".yml"}:
        return "workload"
    marks = {"plan": "plan.yaml", "run": "run.yaml", "trace": "calls.parquet"}
    return next((kind for kind, mark in marks.items() if (path / mark).is_file()), "unknown")
