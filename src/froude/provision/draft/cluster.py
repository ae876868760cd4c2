"""Adds to a draft what a cluster says of itself: sizes of paths, the NameNode's memory, jobs by their counters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from froude.provision.draft.counters import JobCounters, Stage
from froude.provision.draft.jobs import general
from froude.provision.draft.names import distinct
from froude.provision.draft.namespace import (
    BYTES_PER_OBJECT,
    Counted,
    Namespace,
    namespace_of,
    own_bytes,
)
from froude.provision.draft.types import Draft, DraftCall, DraftDataset, DraftIo, DraftTask, Number, Unit
from froude.provision.types import Op

_NOT_TOLD = "counters do not tell it"


def with_counts(draft: Draft, rows: Sequence[Counted], source: str) -> Draft:
    """The draft with the sizes of the counted paths; a path that is no dataset of it becomes one.

    Args:
        draft: of traces, or empty.
        rows: lines of `hdfs dfs -count`.
    """
    sizes = {row.path: _size(row, own_bytes(row, rows)) for row in rows}
    known = {dataset.prefix for dataset in draft.datasets}
    datasets = [replace(d, size=sizes.get(d.prefix, d.size)) for d in draft.datasets]
    for path in (path for path in sizes if path not in known):
        why = f"{path}, as counted"
        datasets.append(DraftDataset(path, path, sizes[path], Number(None, "not told"), why))
    names = distinct([d.name if d.prefix in known else d.prefix for d in datasets], "dataset")
    named = tuple(replace(d, name=name) for d, name in zip(datasets, names, strict=True))
    return replace(draft, datasets=named, sources=(*draft.sources, source))


def _size(row: Counted, own: float) -> Number:
    note = f"of {row.files:.10g} files as hdfs dfs -count summed them up"
    note += ", rounded by -h" if row.rounded else ""
    note += ", without the other paths inside" if own < row.bytes else ""
    return Number(float(round(own)), note)


def with_namenode(draft: Draft, rows: Sequence[Counted], image: Namespace | None) -> Draft:
    """The draft with a task for the NameNode, whose memory follows from what it has to keep.

    Args:
        draft: its name for the task must be free.
        rows: lines of `hdfs dfs -count`; the root says most.
        image: totals of an image, which count before those of the lines.
    """
    space = image or (namespace_of(rows) if rows else None)
    if space is None:
        return draft
    what = f"{space.files:.10g} files, {space.directories:.10g} directories, {space.blocks:.10g} blocks"
    used = (space.files + space.directories + space.blocks) * BYTES_PER_OBJECT / 1e9
    note = (
        f"heap for {what} ({space.source}): 1 GB per million blocks, 150 bytes per object, 1 GB: the largest;"
    )
    note += f" about {used:.3g} GB are in use at {BYTES_PER_OBJECT} bytes each; the JVM needs more beside its heap"
    task = DraftTask(
        "NameNode",
        Unit.SESSION,
        1,
        Number(1.0, "one that is always there: 1 a second of 1 s; 2 with a standby"),
        Number(1.0, "assumed: a core of its own"),
        (),
        "keeps the whole namespace in memory",
        Number(space.heap, note),
    )
    datasets = draft.datasets
    size = sum(dataset.size.value or 0.0 for dataset in datasets)
    if space.space is not None and size and all(dataset.size.value is not None for dataset in datasets):
        copies = Number(float(max(1, round(space.space / size))), "space with replicas over size, rounded")
        datasets = tuple(
            replace(d, replication=copies if d.replication.value is None else d.replication) for d in datasets
        )
    return replace(draft, datasets=datasets, tasks=(*draft.tasks, task))


def with_jobs(draft: Draft, jobs: Sequence[JobCounters]) -> Draft:
    """The draft with a map and a reduce task for the jobs of each name.

    Args:
        draft: its largest dataset is taken for what they read and write.
    """
    if not jobs:
        return draft
    datasets = draft.datasets
    if not datasets:
        unknown = Number(None, _NOT_TOLD)
        datasets = (DraftDataset("files", "/", unknown, unknown, "what jobs read and wrote in HDFS"),)
    largest = max(datasets, key=lambda dataset: dataset.size.value or 0.0).name
    groups: dict[str, list[JobCounters]] = {}
    for job in jobs:
        groups.setdefault(general(job.name) if job.name else "job", []).append(job)
    taken = {task.name for task in draft.tasks}
    names = [_free(name, taken) for name in distinct(groups, "task")]
    tasks = [
        task
        for name, group in zip(names, groups.values(), strict=True)
        for task in _tasks(name, group, largest, _span(jobs))
    ]
    source = f"counters of {len(jobs)} job(s)"
    return replace(draft, datasets=datasets, tasks=(*draft.tasks, *tasks), sources=(*draft.sources, source))


def _free(name: str, taken: set[str]) -> str:
    while taken & {f"{name}_map", f"{name}_reduce"}:
        name += "_job"
    return name


def _span(jobs: Sequence[JobCounters]) -> float | None:
    """Seconds from the first submission to the last end; None where some job does not tell."""
    begins = [job.submitted_s for job in jobs if job.submitted_s is not None]
    ends = [job.finished_s for job in jobs if job.finished_s is not None]
    if len(begins) < len(jobs) or len(ends) < len(jobs):
        return None
    return max(1.0, max(ends) - min(begins))


def _tasks(name: str, jobs: Sequence[JobCounters], dataset: str, span_s: float | None) -> Iterator[DraftTask]:
    maps, reduces = _sum([job.maps for job in jobs]), _sum([job.reduces for job in jobs])
    note = f"{len(jobs)} job(s) with {maps.tasks} map(s) and {reduces.tasks} reduce(s)"
    note += f"; counters do not tell of which dataset: {dataset} is the largest"
    if span_s is None:
        rate = Number(None, "the counters have no times: say how many maps begin a second")
    else:
        rate = Number(
            _rounded(maps.tasks / span_s),
            f"mean of {maps.tasks} map(s) in {span_s:.4g} s, from the first submission to the last end",
        )
    local = [job.rack_local for job in jobs if job.rack_local is not None]
    call: tuple[DraftCall, ...] = ()
    if maps.tasks and reduces.tasks:
        shuffled = sum(job.shuffled for job in jobs)
        said = f"{shuffled:.10g} bytes shuffled by {maps.tasks} map(s) to {reduces.tasks} reduce(s)"
        call = (
            DraftCall(
                f"{name}_reduce", _rounded(reduces.tasks / maps.tasks), round(shuffled / reduces.tasks), said
            ),
        )
    if maps.tasks:
        near = _rounded(sum(local) / len(local)) if local else 0.0
        yield _task(f"{name}_map", maps, dataset, rate, note, rack_local=near, calls=call)
    if reduces.tasks:
        called = Number(None, "called by the maps") if maps.tasks else rate
        yield _task(f"{name}_reduce", reduces, dataset, called, note, called=bool(maps.tasks))


def _task(
    name: str,
    stage: Stage,
    dataset: str,
    rate: Number,
    note: str,
    *,
    rack_local: float = 0.0,
    calls: tuple[DraftCall, ...] = (),
    called: bool = False,
) -> DraftTask:
    each = f"mean of {stage.tasks} task(s), all bytes at once"
    operations = tuple(
        DraftIo(
            op, dataset, 1.0, Number(float(round(amount / stage.tasks)), each), 1.0, "by its counters", near
        )
        for op, amount, near in ((Op.READ, stage.read, rack_local), (Op.WRITE, stage.written, 0.0))
        if amount
    )
    compute = Number(_rounded(stage.cpu_s / stage.tasks), f"CPU_MILLISECONDS, mean of {stage.tasks} task(s)")
    memory = Number(
        float(round(stage.memory / stage.tasks)) if stage.memory else None,
        f"PHYSICAL_MEMORY_BYTES, mean of {stage.tasks} task(s) at their ends" if stage.memory else _NOT_TOLD,
    )
    return DraftTask(name, Unit.JOB, stage.tasks, rate, compute, operations, note, memory, calls, called)


def _sum(stages: Sequence[Stage]) -> Stage:
    return Stage(
        sum(stage.tasks for stage in stages),
        sum(stage.read for stage in stages),
        sum(stage.written for stage in stages),
        sum(stage.cpu_s for stage in stages),
        sum(stage.memory for stage in stages),
    )


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")
