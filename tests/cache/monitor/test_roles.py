"""What a process is, by its command line."""

from __future__ import annotations

import pytest

from froude.cache.monitor.roles import role_of

_NAMENODE = "org.apache.hadoop.hdfs.server.namenode.NameNode"


@pytest.mark.parametrize(
    ("command", "role"),
    [
        (["/usr/bin/java", "-Xmx1g", "-cp", "a:b", _NAMENODE], "NameNode"),
        (["java", "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager"], "ResourceManager"),
        (["java", "org.apache.hadoop.mapred.YarnChild", "127.0.0.1", "4711", "attempt_1"], "Task"),
        (["java", "org.apache.hadoop.mapreduce.v2.app.MRAppMaster"], "MRAppMaster"),
        (["jsvc.java", "org.apache.hadoop.hdfs.server.datanode.SecureDataNodeStarter"], "DataNode"),
        (["java", f"-Dmain={_NAMENODE}", "com.example.Other"], ""),
        (["grep", _NAMENODE], ""),
        (["java", "-jar", "x.jar"], ""),
        ([], ""),
    ],
)
def test_the_main_class_is_a_word_of_its_own(command: list[str], role: str) -> None:
    """Neither an option that names it, nor a search for it, is a daemon."""
    assert role_of(command) == role
