"""What a process of the Hadoop world is, by the main class on its command line."""

from __future__ import annotations

from collections.abc import Sequence

MASTERS = ("NameNode", "ResourceManager", "HMaster", "MRAppMaster")
"""Roles that make their machine an application's master, the surest first."""
ROLES = {
    "org.apache.hadoop.hdfs.server.namenode.NameNode": "NameNode",
    "org.apache.hadoop.hdfs.server.namenode.SecondaryNameNode": "SecondaryNameNode",
    "org.apache.hadoop.hdfs.server.datanode.DataNode": "DataNode",
    "org.apache.hadoop.hdfs.qjournal.server.JournalNode": "JournalNode",
    "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager": "ResourceManager",
    "org.apache.hadoop.yarn.server.nodemanager.NodeManager": "NodeManager",
    "org.apache.hadoop.yarn.server.timelineservice.reader.TimelineReaderServer": "TimelineServer",
    "org.apache.hadoop.yarn.server.applicationhistoryservice.ApplicationHistoryServer": "TimelineServer",
    "org.apache.hadoop.mapreduce.v2.app.MRAppMaster": "MRAppMaster",
    "org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer": "JobHistoryServer",
    "org.apache.hadoop.mapred.YarnChild": "Task",
    "org.apache.hadoop.hbase.master.HMaster": "HMaster",
    "org.apache.hadoop.hbase.regionserver.HRegionServer": "HRegionServer",
    "org.apache.spark.deploy.yarn.ApplicationMaster": "SparkMaster",
    "org.apache.spark.executor.CoarseGrainedExecutorBackend": "SparkExecutor",
    "org.apache.spark.executor.YarnCoarseGrainedExecutorBackend": "SparkExecutor",
    "org.apache.tez.dag.app.DAGAppMaster": "TezMaster",
    "org.apache.tez.runtime.task.TezChild": "Task",
}
"""By main class."""
_SECURE_DATANODE = "org.apache.hadoop.hdfs.server.datanode.SecureDataNodeStarter"


def role_of(command: Sequence[str]) -> str:
    """The role of a process; empty where it has none of the Hadoop world.

    The main class is a word of its own: a class named within an option, or a file of that name, is none.

    Args:
        command: its command line, the program first.
    """
    if not command or "java" not in command[0].rpartition("/")[2]:
        return ""
    for word in command[1:]:
        if word in ROLES:
            return ROLES[word]
        if word == _SECURE_DATANODE:
            return "DataNode"
    return ""
