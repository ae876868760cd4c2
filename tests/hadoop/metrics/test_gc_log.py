"""What a JVM's log of its garbage collector tells."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.hadoop.metrics.gc_log import (
    GcLog,
    HeapChange,
    Pause,
    Pauses,
    gc_log_flag,
    parse_gc_log,
    put_together,
)

BEGUN_S = datetime(2026, 11, 23, 9, 46, 30, tzinfo=UTC).timestamp()
MIB = 1 << 20
STOPPED = "Time since last: 99 ns, Reaching safepoint: {} ns, Cleanup: 5 ns, At safepoint: 7 ns, Total: {} ns"


def line(text: str, at_ms: int = 1000, tags: str = "gc          ") -> str:
    """A line of such a log, so long after `BEGUN_S`."""
    moment = datetime.fromtimestamp(BEGUN_S + at_ms / 1e3, UTC)
    return f"[{moment:%Y-%m-%dT%H:%M:%S}.{at_ms % 1000:03}+0000][{at_ms / 1e3:.3f}s][{tags}] {text}"


def read(*texts: str) -> GcLog:
    """Of lines a tenth of a second apart, with times from `BEGUN_S` on."""
    return parse_gc_log([line(text, 100 * at) for at, text in enumerate(texts, 1)]).during(BEGUN_S, 3600)


@pytest.mark.parametrize(
    ("text", "kind", "heap"),
    [
        ("Pause Young (Normal) (G1 Evacuation Pause) 12M->5M(244M) 7.250ms", "Young (Normal) (G1 Evacuation Pause)",
         (12, 5)),
        ("Pause Remark 87M->86M(128M) 7.250ms", "Remark", (87, 86)),
        ("Pause Full (System.gc()) 53M->25M(108M) 7.250ms", "Full (System.gc())", (53, 25)),
        ("Pause Young (Allocation Failure) 2G->1G(4G) 7.250ms", "Young (Allocation Failure)", (2048, 1024)),
        ("Pause Mark Start 7.250ms", "Mark Start", None),
        ("Y: Pause Mark Start (Major) 7.250ms", "Mark Start (Major)", None),
        ("Pause Init Mark (unload classes) 7.250ms", "Init Mark (unload classes)", None),
    ],
)  # fmt: skip
def test_a_pause_of_each_collector(text: str, kind: str, heap: tuple[int, int] | None) -> None:
    """Serial, Parallel, G1, Z with and without generations, Shenandoah."""
    log = read(f"GC(7) {text}")
    (pause,) = log.pauses
    assert (pause.time_s, pause.duration_s) == (pytest.approx(0.1), pytest.approx(0.00725))
    assert (pause.kind, pause.collection, pause.reaching_s) == (kind, True, None)
    assert [each[1:] for each in log.heap] == ([] if heap is None else [(heap[0] * MIB, heap[1] * MIB)])


@pytest.mark.parametrize("end", ["14M(11%)->12M(9%)", "14M(11%)->12M(9%) 0.016s"])
@pytest.mark.parametrize("what", ["Garbage Collection (Warmup)", "Major Collection (Proactive)"])
def test_a_collection_that_stops_nobody_tells_of_the_heap(what: str, end: str) -> None:
    """As those of the Z collector."""
    log = read(f"GC(0) {what}", f"GC(0) {what} {end}")
    assert (log.pauses, log.heap) == ([], [HeapChange(pytest.approx(0.2), 14 * MIB, 12 * MIB)])


def test_what_only_begins_or_is_a_part_is_no_pause() -> None:
    """Nor is what runs beside the program."""
    log = read(
        "GC(0) Pause Young (Normal) (G1 Evacuation Pause)",
        "GC(0)   Pre Evacuate Collection Set: 0.0ms",
        "GC(0) Metaspace: 3022K(3200K)->3022K(3200K) NonClass: 2747K(2816K)->2747K(2816K)",
        "GC(0) Eden regions: 12->0(10)",
        "GC(1) Concurrent Mark Cycle 3.1ms",
    )
    assert (log.pauses, log.heap, log.lines, log.unread) == ([], [], 5, 0)


def test_a_stop_is_told_by_what_it_was_for() -> None:
    """One with collections in it is theirs, and says how long it took to reach; another has a name of its own."""
    log = read(
        "Using G1",
        "GC(0) Pause Remark 87M->87M(128M) 2.000ms",
        f'Safepoint "G1PauseRemark", {STOPPED.format(3000, 2100000)}',
        f'Safepoint "ICBufferFull", {STOPPED.format(4000, 150000)}, Threads: 0 runnable, 10 total',
    )
    assert log.collector == "G1"
    remark, other = log.pauses
    assert (remark.kind, remark.duration_s, remark.reaching_s) == ("Remark", 0.002, 3e-6)
    assert other[1:] == ("ICBufferFull", 0.000146, False, 4e-6)
    assert log.collections == [remark]


@pytest.mark.parametrize("name", ["G1", "Serial", "The Z Garbage Collector", "Shenandoah", "Parallel"])
def test_the_collector(name: str) -> None:
    """As its first line has it; how many threads it takes is another matter."""
    log = read("GC(0) Using 2 workers of 2 for evacuation", f"Using {name}", "Using another")
    assert log.collector == name.removeprefix("The ").removesuffix(" Garbage Collector")


@pytest.mark.parametrize(
    "bad",
    ["GC(0) Pause Remark 0.5ms", "[1.125s][gc] GC(1) Pause Remark 0.5ms", "[2026-13-01T00:00:00.000+0000] x",
     "[2026-11-23T09:46:31.1", "[" * 5000, "[gc] began at [2026-11-23T09:46:31.120+0000]"],
)  # fmt: skip
def test_what_is_no_line_of_such_a_log_is_counted(bad: str) -> None:
    """Also one that has no time of day among its decorations; an empty one is nothing."""
    log = parse_gc_log([bad, "", line("GC(0) Pause Remark 0.5ms")])
    assert (len(log.pauses), log.lines, log.unread) == (1, 3, 1)


def test_the_longest_line() -> None:
    """4096 characters are read, and one more is not."""
    longest = line("GC(0) Pause Remark 0.5ms").ljust(4096)
    assert [parse_gc_log([each]).unread for each in (longest, longest + " ")] == [0, 1]
    assert len(parse_gc_log([line("Using " + "G" * 4000)[:4096]]).collector) > 3900


def test_a_stretch_of_time() -> None:
    """From its begin to its end, with times that count from there."""
    log = parse_gc_log([line(f"GC({at}) Pause Remark {at}M->1M(9M) 0.5ms", 1000 * at) for at in range(1, 6)])
    part = log.during(BEGUN_S + 2, 2)
    assert [pause.time_s for pause in part.pauses] == [0, 1, 2]
    assert [change.before_bytes // MIB for change in part.heap] == [2, 3, 4]
    assert len(log.pauses) == 5


def test_pauses_put_together() -> None:
    """Of none there is nothing to say."""
    pauses = [Pause(0.0, "x", at / 1000) for at in range(1, 101)]
    assert put_together(pauses) == Pauses(100, pytest.approx(5.05), 0.05, 0.099, 0.1)
    assert repr(put_together([])) == repr(Pauses(0, 0.0, 0.0, 0.0, 0.0)), "a number of pauses is a whole one"


def test_the_flag_takes_any_path() -> None:
    """Also one with a colon, which stands between the flag's parts."""
    assert 'file="/a:b/gc.log":utctime' in gc_log_flag("/a:b/gc.log")


