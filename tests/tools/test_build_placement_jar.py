"""The shipped plug-in is what its sources give."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from froude.experiment.session import Hadoop
from tools.build_placement_jar import JAR, JDK, build, javac_major, sources_hash


def test_the_shipped_jar_comes_out_of_the_compiler(hadoop: Hadoop) -> None:
    """Byte by byte, where a javac of the same Java is here."""
    javac = shutil.which("javac")
    if javac is None or javac_major(javac) != JDK:
        pytest.skip(f"no javac of Java {JDK}")
    assert build(javac, hadoop.jars) == JAR.read_bytes()


def test_any_change_of_a_source_changes_the_hash(tmp_path: Path) -> None:
    """Its text, and its name."""
    (tmp_path / "A.java").write_text("class A {}")
    first = sources_hash(tmp_path)
    (tmp_path / "A.java").write_text("class A { }")
    second = sources_hash(tmp_path)
    (tmp_path / "A.java").rename(tmp_path / "B.java")
    assert len({first, second, sources_hash(tmp_path)}) == 3
