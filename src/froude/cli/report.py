"""`froude report`: artifacts → one HTML page, and the same figures as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from froude.base.errors import InputError
from froude.base.files import check_regular, kind_of_place, refuse_special
from froude.cli import inputs
from froude.cli.outputs import claim
from froude.cli.outputs import page as page_places
from froude.cli.settings import Settings
from froude.documents.lineage import content_of
from froude.documents.recognise import DOCUMENTS, kind_of
from froude.render import save

if TYPE_CHECKING:
    from froude.experiment.figures.head import Part

READERS = {
    "workload": "workload.yaml_file:read_workload",
    "trace": "trace.files:read_trace",
    "audit": "trace.audit.files:open_audit",
    "plan": "workload.plan_file:read_plan",
    "run": "emulation.run.files:read_run",
    "knee": "experiment.knee.file:read_knee",
    "comparison": "experiment.compare.file:read_comparison",
    "swept": "experiment.sweep.file:read_swept",
}
"""What reads an artifact that has a summary and sections, by its kind: the table to extend when there is a new kind to
show. Only what is needed is imported."""


def read(settings: Settings, kind: str, path: Path) -> Any:
    """An artifact of one of these kinds; a note says when somebody edited a workload since it was written.

    Raises:
        InputError: it cannot be read.
    """
    module, _, name = READERS[kind].partition(":")
    reader = getattr(import_module(f"froude.{module}"), name)
    return inputs.workload(settings, path).workload if kind == "workload" else reader(path)


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

    The figures have the page's name with .json; where an artifact stands there already, with .report.json.

    Example: froude report workload.yaml -o report.html
    """
    from froude.experiment.figures.page import page
    from froude.trace.audit.summary import summarise_audit

    settings: Settings = ctx.obj
    if output.suffix == ".json":
        raise InputError("is the place of the figures", file=output, allowed="another suffix, such as .html")
    shown = [_find(name, settings) for name in artifacts]
    suffix = _suffix(output, [path for _, path in shown])
    claim(settings, page_places(output, suffix), [path for _, path in shown])
    parts: list[Part] = []
    facts: dict[str, str] = {}
    hashes = []
    for kind, path in shown:
        with inputs.named(path), settings.progress().task(f"reading {path.name}"):
            part = read(settings, kind, path)
            parts.append(summarise_audit(part) if kind == "audit" else part)
        hashes.append(content_of(path))
        facts[f"{kind.capitalize()} {path.name}"] = hashes[-1][:12]
    with settings.progress().task("drawing the page"):
        composed = page(parts, title=title, names=_names(artifacts)).report
    composed = replace(composed, facts=facts)
    if settings.dry_run:
        settings.would(f"write {output} and {output.with_suffix(suffix)}")
        return
    with settings.progress().task(f"writing {output}"):
        html, data = save(
            composed, output, interactive=not static, suffix=suffix, origin=settings.origin(hashes)
        )
    settings.emit({"html": str(html), "json": str(data)})
    settings.out(f"Report written to {html}, its figures to {data}")


def _suffix(page: Path, shown: Sequence[Path]) -> str:
    """That of the figures, by which they replace no artifact: `knee.html` shows `knee.json`, which stays."""
    refuse_special(page)  # of `.` and `/` there is no name with another suffix
    beside = page.with_suffix(".json")
    taken = beside.is_file() and kind_of(beside) not in {None, "report"}
    return ".report.json" if taken or any(path.resolve() == beside.resolve() for path in shown) else ".json"


def _names(artifacts: Sequence[str]) -> list[str]:
    """Their last parts; what was typed where two have the same."""
    short = [Path(name).name for name in artifacts]
    return [name if short.count(last) > 1 else last for name, last in zip(artifacts, short, strict=True)]


def _find(name: str, settings: Settings) -> tuple[str, Path]:
    """The kind and the path of an artifact, given by its path, or by name or id in the workspace.

    Raises:
        InputError: there is none, or nothing shows its kind.
    """
    path = inputs.place(settings, Path(name))
    if kind_of_place(path) is None:
        raise InputError("does not exist", file=path)
    if not path.is_dir():
        check_regular(path)
    kind = kind_of(path) or _damaged(path)
    if kind is None or kind not in READERS:
        allowed = READERS
        document = next((path / name for name in DOCUMENTS if (path / name).is_file()), path)
        found = "nothing that says its kind" if kind is None else f"kind {kind}"
        raise InputError("cannot be shown in a report", file=document, found=found, allowed=allowed)
    return kind, path


def _damaged(path: Path) -> str | None:
    """What an artifact is that does not say it any more: its reader says what is wrong with it."""
    if path.suffix in {".yaml", ".yml"}:
        return "workload"
    marks = {"plan": "plan.yaml", "run": "run.json", "trace": "calls.parquet"}
    return next((kind for kind, mark in marks.items() if kind_of_place(path / mark) is not None), None)
