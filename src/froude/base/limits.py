"""What the system allows this process."""

from __future__ import annotations

import contextlib
import math
import os
import resource
from pathlib import Path

import psutil

_CPU_LIMIT = Path("/sys/fs/cgroup/cpu.max")


def raise_descriptor_limit() -> int:
    """Raise this process's limit of open descriptors to the hard limit; children inherit it.

    Returns:
        The limit now: the soft one where the system does not let it be raised.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
            soft = hard
    return soft


def machine_cores() -> int:
    """Cores of this machine, whichever of them this process may use."""
    return os.cpu_count() or 1


def usable_cores() -> int:
    """Cores that this process may use: those it is pinned to, and no more than its control group (version 2) allows."""
    cores = len(os.sched_getaffinity(0))
    # There may be no such group, or one without a limit, whose quota is "max".
    with contextlib.suppress(OSError, ValueError):
        quota, period = map(int, _CPU_LIMIT.read_text().split())
        cores = min(cores, max(1, math.ceil(quota / period)))
    return cores


def spare_cores() -> int:
    """Cores that this process may use beyond the first; 1 where it has one core alone."""
    return max(1, usable_cores() - 1)


def available_bytes() -> int:
    """Memory that can be had without swapping, now."""
    return int(psutil.virtual_memory().available)
