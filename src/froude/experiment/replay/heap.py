"""`kind: heap`: NameNodes with made-up namespaces of several sizes, measured one by one, and the law they give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from froude.base.errors import InputError
from froude.base.limits import available_bytes
from froude.base.scratch import Scratch
from froude.base.seeds import Seeds
from froude.base.summary import counted
from froude.experiment.play.execution import Execution
from froude.experiment.replay.image import made_up
from froude.experiment.replay.namespace_profile import SHIPPED, read_profile
from froude.experiment.scenario.scenario import HeapScenario
from froude.hadoop.cluster.heap_point import MeasuredHeap, find_jmap, measured_heap
from froude.hadoop.fsimage.heap import (
    MOST_TIMES,
    PUBLISHED,
    PUBLISHED_BLOCKS,
    HeapLaw,
    HeapPoint,
    Need,
    Published,
    shipped_law,
)
from froude.hadoop.fsimage.templates import Profile, Span
from froude.hadoop.release.distribution import Hadoop
from froude.render import Column, Report, Section, Table, Tone, Value, ValueKind
from froude.render.answer import Answer

KIND = "heap-law"
_LARGEST = (12_000_000, 6_000_000, 3_000_000, 1_200_000, 600_000, 300_000)
"""Largest namespaces that are tried for what the memory allows."""
_MOST_BLOCKS = 1.9
"""For each file and folder of the profile that has most."""
_HEADROOM, _BESIDE_BYTES, _LEAST_HEAP = 1.5, 1 << 30, 1 << 30
"""Heap for what is in use at the end, since it is loaded with garbage; memory of a process beside its heap."""
_GIB = 1 << 30


@dataclass(frozen=True)
class HeapRunner:
    """`kind: heap`."""

    scenario: HeapScenario

    @classmethod
    def of(cls, scenario: HeapScenario) -> HeapRunner:
        """It reads nothing."""
        return cls(scenario)

    def sizes(self) -> tuple[int, ...]:
        """Files and folders of each namespace, as the scenario says or the free memory allows.

        Raises:
            InputError: they do not fit.
        """
        room = available_bytes()
        fitting = next((each for each in _LARGEST if _needed_bytes(each) <= room), 0)
        asked = self.scenario.inodes or (fitting // 4, fitting // 2, fitting)
        if not fitting or _needed_bytes(max(asked)) > room:
            found = f"{_needed_bytes(max(*asked, _LARGEST[-1])) / _GIB:.1f} GiB"
            allowed = (
                f"the {room / _GIB:.1f} GiB that are free"
                + f": at most {fitting:,} files and folders" * bool(fitting)
            )
            raise InputError(
                "would need more memory than there is", place="inodes", found=found, allowed=allowed
            )
        return tuple(sorted(set(asked)))

    def check(self) -> None:
        """Whether all sizes fit in the memory that is free."""
        self.sizes()

    def run(self, execution: Execution) -> Answer:
        """Measure every size with few and with many blocks, the smaller ones with other files as well."""
        sizes, hadoop = self.sizes(), Hadoop.find(self.scenario.target.release, progress=execution.progress)
        find_jmap(hadoop)
        heap, points = _heap_bytes(max(sizes)), list[MeasuredHeap]()
        asked = list(_namespaces(sizes))
        with execution.progress.task(
            f"Measuring {counted(len(asked), 'NameNode')}", total=len(asked)
        ) as task:
            for number, (inodes, profile) in enumerate(asked):
                task.say(f"{inodes:,} files and folders")
                with Scratch("heap") as folder:
                    seeds = Seeds(self.scenario.seed).child("heap", number)
                    image = made_up(profile, inodes, seeds, hadoop, folder)
                    points.append(measured_heap(image, hadoop, heap))
                task.advance()
        return answer_of(points, hadoop.version)


def answer_of(points: Sequence[MeasuredHeap], release: str) -> Answer:
    """The law of some points, and then what it says of published clusters.

    Args:
        points: with references of 8 bytes.
    """
    own = tuple(HeapPoint(each.inodes, each.blocks, each.used_bytes, each.heap_bytes) for each in points)
    law = HeapLaw(own, {"hadoop": release}, shipped_law().points)
    base, inode, block = law.coefficients
    within = (each for each in PUBLISHED if each.objects <= law.most_objects)
    compared = [(each, law.need(each.objects, PUBLISHED_BLOCKS)) for each in within]
    content = {
        "release": release,
        "law": {"base_bytes": base, "inode_bytes": inode, "block_bytes": block},
        "points": [asdict(each) for each in points],
        "published": [_compared(*each) for each in compared],
    }
    return Answer(KIND, content, lambda facts: _page(law, points, compared, release, facts))


def _namespaces(sizes: Sequence[int]) -> Iterator[tuple[int, Profile]]:
    usual = read_profile(SHIPPED / "analytics.yaml")
    block = usual.block_size
    few = replace(usual, file_length=(Span(0, 0, 1), Span(1 << 20, block, 1)))
    many = replace(usual, file_length=(Span(block + 1, 2 * block - 1, 1),))
    for inodes in sizes:
        yield from ((inodes, few), (inodes, many))
    yield from ((inodes, usual) for inodes in sizes[:2])


def _heap_bytes(inodes: int) -> int:
    used = shipped_law().need(inodes * (1 + _MOST_BLOCKS), _MOST_BLOCKS).used_bytes
    return max(_LEAST_HEAP, int(_HEADROOM * used / _GIB + 1) * _GIB)


def _needed_bytes(inodes: int) -> int:
    return _heap_bytes(inodes) + _BESIDE_BYTES


def _compared(each: Published, need: Need) -> Mapping[str, Any]:
    return {
        **each._asdict(),
        "predicted_bytes": round(need.used_bytes),
        "interval_bytes": [round(end) for end in need.interval_bytes],
        "times_measured": need.times_measured,
    }


def _page(
    law: HeapLaw,
    points: Sequence[MeasuredHeap],
    compared: Sequence[tuple[Published, Need]],
    release: str,
    facts: Mapping[str, str],
) -> Report:
    base, inode, block = law.coefficients
    beyond = ", ".join(each.name for each in PUBLISHED if each.objects > law.most_objects)
    lede = (
        f"**A file or folder takes {inode:.0f} bytes of heap, a block {block:.0f}**, beside {base / 1e6:.0f} MB "
        f"and hash tables of about 3.3 % of the heap: {counted(len(points), 'NameNode')} of Hadoop {release}, up to "
        f"{law.largest:,} objects, references of 8 bytes, in use after a full collection. "
        + " ".join(_said(*each) for each in compared)
        + f" Not compared: {beyond}, more than {MOST_TIMES:,} times what was measured." * bool(beyond)
    )
    rows: list[tuple[Value, ...]] = [
        (f"{p.inodes:,}", p.blocks, p.used_bytes, p.process_bytes, p.load_s, p.p50_s, p.p99_s) for p in points
    ]
    columns = (
        Column("Files and folders"), Column("Blocks"), Column("Heap in use", ValueKind.BYTES),
        Column("Process", ValueKind.BYTES), Column("Image loaded in", ValueKind.DURATION),
        Column("getFileInfo p50", ValueKind.DURATION), Column("p99", ValueKind.DURATION),
    )  # fmt: skip
    measured = Table(
        columns, rows, f"Measured with {points[0].heap_bytes / _GIB:.0f} GiB of heap, without DataNodes"
    )
    published: list[tuple[Value, ...]] = [
        (
            each.name,
            each.objects,
            need.used_bytes,
            *need.interval_bytes,
            each.memory_bytes,
            each.what,
            each.source,
        )
        for each, need in compared
    ]
    heads = (
        Column("Cluster"), Column("Objects"), Column("Predicted", ValueKind.BYTES), Column("From", ValueKind.BYTES),
        Column("To", ValueKind.BYTES), Column("Published", ValueKind.BYTES), Column("Of what"), Column("Source"),
    )  # fmt: skip
    note = (
        f"With {PUBLISHED_BLOCKS:g} blocks for each file and folder, which is a guess. The interval is of the "
        "measurement, of the profiles that were measured here and for `froude image heap`, and of hash tables in a heap "
        "of up to twice what is in use; not of longer names, ACLs, extended attributes, snapshots, DataNodes, or what "
        "was not yet collected."
    )
    sections = (
        Section("What was measured", (measured,)),
        Section(
            "Published clusters",
            (
                Table(
                    heads,
                    published,
                    "Predicted by the law, and published",
                    note,
                    empty="The law reaches none of them.",
                ),
            ),
        ),
    )
    return Report("The heap of a NameNode", f"Hadoop {release}", lede, Tone.NEUTRAL, (), sections, facts)


def _said(each: Published, need: Need) -> str:
    low, high = need.interval_bytes
    inside = (
        "within" if low <= each.memory_bytes <= high else "above" if each.memory_bytes > high else "below"
    )
    return (
        f"{each.name}: {need.used_bytes / 1e9:.0f} GB predicted ({low / 1e9:.0f} to {high / 1e9:.0f}), "
        f"{need.times_measured:,.0f} times what was measured; published {each.memory_bytes / 1e9:.0f} GB "
        f"({each.what}), {inside} the interval."
    )
