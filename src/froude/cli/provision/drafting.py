"""`froude provision draft`: traces, telemetry, counts and counters → an application with blanks for the rest."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from froude.base.errors import InputError
from froude.cli import inputs, table_flags
from froude.cli.fields import Given, with_fields
from froude.cli.flags import TextOutput
from froude.cli.numbers import amount
from froude.cli.outputs import Output, claim, write
from froude.cli.settings import Settings
from froude.cli.tables import aligned

if TYPE_CHECKING:
    from froude.base.forms import Options
    from froude.provision.draft.build import Machines
    from froude.provision.draft.table import Grouping
    from froude.provision.draft.types import Draft


class By(StrEnum):
    """What tells a task."""

    AUTO = "auto"
    USER = "user"
    CONTEXT = "context"
    COMMAND = "command"


class CountedIn(StrEnum):
    """What telemetry counts utilisation in."""

    PERCENT = "percent"
    SHARE = "share"


@with_fields
def draft(
    ctx: typer.Context,
    *,
    traces: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="TRACE",
            help="Folders of traces or their names here, or HDFS audit logs (plain, packed, imported), or folders.",
        ),
    ] = None,
    output: TextOutput = Path("application.yaml"),
    count: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="What `hdfs dfs -count` printed: datasets and their sizes."),
    ] = None,
    image: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="What `hdfs oiv -p FileDistribution` wrote: the NameNode's memory."
        ),
    ] = None,
    counters: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="Counters of a job: the history server's JSON, or its .jhist in JSON."
        ),
    ] = None,
    dataset: Annotated[
        list[str] | None,
        typer.Option(metavar="PREFIX[=NAME]", help="A dataset of this path prefix [found by share]."),
    ] = None,
    depth: Annotated[
        int | None, typer.Option(min=1, max=12, help="Most folders in a dataset's prefix.")
    ] = None,
    share: Annotated[
        float, typer.Option(min=0.001, max=1, help="Share of operations or bytes that makes a dataset.")
    ] = 0.05,
    task_by: Annotated[
        By, typer.Option(help="What tells a task; auto: the job, else the context, else the user.")
    ] = By.AUTO,
    window: Annotated[
        float,
        typer.Option(
            parser=amount("s", least=1), metavar="TIME", help="The busiest stretch that tells a peak rate."
        ),
    ] = 60.0,
    telemetry: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="CPU utilisation: CSV, Parquet, or as it is published."),
    ] = None,
    cores: Annotated[float | None, typer.Option(min=0.01, help="Cores of each machine of it.")] = None,
    scale: Annotated[
        CountedIn | None,
        typer.Option("--scale", "--telemetry-scale", help="What telemetry counts in [found by its values]."),
    ] = None,
    layout: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Of telemetry; all are in docs/reference/tables.md [found by each file]."
        ),
    ] = None,
    table: Annotated[Given, table_flags.TABLE],
) -> None:
    """Traces, telemetry, and what a cluster says of itself → an application, with `blank` for what they cannot tell.

    A dataset is a path prefix, a task a job type. Fill in the blanks (`froude provision check` lists those that
    are left), then compile it beside a catalog.

    Example: froude provision draft trace-1 -o application.yaml
    """
    from froude.documents.lineage import content_of, with_lineage
    from froude.provision.draft.build import build
    from froude.provision.draft.cluster import with_counts, with_jobs, with_namenode
    from froude.provision.draft.counters import read_counters
    from froude.provision.draft.files import read_source
    from froude.provision.draft.jobs import Jobs
    from froude.provision.draft.log import AccessLog
    from froude.provision.draft.namespace import read_count, read_distribution
    from froude.provision.draft.paths import Folders
    from froude.provision.draft.types import Draft, TaskBy
    from froude.provision.draft.yaml_text import to_text
    from froude.provision.inputs.yaml_form import MIGRATIONS

    settings: Settings = ctx.obj
    traces = [inputs.place(settings, path, "trace") for path in traces or []]
    said = [path for path in (count, image, *(counters or [])) if path is not None]
    if not traces and not said:
        raise InputError("nothing is given", allowed="a TRACE, --count, --image or --counters")
    claim(settings, [Output(output, MIGRATIONS.kind)], [*traces, *(telemetry or []), *said])
    counted = () if count is None else read_count(count)
    grouping = _grouping(dataset or [row.path for row in counted], share, depth)
    options = table_flags.options_of(layout=layout, known=("time", "server", "cpu"), **table)
    machines, notes = _machines(telemetry or [], cores, scale, options)
    log = AccessLog(Folders(frozenset(grouping.prefixes)), Jobs(TaskBy(task_by.value)))
    with settings.progress().task("reading"):
        sources = tuple(
            read_source(path, log, zone=options.style.zone, strict=options.strict) for path in traces
        )
        drafted = build(log, grouping, sources=sources, window_s=window, machines=machines)
        if not traces:
            drafted = Draft((), (), (), ())
        if count is not None:
            drafted = with_counts(drafted, counted, f"{count.name}: {len(counted)} paths counted")
        totals = None if image is None else read_distribution(image)
        drafted = with_jobs(drafted, [read_counters(path) for path in counters or []])
        drafted = with_namenode(drafted, counted, totals)
    if traces and not len(log):
        seen = f"{log.others} calls, none of which reads or writes a file"
        raise InputError(
            "holds nothing to draft from", file=traces[0], found=seen, allowed="HDFS clients' calls"
        )
    for text in notes:
        settings.note(text)
    document = _document(drafted, output)
    if settings.dry_run:
        settings.would(f"write {output}", **document)
    else:
        hashes = [content_of(path) for path in (*traces, *(telemetry or []), *said)]
        write({output: with_lineage(to_text(drafted), MIGRATIONS, settings.origin(hashes))})
        settings.emit(document)
    settings.out(_summary(drafted))
    if not settings.dry_run:
        settings.out(f"Written to {output}; fill in its blanks, then: froude provision check {output}")


def _grouping(datasets: list[str], share: float, depth: int | None) -> Grouping:
    from froude.provision.draft.paths import components
    from froude.provision.draft.table import Grouping

    named: list[tuple[str, str]] = []
    for text in datasets:
        prefix, _, name = text.partition("=") if not text.endswith("=") else (text[:-1], "", "")
        if not prefix.startswith("/"):
            raise InputError(
                "is no path prefix", place="--dataset", found=text, allowed="/logs or /logs=NAME"
            )
        if tuple(components(prefix)) in {tuple(components(other)) for other, _ in named}:
            raise InputError("is named twice", place="--dataset", found=prefix)
        named.append((prefix, name))
    return Grouping(tuple(named), share, depth)


def _machines(
    files: list[Path], cores: float | None, scale: CountedIn | None, options: Options
) -> tuple[Machines | None, list[str]]:
    """The machines of some telemetry, and what was understood of it and left out, in words."""
    from froude.base.summary import counted, recognised_text
    from froude.harvest.telemetry.samples import read_samples
    from froude.harvest.telemetry.series import Telemetry
    from froude.provision.draft.build import Machines

    if not files:
        if cores is not None or scale is not None:
            raise InputError(
                "are given without telemetry", place="--cores", allowed="--telemetry FILE beside it"
            )
        return None, []
    if cores is None:
        raise InputError("is missing", place="--cores", allowed="cores of each machine of the telemetry")
    samples = read_samples(files, options, percent=None if scale is None else scale is CountedIn.PERCENT)
    span_s = float(samples.time_s.max() - samples.time_s.min())
    entities = f"{counted(len(samples.servers), 'machine')}, {counted(len(samples.time_s), 'sample')}"
    notes = [recognised_text(samples.understood, entities, span_s=span_s), *samples.dropped.notes()]
    return Machines(Telemetry.of(samples, ", ".join(map(str, files))), cores), notes


def _document(draft: Draft, output: Path) -> dict[str, Any]:
    from dataclasses import asdict

    from froude.provision.draft.yaml_text import blanks

    tasks = []
    for task in draft.tasks:
        parts = asdict(task)
        parts["unit"] = task.unit.value
        for io, operation in zip(parts["operations"], task.operations, strict=True):
            io["op"] = operation.op.value
        tasks.append(parts)
    return {
        "output": str(output),
        "sources": list(draft.sources),
        "notes": list(draft.notes),
        "datasets": [asdict(dataset) for dataset in draft.datasets],
        "tasks": tasks,
        "blank": blanks(draft),
    }


def _summary(draft: Draft) -> str:
    """A draft for people."""
    from froude.provision.draft.yaml_text import blanks
    from froude.provision.inputs.units import Dimension, show

    datasets = [("dataset", "size", "prefix")]
    for dataset in draft.datasets:
        size = "blank" if dataset.size.value is None else show(dataset.size.value, Dimension.SIZE)
        datasets.append((dataset.name, size, dataset.prefix))
    tasks = [("task", "executions", "rate /s", "reads", "writes")]
    for task in draft.tasks:
        rate = "blank" if task.rate.value is None else f"{task.rate.value:g}"
        reads = sum(io.op.value == "R" for io in task.operations)
        tasks.append((task.name, str(task.executions), rate, str(reads), str(len(task.operations) - reads)))
    left = blanks(draft)
    head = "\n".join((*draft.sources, *draft.notes))
    return (
        f"{head}\n\n{aligned(datasets)}\n\n{aligned(tasks)}\n\n{len(left)} blank: "
        + "; ".join(left[:12])
        + (f"; and {len(left) - 12} more" if len(left) > 12 else "")
    )
