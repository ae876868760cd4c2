"""A draft as the YAML that `froude provision check` reads: every number with its origin, every gap as `blank`."""

from __future__ import annotations

from froude.documents.reading import STAMP
from froude.provision.draft.names import one_line
from froude.provision.draft.types import Draft, DraftCall, DraftDataset, DraftIo, DraftTask, Number
from froude.provision.inputs.blanks import BLANK
from froude.provision.inputs.units import Dimension, show
from froude.provision.inputs.yaml_form import MIGRATIONS

_HEAD = """\
# An application as traces tell it. Every `{blank}` is a number that they do not tell: replace it.
# `froude provision check THIS-FILE` lists those that are left.
# No trace tells which task calls which, nor what may overlap: only the shuffles of counters stand here as `dependency`.
"""
_FOOT = """
  # What the storage system needs on each server that holds data; traces do not tell it:
  # host: {cores: 1, memory: 2GB}
"""


def to_text(draft: Draft) -> str:
    """The text of a file; a draft without tasks gives one that `check` finds wanting."""
    lines = _HEAD.format(blank=BLANK).splitlines()
    lines += [f"# From {one_line(source)}" for source in draft.sources]
    lines += [f"# {one_line(note, 400)}" for note in draft.notes]
    lines += [f"{STAMP}: {MIGRATIONS.stamp}", "sla:"]
    for task in draft.tasks:
        if task.called:
            continue
        lines.append(f"  # {task.rate.note}")
        lines.append(f"  - {{task: {task.name}, rate: {_value(task.rate, Dimension.COUNT)}}}")
    lines += ["application:", "  dataset:"]
    for dataset in draft.datasets:
        lines += _dataset(dataset)
    lines.append("  task:")
    for task in draft.tasks:
        lines += _task(task)
    return "\n".join(lines) + _FOOT


def blanks(draft: Draft) -> list[str]:
    """What is left for the user, in words."""
    missing = [f"size of dataset {d.name}" for d in draft.datasets if d.size.value is None]
    missing += [f"replication of dataset {d.name}" for d in draft.datasets if d.replication.value is None]
    for task in draft.tasks:
        if task.rate.value is None and not task.called:
            missing.append(f"rate of task {task.name}")
        if task.memory.value is None:
            missing.append(f"memory of task {task.name}")
        if task.compute.value is None:
            missing.append(f"compute time of task {task.name}")
        missing += [
            f"record_size of task {task.name}, {_doing(io)}"
            for io in task.operations
            if io.record_size.value is None
        ]
    return missing


def _doing(io: DraftIo) -> str:
    return f"{'reads' if io.op.value == 'R' else 'writes'} of {io.dataset}"


def _dataset(dataset: DraftDataset) -> list[str]:
    size = _value(dataset.size, Dimension.SIZE)
    copies = _value(dataset.replication, Dimension.COUNT)
    return [
        f"    # {one_line(dataset.why, 300)}",
        f"    # size: {one_line(dataset.size.note, 300)}; persistent: assumed; remote: it lies in HDFS",
        f"    # replication: {dataset.replication.note}",
        f"    - {{name: {dataset.name}, size: {size}, persistent: 1, remote: 1, replication: {copies}}}",
    ]


def _task(task: DraftTask) -> list[str]:
    reads = [io for io in task.operations if io.op.value == "R"]
    writes = [io for io in task.operations if io.op.value == "W"]
    lines = [
        f"    # {one_line(task.note, 300)}",
        f"    - name: {task.name}",
        "      phase: run    # assumed: all tasks at the same time",
        f"      memory: {_value(task.memory, Dimension.SIZE)}    # {one_line(task.memory.note, 600)}",
        "      operations:",
    ]
    for io in reads:
        lines += _io(io)
    lines.append(f"        # {one_line(task.compute.note, 300)}")
    lines.append(f"        - compute: {{time: {_value(task.compute, Dimension.TIME)}}}")
    for io in writes:
        lines += _io(io)
    for call in task.calls:
        lines += _call(call)
    return lines


def _call(call: DraftCall) -> list[str]:
    count, size = show(call.num_invocations, Dimension.COUNT), show(call.bytes, Dimension.SIZE)
    parts = f"task: {call.task}, num_invocations: {count}, blocking: 0, bytes: {size}"
    return [f"        # {one_line(call.note, 300)}", f"        - dependency: {{{parts}}}"]


def _io(io: DraftIo) -> list[str]:
    parts = [
        f"op: {io.op.value}",
        f"dataset: {io.dataset}",
        f"num_records: {show(io.num_records, Dimension.COUNT)}",
    ]
    parts.append(f"record_size: {_value(io.record_size, Dimension.SIZE)}")
    if io.probability < 1:
        parts.append(f"probability: {show(io.probability, Dimension.SHARE)}")
    if io.rack_local:
        parts.append(f"rack_local: {show(io.rack_local, Dimension.SHARE)}")
    return [
        f"        # {io.note}; record_size: {io.record_size.note}",
        f"        - io: {{{', '.join(parts)}}}",
    ]


def _value(number: Number, dimension: Dimension) -> str:
    return BLANK if number.value is None else show(number.value, dimension)
