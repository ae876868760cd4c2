"""What a measurement ran on: this machine, and what a daemon's JVM says of itself."""

from __future__ import annotations

import platform
import re
from contextlib import suppress

import psutil

from froude.base.errors import TargetError
from froude.base.limits import machine_cores
from froude.base.version import __version__
from froude.hadoop.metrics.jmx import Bean, jmx

_RUNTIME, _SYSTEM, _MEMORY = (f"java.lang:type={name}" for name in ("Runtime", "OperatingSystem", "Memory"))
_NAMENODE = "Hadoop:service=NameNode,name=NameNodeInfo::SoftwareVersion"
"""One attribute: another one of that bean lists all DataNodes, 1 KB each."""
_FILE = re.compile(r":file=.*|[=:](?=/).*")
"""Where a JVM flag goes on with a path."""
_TRIES = 3
"""A daemon that has much to do may be late with an answer."""


def machine() -> dict[str, str]:
    """Cores, memory and releases of this side, by name."""
    memory = psutil.virtual_memory().total
    return {
        "cores": str(machine_cores()),
        "memory": f"{memory / (1 << 30):.1f} GiB",
        "system": f"{platform.system()} {platform.release()}",
        "Python": platform.python_version(),
        "Froude": __version__,
    }


def busy_cores(over_s: float = 1.0) -> float:
    """How many of this machine's cores are in use, by whatever runs, over a time.

    Args:
        over_s: seconds.
    """
    return psutil.cpu_percent(over_s) / 100 * machine_cores()


def daemon(http: tuple[str, int]) -> dict[str, str]:
    """Release, JVM, heap and JVM flags of a daemon that answers HTTP, by name; what it does not tell is left out."""
    told: dict[str, str] = {}
    runtime, system, memory, info = (_bean(http, name) for name in (_RUNTIME, _SYSTEM, _MEMORY, _NAMENODE))
    if "SoftwareVersion" in info:
        told["Hadoop"] = str(info["SoftwareVersion"])
    if "VmVersion" in runtime:
        told["JVM"] = f"{runtime.get('VmName', 'JVM')} {runtime['VmVersion']}"
    heap = memory.get("HeapMemoryUsage")
    if isinstance(heap, dict) and isinstance(heap.get("max"), int):
        told["heap"] = f"{heap['max'] / (1 << 20):,.0f} MiB"
    # Properties may hold paths and secrets; flags do not hold secrets.
    flags = [flag for flag in runtime.get("InputArguments", ()) if str(flag).startswith("-X")]
    if flags:
        told["JVM flags"] = " ".join(_FILE.sub("", str(flag)) for flag in flags)
    if "AvailableProcessors" in system:
        told["cores of the target"] = str(system["AvailableProcessors"])
    return told


def _bean(http: tuple[str, int], name: str) -> Bean:
    for _ in range(_TRIES):
        with suppress(TargetError):
            beans = jmx(http, name)
            return beans[0] if beans and isinstance(beans[0], dict) else {}
    return {}
