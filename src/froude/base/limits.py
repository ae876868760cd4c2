"""What the system allows this process."""

from __future__ import annotations

import contextlib
import os
import resource

import psutil


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


def spare_cores() -> int:
    """Cores that this process may use beyond the first; 1 where it has one core alone."""
    return max(1, len(os.sched_getaffinity(0)) - 1)


def available_bytes() -> int:
    """Memory that can be had without swapping, now."""
    return int(psutil.virtual_memory().available)
