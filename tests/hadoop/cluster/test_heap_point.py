"""What a NameNode takes, measured on a real one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.base.seeds import Seeds
from froude.experiment.replay.image import made_up
from froude.experiment.replay.namespace_profile import SHIPPED, read_profile
from froude.hadoop.cluster.heap_point import find_jmap, measured_heap
from froude.hadoop.release.distribution import Hadoop


def test_a_namenode_is_measured(hadoop: Hadoop, tmp_path: Path) -> None:
    """What it counts, what is in use, and how long it takes."""
    image = made_up(read_profile(SHIPPED / "analytics.yaml"), 2000, Seeds(1), hadoop, tmp_path)
    found = measured_heap(image, hadoop, 256 << 20)
    assert 1500 < found.inodes < 2500
    assert found.blocks > 500
    assert 10e6 < found.used_bytes < found.process_bytes
    assert (found.heap_bytes, found.references) == (256 << 20, 8)
    assert 0 < found.p50_s <= found.p99_s < 10
    assert found.load_s > 0


def test_a_java_without_its_tools_is_refused(hadoop: Hadoop, tmp_path: Path) -> None:
    """As that of a wheel is."""
    java = replace(hadoop.java, path=tmp_path / "bin" / "java")
    with pytest.raises(InputError, match="only a JDK has it"):
        find_jmap(replace(hadoop, java=java))
