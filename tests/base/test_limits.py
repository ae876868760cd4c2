"""The limit of open descriptors, in a process of its own: a soft limit that was lowered can be raised again."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from froude.base import limits
from froude.base.limits import available_bytes, raise_descriptor_limit, spare_cores, usable_cores

_CHILD = """
import resource, subprocess, sys
from froude.base.limits import available_bytes, raise_descriptor_limit
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
raised = raise_descriptor_limit()
shell = subprocess.run(["/bin/sh", "-c", "ulimit -n"], capture_output=True, text=True, check=True)
print(raised, *resource.getrlimit(resource.RLIMIT_NOFILE), hard, shell.stdout)
"""


def test_the_soft_limit_becomes_the_hard_one_for_children_too() -> None:
    """What was 64 is what the system allows, and what is answered."""
    child = subprocess.run([sys.executable, "-c", _CHILD], capture_output=True, text=True, check=True)
    raised, soft, hard, hard_before, of_a_child = child.stdout.split()
    assert raised == soft == hard == hard_before == of_a_child


def test_a_raised_limit_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is asked of the system once the two are equal."""
    monkeypatch.setattr(resource, "getrlimit", lambda _: (4096, 4096))
    monkeypatch.setattr(resource, "setrlimit", lambda *_: pytest.fail("set again"))
    assert raise_descriptor_limit() == 4096


@pytest.mark.parametrize("refusal", [OSError, ValueError])
def test_a_system_that_refuses_leaves_the_soft_limit(
    monkeypatch: pytest.MonkeyPatch, refusal: type[Exception]
) -> None:
    """No error: what counts is how many may be opened."""

    def refuse(*_: object) -> None:
        raise refusal

    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 4096))
    monkeypatch.setattr(resource, "setrlimit", refuse)
    assert raise_descriptor_limit() == 256


def test_some_memory_can_be_had() -> None:
    """More than a page, and not more than the machine has."""
    assert 4096 < available_bytes() <= psutil.virtual_memory().total


@pytest.mark.parametrize(("cores", "spare"), [(1, 1), (2, 1), (3, 2), (8, 7)])
def test_cores_beyond_the_first(cores: int, spare: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that this process may use, which may be fewer than the machine has."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(cores)))
    assert spare_cores() == spare


@pytest.mark.parametrize(
    ("limit", "cores"), [("max 100000", 8), ("250000 100000", 3), ("10 100000", 1), ("", 8)]
)
def test_a_control_group_allows_fewer_cores(
    limit: str, cores: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A part of a core counts as one; without a limit, or a group, it is those of the process."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)))
    monkeypatch.setattr(limits, "_CPU_LIMIT", tmp_path / "cpu.max")
    assert usable_cores() == 8
    (tmp_path / "cpu.max").write_text(f"{limit}\n")
    assert usable_cores() == cores
