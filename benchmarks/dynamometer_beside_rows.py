"""What is measured of a replay beside Dynamometer's, and the rows that come of it (see `dynamometer_beside`)."""

from __future__ import annotations

import os
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.dynamometer_source import Spent
from froude.experiment.session import Hadoop

FASTER, LEANER, OF_LIMIT, FASTER_WRITING = 3.0, 7.0, 0.8, 10.0
"""Aims: times the best throughput, part of the CPU a line, share of what the machine allows, times with writes."""
Operation = tuple[str, str, str, str | None, bool]
"""User, command, its path, the other path, whether it was allowed."""
Value = Callable[["Round"], float]


@dataclass(frozen=True, slots=True)
class Arm:
    """A way to replay the log."""

    name: str
    threads: int = 0
    """Of Dynamometer; 0 is ours."""
    writes: bool = False
    """Whether files get a block."""


OURS, OURS_WRITING = Arm("froude run"), Arm("froude run, files written", writes=True)
DYNAMOMETER = (
    Arm("Dynamometer, 1 thread", 1), Arm("Dynamometer, 16 threads", 16), Arm("Dynamometer, 64 threads", 64)
)  # fmt: skip
DYNAMOMETER_WRITING = Arm("Dynamometer, 16 threads, create-blocks", 16, writes=True)


@dataclass(frozen=True, slots=True)
class Inputs:
    """What all arms are given."""

    hadoop: Hadoop
    folder: Path
    image: Path
    log: Path
    """Folder of the log alone."""
    lines: int
    inodes: int
    clients: int
    operations: Counter[Operation]
    """Of the log."""
    properties: Mapping[str, str]
    """Of the NameNode: the users of the log, and to serve at once."""


@dataclass(slots=True)
class Round:
    """What an arm did once."""

    spent: Spent
    namenode_s: float
    """CPU time of the NameNode meanwhile."""
    took_s: float
    """From the first to the last line that it made the NameNode write."""
    again: Counter[Operation]
    """Of the log's operations, those that the NameNode did again, with the same result."""
    player_s: float = 0.0
    """CPU time of our player alone."""
    told: dict[str, Any] = field(default_factory=dict)


def of(inputs: Inputs, measured: Mapping[Arm, Sequence[Round]], load: str) -> Iterator[dict[str, object]]:
    """The rows of some arms that were measured on the same inputs.

    Args:
        inputs: of all of them.
        measured: by arm, each of its rounds; the first arm is ours.
        load: of the machine before.
    """
    ours, *theirs = measured
    what = f"{inputs.lines:,} lines of {inputs.clients} clients, image of {inputs.inodes:,} inodes, {load}"
    for arm, rounds in measured.items():
        yield from _of_arm(inputs, arm, rounds, what)
    yield _of_limit(inputs, ours, measured[ours], what)
    if theirs:
        yield from _ratios(inputs, measured, what)
        if not ours.writes:
            yield from _outputs(measured[ours][0], measured[theirs[0]][0])


def _of_arm(inputs: Inputs, arm: Arm, rounds: Sequence[Round], what: str) -> Iterator[dict[str, object]]:
    figures: dict[str, tuple[str, Value]] = {
        "throughput": ("lines/s", lambda each: inputs.lines / each.took_s),
        "client CPU, start and parsing included": ("us/line", lambda each: _us(inputs, each.spent.cpu_s)),
        "NameNode CPU": ("us/line", lambda each: _us(inputs, each.namenode_s)),
        "from start to end": ("s", lambda each: each.spent.wall_s),
    }
    if not arm.threads:
        figures["CPU of the player alone"] = ("us/line", lambda each: _us(inputs, each.player_s))
    for name, (unit, value) in figures.items():
        values = [value(each) for each in rounds]
        spread = f"median of {len(values)}, {min(values):,.0f} to {max(values):,.0f}; {what}"
        yield row(f"{arm.name}: {name}", statistics.median(values), unit, spread)
    yield _again(inputs, arm, rounds)


