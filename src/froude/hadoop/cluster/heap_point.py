"""What a NameNode with a namespace takes: heap in use after a full collection, memory, the time it loads, latency."""

from __future__ import annotations

import getpass
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from froude.base.errors import InputError, TargetError
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.rpc.connection import Connection

_PROTOCOL = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
_STATE = "Hadoop:service=NameNode,name=FSNamesystemState"
_STARTUP = "Hadoop:service=NameNode,name=StartupProgress"
_CALLS, _WARM = 2000, 1000


@dataclass(frozen=True, slots=True)
class MeasuredHeap:
    """A NameNode that was measured; no DataNode is there."""

    inodes: int
    """Files and folders that it counts."""
    blocks: int
    used_bytes: int
    """In use after a full collection."""
    process_bytes: int
    heap_bytes: int
    references: int
    """Bytes of a reference."""
    load_s: float
    """For which it loaded its image."""
    p50_s: float
    """Median latency of getFileInfo of the root, one call after another, once warm."""
    p99_s: float


def find_jmap(hadoop: Hadoop) -> Path:
    """The program that has a JVM collect its garbage.

    Args:
        hadoop: whose Java is asked for it.

    Raises:
        InputError: its Java has none.
    """
    jmap = hadoop.java.home / "bin" / "jmap"
    if not jmap.exists():
        remedy = "Install a JDK, and name its folder in JAVA_HOME"
        raise InputError("is missing: only a JDK has it", file=jmap, remedy=remedy)
    return jmap


def measured_heap(image: Path, hadoop: Hadoop, heap_bytes: int, *, compressed: bool = False) -> MeasuredHeap:
    """Start a NameNode on an image, and measure it.

    Args:
        image: its FsImage, or the folder around it.
        compressed: whether references have 4 bytes instead of 8, which no heap above 32 GB has.

    Raises:
        InputError: its Java is not a JDK.
        TargetError: it does not come up, or cannot be measured.
    """
    jmap = find_jmap(hadoop)
    flags = (f"-XX:{'+' if compressed else '-'}UseCompressedOops",)
    with NameNode(hadoop, heap=heap_bytes, image=image, flags=flags) as namenode:
        state, startup = (namenode.jmx(name)[0] for name in (_STATE, _STARTUP))
        latencies = _latencies(namenode)
        return MeasuredHeap(
            int(state["FilesTotal"]),
            int(state["BlocksTotal"]),
            min(_after_collection(jmap, namenode.pid) for _ in range(2)),
            namenode.rss_bytes(),
            heap_bytes,
            4 if compressed else 8,
            float(startup["LoadingFsImageElapsedTime"]) / 1e3,
            latencies[_CALLS // 2],
            latencies[_CALLS * 99 // 100],
        )


def _latencies(namenode: NameNode) -> list[float]:
    """Of calls one after another, seconds, the shortest first."""
    schema = namenode.hadoop.schema().subset([_PROTOCOL])
    taken = []
    with Connection(*namenode.address, schema, _PROTOCOL, user=getpass.getuser()) as connection:
        request = connection.message("getFileInfo", src="/")
        for _ in range(_WARM + _CALLS):
            begun_s = time.perf_counter()
            connection.call("getFileInfo", request)
            taken.append(time.perf_counter() - begun_s)
    return sorted(taken[_WARM:])


def _after_collection(jmap: Path, pid: int) -> int:
    """Bytes in use once everything that nothing refers to is gone: the total of a histogram of live objects."""
    done = subprocess.run([jmap, "-histo:live", str(pid)], check=False, capture_output=True, text=True)
    if done.returncode:
        raise TargetError(f"cannot be asked for its live objects: {done.stderr.strip()}", file="NameNode")
    return int(done.stdout.splitlines()[-1].split()[2])
