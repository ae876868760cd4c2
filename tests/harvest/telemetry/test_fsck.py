"""Locations out of `hdfs fsck`."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.harvest.telemetry.fsck import read_fsck

POOL = "0. BP-1050256053-127.0.0.1-1795593095590:"
STORAGE = "DatanodeInfoWithStorage[{},DS-439da08b-88ca-45d3-916c-cf224d4274b3,DISK]"
ONE, TWO = STORAGE.format("10.0.0.1:9866"), STORAGE.format("10.0.0.2:9866")


@pytest.mark.parametrize(
    "line",
    [
        f"{POOL}blk_9_5 len=5098 Live_repl=2  [{ONE}, {TWO}]",
        f"{POOL}blk_9_5 len=5098 repl=2 [{ONE}, {TWO}]",
        f"{POOL}blk_9_5 len=5098 Live_repl=2  [{ONE}(LIVE), {TWO}(STALE_NODE)]",
        f"{POOL}blk_9_5 len=5098 repl=2 [/default-rack/10.0.0.1:9866, /a/b/10.0.0.2:9866]",
        f"{POOL}blk_9_5 len=5098 repl=2 [10.0.0.1:9866, 10.0.0.2:9866]",
        f"{POOL}blk_9 len=5098 Live_repl=2  [{ONE}, {TWO}]",
    ],
)
def test_the_forms_of_all_releases(line: str) -> None:
    """With storages, states, racks, or addresses alone."""
    found = read_fsck([line])
    assert found.addresses == ("10.0.0.1:9866", "10.0.0.2:9866")
    assert found.placed.tolist() == [[0, 1]]
    assert not found.whole
    assert found.detailed == ("(LIVE)" in line)


def test_what_has_no_place() -> None:
    """Blocks without a replica and groups of erasure-coded files are counted, and other lines are passed over."""
    found = read_fsck(
        [
            "Connecting to namenode via http://nn:9870/fsck?ugi=root",
            "/a 1048576 bytes, replicated: replication=3, 2 block(s):  OK",
            f"{POOL}blk_1_1 len=5 MISSING!",
            f"{POOL}blk_2_1 len=5 Live_repl=1  [{TWO}]",
            f"1. BP-1-127.0.0.1-1:blk_3_1 len=5 Live_repl=2  [{ONE}, {TWO}]",
            f"{POOL}blk_-9223372036854775792_1 len=5 Live_repl=2  [blk_-9223372036854775792:{ONE}, blk_-91:{TWO}]",
            "FSCK ended at Wed Nov 25 08:00:00 UTC 2026 in 1 milliseconds",
        ]
    )
    assert (found.without, found.coded, found.whole) == (1, 1, True)
    assert found.placed.tolist() == [[0, -1], [1, 0]]


def test_bad_replicas_are_none() -> None:
    """With `-replicaDetails`: corrupt ones, those in excess or on decommissioned DataNodes are counted and left out."""
    three = STORAGE.format("10.0.0.3:9866")
    found = read_fsck(
        [
            f"{POOL}blk_1_1 len=5 Live_repl=1  [{ONE}(LIVE), {TWO}(CORRUPT), {three}(DECOMMISSIONED)]",
            f"{POOL}blk_2_1 len=5 Live_repl=3  [{ONE}(DECOMMISSIONING), {TWO}(STALE_NODE), {three}(IN MAINTENANCE)]",
            f"{POOL}blk_3_1 len=5 Live_repl=0  [{ONE}(EXCESS)]",
            f"{POOL}blk_4_1 len=5 Live_repl=1  [/a/10.0.0.1:9866(CORRUPT), /a/10.0.0.2:9866(LIVE)]",
        ]
    )
    assert found.addresses == ("10.0.0.1:9866", "10.0.0.2:9866", "10.0.0.3:9866")
    assert found.placed.tolist() == [[0, -1, -1], [0, 1, 2], [1, -1, -1]]
    assert found.bad == {"corrupt": 2, "on decommissioned DataNodes": 1, "in excess": 1}
    assert found.without == 1


def test_a_block_id_of_any_length_is_one() -> None:
    """Only its sign is looked at."""
    found = read_fsck([f"{POOL}blk_{sign}{'9' * 5000}_1 len=5 repl=1 [{ONE}]" for sign in ("", "-")])
    assert (found.placed.tolist(), found.coded) == ([[0]], 1)


def test_what_is_no_fsck() -> None:
    """No block in it, or none with a replica that counts: what was there is told; nor a line that goes on and on."""
    run = "hdfs fsck PATH -files -blocks -locations -replicaDetails"
    bare, coded = f"{POOL}blk_1_1 len=5 Live_repl=1", f"{POOL}blk_-9_1 len=5 Live_repl=1  [blk_-9:{ONE}]"
    excess = f"{bare}  [{ONE}(EXCESS)]"
    for lines, said in (
        ([], f"f: lists no block; found nothing. Run {run}"),
        (
            ["/a <dir>", "Path '/b' does not exist", ""],
            "found at its end: Path '/b' does not exist. Run hdfs",
        ),
        ([bare, bare], f"f: lists 2 blocks and names no DataNode. Unless all are missing.*: {run}"),
        ([excess, coded], "found 1 block without one, 1 replica in excess, 1 group of erasure-coded files"),
    ):
        with pytest.raises(InputError, match=said):
            read_fsck(lines, name="f")
    many = ", ".join(STORAGE.format(f"10.0.{n // 256}.{n % 256}:9866") for n in range(600))
    with pytest.raises(InputError, match="f:1: names too many DataNodes; found 600"):
        read_fsck([f"{POOL}blk_9_5 len=5098 Live_repl=600  [{many}]"], name="f")


@given(st.lists(st.text(r"0. blk_\[-]:,x19", max_size=60), max_size=8))
def test_any_text_is_read_or_refused(lines: list[str]) -> None:
    """Never anything else."""
    with suppress(InputError):
        read_fsck(lines)
