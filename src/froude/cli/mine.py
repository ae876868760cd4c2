"""`froude mine`: Traces of small runs → a Workload, and the questions it leaves open."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from froude.cli.outputs import Output, claim
from froude.cli.settings import Settings
from froude.cli.tables import aligned
from froude.mining.summary import RuleKind, TypeSummary, summarise
from froude.workload.types import Finding, Question, Workload


def mine(
    ctx: typer.Context,
    traces: Annotated[list[Path], typer.Argument(metavar="TRACE", help="Folders of traces, one a run.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Where to write.")] = Path("workload.yaml"),
) -> None:
    """Traces of small runs → a Workload, and the questions it leaves open.

    Give runs of one job at three scales or more, as different as is cheap.

    Example: froude mine runs/2 runs/3 runs/4 -o workload.yaml
    """
    from froude.mining.pipeline import mine as mine_traces
    from froude.trace.files import read_trace
    from froude.workload.yaml_file import write_workload

    settings: Settings = ctx.obj
    claim(settings, [Output(output, "workload")], traces)
    found = [read_trace(path) for path in traces]
    for path, trace in zip(traces, found, strict=True):
        if trace.incomplete is not None:
            settings.note(f"froude: {path} is not whole: {trace.incomplete}")
    workload = mine_traces(found, progress=settings.progress(), workers=settings.workers)
    if not settings.dry_run:
        write_workload(output, workload, settings.origin(workload.recorded.traces))
    settings.emit(_document(workload))
    settings.out(_tables(summarise(workload)))
    for finding in workload.findings:
        settings.out(f"{'limits' if finding.fatal else 'note'}: {finding.what}")
    for number, question in enumerate(workload.questions, 1):
        settings.out(_asked(question, number))
    if settings.dry_run:
        settings.out("Nothing written")
        return
    settings.out(f"Workload written to {output}")
    if workload.questions:
        settings.out(f"Answer its questions: froude review {output}")


def _tables(types: tuple[TypeSummary, ...]) -> str:
    """Who there is and what they do; then how their arguments come about. Each within 80 columns."""
    doing = [("node type", "nodes", "loops", "calls", "periodic", "effects")]
    arguments = [("arguments by node type", *(kind.value for kind in RuleKind))]
    for one in types:
        loops = ", ".join(dict.fromkeys(one.loops)) or "-"
        doing.append((one.name, one.count, loops, str(one.calls), str(one.periodic), str(one.effects)))
        arguments.append((one.name, *(str(one.arguments[kind]) for kind in RuleKind)))
    return f"{aligned(doing, words=3)}\n\n{aligned(arguments)}\n"


def _asked(question: Question, number: int) -> str:
    seen = ", ".join(repr(example) for example in question.examples[:3])
    return f"q{number}: {question.text}" + (f" seen: {seen}" if seen else "")


def _document(workload: Workload) -> dict[str, object]:
    return {
        "node_types": [
            {
                "name": one.name,
                "count": one.count,
                "calls": one.calls,
                "loops": list(one.loops),
                "periodic": one.periodic,
                "effects": one.effects,
                "arguments": {kind.value: count for kind, count in one.arguments.items()},
            }
            for one in summarise(workload)
        ],
        "findings": [_finding(finding) for finding in workload.findings],
        "questions": [{"id": q.id, "text": q.text, "examples": list(q.examples)} for q in workload.questions],
    }


def _finding(finding: Finding) -> dict[str, object]:
    return {"what": finding.what, "fatal": finding.fatal}
