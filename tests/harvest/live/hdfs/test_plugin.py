"""The plug-in as it is shipped."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import pytest

from froude.harvest.live.hdfs.plugin import CLASS, MAP, PACKAGE, POLICY, Way, class_files, jar_place, settings
from tools.build_placement_jar import sources_hash


def test_the_jar_is_of_these_sources_and_runs_on_java_8() -> None:
    """Told by the hash in its manifest, without a compiler."""
    with zipfile.ZipFile(jar_place()) as jar:
        manifest = jar.read("META-INF/MANIFEST.MF").decode()
    remedy = "build it anew: python tools/build_placement_jar.py"
    assert f"Sources-SHA256: {sources_hash()}" in manifest, remedy
    classes = class_files()
    assert CLASS.replace(".", "/") + ".class" in classes
    for name, data in classes.items():
        assert name.startswith("/".join(PACKAGE) + "/")
        assert struct.unpack(">IHH", data[:8]) == (0xCAFEBABE, 0, 52)


@pytest.mark.parametrize(
    ("way", "policy", "file"),
    [
        (Way.PLUGIN, CLASS, MAP),
        (
            Way.RACKS,
            f"{'.'.join(PACKAGE)}.BlockPlacementPolicyRackFaultTolerant",
            "net.topology.table.file.name",
        ),
    ],
)
def test_settings_name_the_class_and_its_file(way: Way, policy: str, file: str) -> None:
    """As the NameNode finds it."""
    found = settings(way, Path("/x/map"))
    assert (found[POLICY], found[file]) == (policy, "/x/map")