PARTS = st.sampled_from(
    ["[2026-11-23T09:46:31.120+0000]", "[0.2s]", "[gc]", " ", "GC(0)", "Pause", "Remark", "12M", "->", "5M", "(244M)",
     "7.1ms", "Safepoint", '"x",', "Reaching safepoint: 3 ns", "Total: 9 ns", "Using G1", "99999999999", "\x00"]
)  # fmt: skip


@given(st.lists(st.one_of(st.text(max_size=40), st.lists(PARTS, max_size=12).map(" ".join)), max_size=8))
def test_whatever_stands_in_a_log_is_read_or_counted(lines: list[str]) -> None:
    """Nothing is told twice, and nothing takes less than no time."""
    log = parse_gc_log(lines)
    assert log.lines == len(lines)
    assert log.unread + len(log.pauses) <= log.lines
    assert all(pause.duration_s >= 0 for pause in log.pauses)


SIZES = st.tuples(st.integers(0, 10**6), st.sampled_from("BKMG"))
BYTES = {"B": 1, "K": 1024, "M": MIB, "G": 1024 * MIB}


@given(SIZES, SIZES, st.integers(0, 10**6), st.sampled_from(["Remark", "Full (x)"]))
def test_a_pause_that_is_written_is_read(
    before: tuple[int, str], after: tuple[int, str], microseconds: int, kind: str
) -> None:
    """Whatever its sizes, their units and its length."""
    used = "->".join(f"{size}{unit}" for size, unit in (before, after))
    (pause,), (heap,) = (
        (log := read(f"GC(3) Pause {kind} {used}(9M) {microseconds / 1e3:.3f}ms")).pauses,
        log.heap,
    )
    assert (pause.kind, heap[1:]) == (kind, tuple(size * BYTES[unit] for size, unit in (before, after)))
    assert pause.duration_s == pytest.approx(microseconds / 1e6)