def _again(inputs: Inputs, arm: Arm, rounds: Sequence[Round]) -> dict[str, object]:
    """How much of the log the NameNode did again with the same result, by its own audit log; the round with least."""
    worst = min(rounds, key=lambda each: each.again.total())
    missing = Counter[str]()
    for operation, times in (inputs.operations - worst.again).items():
        missing[operation[1]] += times
    kinds = ", ".join(f"{name} {times:,}" for name, times in missing.most_common())
    conditions = f"the worst of {len(rounds)}; not done, or with another result: {kinds or 'none'}"
    share = 100 * worst.again.total() / inputs.lines
    return row(
        f"{arm.name}: lines done again with the same result", round(share, 2), "% of the lines", conditions
    )


def _of_limit(inputs: Inputs, arm: Arm, rounds: Sequence[Round], what: str) -> dict[str, object]:
    cores = os.cpu_count() or 1

    def share(each: Round) -> float:
        return inputs.lines / each.took_s * (each.namenode_s + each.player_s) / inputs.lines / cores

    value = statistics.median(map(share, rounds))
    conditions = f"throughput of {cores} cores / (CPU of NameNode and player a line); {what}"
    return row(f"{arm.name}: share of what the machine allows", value, "", conditions, OF_LIMIT)


def _ratios(
    inputs: Inputs, measured: Mapping[Arm, Sequence[Round]], what: str
) -> Iterator[dict[str, object]]:
    ours, *theirs = measured
    rates = {
        arm: statistics.median(inputs.lines / each.took_s for each in rounds)
        for arm, rounds in measured.items()
    }
    cpu = {arm: statistics.median(each.spent.cpu_s for each in rounds) for arm, rounds in measured.items()}
    best, thrifty = max(theirs, key=rates.__getitem__), min(theirs, key=cpu.__getitem__)
    yield row(
        f"{ours.name}: throughput against Dynamometer's best", rates[ours] / rates[best], "times",
        f"{rates[ours]:,.0f} lines/s beside {rates[best]:,.0f} of {best.name}; {_nodes(ours)}{what}",
        FASTER_WRITING if ours.writes else FASTER,
    )  # fmt: skip
    yield row(
        f"{ours.name}: Dynamometer's least CPU a line by ours", cpu[thrifty] / cpu[ours], "times",
        f"{_us(inputs, cpu[ours]):,.1f} us a line beside {_us(inputs, cpu[thrifty]):,.1f} of {thrifty.name}, "
        f"start and parsing included; {_nodes(ours)}{what}",
        None if ours.writes else LEANER,
    )  # fmt: skip


def _nodes(ours: Arm) -> str:
    """Against what files are written, where they are."""
    if not ours.writes:
        return ""
    return "ours emulates the DataNodes and sends no data, Dynamometer writes a byte to real ones; "


def _outputs(ours: Round, theirs: Round) -> Iterator[dict[str, object]]:
    """What each has told of the same log."""
    told, summary = theirs.told, ours.told
    replayed = sum(value for name, value in told.items() if name.endswith("_COUNT"))
    yield row(
        "Dynamometer: what its output tells", f"{told['TOTALCOMMANDS']:,} commands", "",
        f"{told['TOTALINVALIDCOMMANDS']:,} of them invalid without a reason ({told['TOTALUNSUPPORTEDCOMMANDS']:,} "
        f"unsupported; looks at what is not there count as invalid, too), {replayed:,} counted by command; a table of "
        f"{told['lines of its table']} lines: user, type, operation, number, summed latency in whole ms. No "
        "percentile, nothing over time, no error, nothing of the NameNode",
    )  # fmt: skip
    methods = summary["methods"]
    yield row(
        "froude run: what its output tells", f"{summary['calls_answered']:,} calls", "",
        f"verdict {summary['verdict']}, limited by {summary['bottleneck']}; {len(methods)} methods with p50, p90, p99, "
        f"p99.9 and most; {summary['calls_failed']} failed calls, each kind with its reason; latency, throughput, CPU "
        "and the NameNode's own metrics over time; what was assumed and left out; a trace of the calls",
    )  # fmt: skip


def _us(inputs: Inputs, seconds: float) -> float:
    return seconds / inputs.lines * 1e6


def row(
    measure: str, value: float | str, unit: str, conditions: str, at_least: float | None = None
) -> dict[str, object]:
    """A row.

    Args:
        measure: what was measured.
        value: of it.
        unit: of the value.
        conditions: under which.
        at_least: what is aimed at, where anything is.
    """
    aim = "" if at_least is None else f">= {at_least:g}"
    return {"measure": measure, "value": value, "unit": unit, "aim": aim, "conditions": conditions}
