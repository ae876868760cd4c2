"""The plug-in for HDFS as it is shipped, and the settings that put it, or what comes near it without Java, in force."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from enum import Enum
from importlib import resources
from pathlib import Path

JAR = "placement.jar"
"""Beside this module; built from `java/` by `tools/build_placement_jar.py`."""
PACKAGE = ("org", "apache", "hadoop", "hdfs", "server", "blockmanagement")
_IN = ".".join(PACKAGE)
POLICY, MAP = "dfs.block.replicator.classname", "froude.placement.map"
CLASS = f"{_IN}.BlockPlacementPolicyWithTenants"


class Way(Enum):
    """How a NameNode is brought to place replicas."""

    PLUGIN = "plugin"
    """By the plug-in, which keeps to any constraints; from Hadoop 3.3 on."""
    RACKS = "racks"
    """Without Java: environments are told to be racks, and replicas go to as many racks as there are."""


def jar_place() -> str:
    """Where the jar lies."""
    return str(resources.files(__package__).joinpath(JAR))


def class_files() -> Mapping[str, bytes]:
    """The plug-in's classes by their paths: a NameNode finds them in its configuration folder, too."""
    with resources.files(__package__).joinpath(JAR).open("rb") as file, zipfile.ZipFile(file) as jar:
        return {name: jar.read(name) for name in jar.namelist() if name.endswith(".class")}


def settings(way: Way, file: Path) -> dict[str, str]:
    """Properties of hdfs-site.xml.

    Args:
        file: the map, or the table of racks, as the NameNode finds it.
    """
    if way is Way.PLUGIN:
        return {POLICY: CLASS, MAP: str(file)}
    return {
        POLICY: f"{_IN}.BlockPlacementPolicyRackFaultTolerant",
        "net.topology.node.switch.mapping.impl": "org.apache.hadoop.net.TableMapping",
        "net.topology.table.file.name": str(file),
    }
