"""`froude mine`: Traces of small runs → a Workload, and the questions it leaves open."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError
from froude.base.summary import counted, share_text
from froude.cli import inputs, review
from froude.cli.flags import TextOutput
from froude.cli.outputs import Output, claim
from froude.cli.settings import Settings
from froude.cli.tables import aligned
from froude.workload.groups import groups
from froude.workload.remarks import remarks_on_scale
from froude.workload.scale import Scale
from froude.workload.types import Recorded, Workload
from froude.workload.yaml_file import scale_fields

if TYPE_CHECKING:
    from froude.mining.check.summary import TypeSummary

_DOING = """nodes and loops are formulas of the scale; calls are made in order, periodic ones every so often,
effects when another node's call has caused them."""
_ARGUMENTS = """constant: the same in every call; regular: counted, or made of the scale and numbers; flow: from an
earlier answer or call; generated: random or a fact of the node; unknown: asked below."""


def mine(
    ctx: typer.Context,
    traces: Annotated[
        list[Path], typer.Argument(metavar="TRACE", help="Folders of Traces, one a run, or their names here.")
    ],
    output: TextOutput = Path("workload.yaml"),
    check: Annotated[
        bool, typer.Option("--check/--no-check", help="Predict each size from the others: a mining for each.")
    ] = True,
) -> None:
    """Traces of small runs → a Workload, and the questions it leaves open.

    Give runs of one job at three scales or more, as different as is cheap.

    Example: froude mine trace-1 trace-2 trace-3 trace-4
    """
    from froude.mining.check.summary import summarise
    from froude.mining.traces import mine as mine_traces
    from froude.trace.files import read_trace
    from froude.workload.yaml_file import write_workload

    settings: Settings = ctx.obj
    traces = [inputs.place(settings, path, "trace") for path in traces]
    claim(settings, [Output(output, "workload")], traces)
    loaded = []
    with settings.progress().task(f"reading {counted(len(traces), 'trace')}", len(traces)) as task:
        for path in traces:
            loaded.append(read_trace(path))
            task.say(f"{sum(len(trace.calls) for trace in loaded):,} calls")
            task.advance()
    for path, trace in zip(traces, loaded, strict=True):
        if trace.incomplete is not None:
            settings.note(f"froude: {path} is not whole: {trace.incomplete}")
    try:
        workload = mine_traces(loaded, progress=settings.progress(), workers=settings.workers, check=check)
    except InputError as error:
        number = (error.place or "").removeprefix("trace ")
        if number.isdecimal() and error.file is None:
            error.file, error.place = str(traces[int(number) - 1]), None
        raise
    if not settings.dry_run:
        write_workload(output, workload, settings.origin(workload.recorded.traces))
    types = summarise(workload)
    settings.emit(_document(workload, types))
    settings.out(_left_out(workload.recorded))
    settings.out(_tables(types))
    for finding in workload.findings:
        settings.out(f"{'limits' if finding.fatal else 'note'}: {finding.what}")
    for remark in remarks_on_scale(workload):
        settings.out(f"note: {remark}")
    for group in groups(workload):
        settings.out(review.text(workload, group))
    if settings.dry_run:
        settings.out("Nothing written")
        return
    settings.out(f"Workload written to {output}")
    if workload.questions:
        settings.out(f"Answer its questions: froude review {output}")
    else:
        sizes = " ".join(f"--at {name}=…" for name in workload.recorded.scales[0])
        settings.out(f"Predict another size: froude extrapolate {output} {sizes}")


def _left_out(recorded: Recorded) -> str:
    """How well each size follows from the others, in one line."""
    if not recorded.left_out:
        needed = "that takes runs of the same variables at three sizes or more, and --check"
        return f"How well one size follows from the others is not known: {needed}.\n"
    worst = min(recorded.left_out, key=lambda each: min(each.fitness, each.precision))
    ends = [
        f"{name} {' to '.join(dict.fromkeys(map(share_text, (min(shares), max(shares)))))}"
        for name, shares in (
            ("fitness", [each.fitness for each in recorded.left_out]),
            ("precision", [each.precision for each in recorded.left_out]),
        )
    ]
    which = f"; worst: {worst.worst} at {Scale(dict(worst.scale))}" if worst.worst is not None else ""
    return f"Each size predicted from the others: {', '.join(ends)} of the calls{which}\n"


def _tables(types: tuple[TypeSummary, ...]) -> str:
    """Who there is and what they do; then how their arguments come about. Each within 80 columns."""
    from froude.mining.check.summary import RuleKind

    doing = [("node type", "nodes", "loops", "calls", "periodic", "effects")]
    arguments = [("arguments by node type", *(kind.value for kind in RuleKind))]
    for row in types:
        loops = ", ".join(dict.fromkeys(row.loops)) or "-"
        doing.append((row.name, row.count, loops, str(row.calls), str(row.periodic), str(row.effects)))
        arguments.append((row.name, *(str(row.arguments[kind]) for kind in RuleKind)))
    return f"{aligned(doing, words=3)}\n{_DOING}\n\n{aligned(arguments)}\n{_ARGUMENTS}\n"


def _document(workload: Workload, types: tuple[TypeSummary, ...]) -> dict[str, object]:
    return {
        "node_types": [
            {**asdict(row), "arguments": {kind.value: count for kind, count in row.arguments.items()}}
            for row in types
        ],
        "left_out": [
            {
                "scale": scale_fields(each.scale),
                "fitness": each.fitness,
                "precision": each.precision,
                "worst": each.worst,
            }
            for each in workload.recorded.left_out
        ],
        "findings": [{"what": each.what, "fatal": each.fatal} for each in workload.findings],
        "remarks": list(remarks_on_scale(workload)),
        "questions": [review.fields(workload, group) for group in groups(workload)],
    }
