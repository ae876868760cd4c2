"""`froude report`: artifacts → one HTML page, and the same figures as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
    from froude.emulation.run.run import Run
    from froude.experiment.compare.compare import Comparison
    from froude.experiment.figures.head import Part
    from froude.experiment.knee.answer import Knee
    from froude.experiment.sweep.result import Swept
    from froude.trace.audit.summary import AuditSummary
    from froude.trace.types import Trace
    from froude.workload.plan import Plan
    from froude.workload.types import Workload


def _workload(settings: Settings, path: Path) -> Workload:
    return inputs.workload(settings, path).workload


def _trace(_: Settings, path: Path) -> Trace:
    from froude.trace.files import read_trace

    return read_trace(path)


def _audit(_: Settings, path: Path) -> AuditSummary:
    from froude.trace.audit.files import open_audit
    from froude.trace.audit.summary import summarise_audit

    return summarise_audit(open_audit(path))


def _plan(_: Settings, path: Path) -> Plan:
    from froude.workload.plan_file import read_plan

    return read_plan(path)


def _run(_: Settings, path: Path) -> Run:
    from froude.emulation.run.files import read_run

    return read_run(path)


def _knee(_: Settings, path: Path) -> Knee:
    from froude.experiment.knee.file import read_knee

    return read_knee(path)


def _comparison(_: Settings, path: Path) -> Comparison:
    from froude.experiment.compare.file import read_comparison

    return read_comparison(path)


def _swept(_: Settings, path: Path) -> Swept:
    from froude.experiment.sweep.file import read_swept

    return read_swept(path)


READERS: Mapping[str, Callable[[Settings, Path], Part]] = {
    "workload": _workload,
    "trace": _trace,
    "audit": _audit,
    "plan": _plan,
    "run": _run,
    "knee": _knee,
    "comparison": _comparison,
    "swept": _swept,
}
"""What reads an artifact that has sections, by its kind: the table to extend when there is a new kind to show."""


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
        with inputs.named(path):
            parts.append(READERS[kind](settings, path))
        hashes.append(content_of(path))
        facts[f"{kind.capitalize()} {path.name}"] = hashes[-1][:12]
    composed = page(parts, title=title, names=_names(artifacts)).report
    composed = replace(composed, facts=facts)
    if settings.dry_run:
        settings.would(f"write {output} and {output.with_suffix(suffix)}")
        return
    html, data = save(composed, output, interactive=not static, suffix=suffix, origin=settings.origin(hashes))
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
