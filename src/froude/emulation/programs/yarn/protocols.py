"""What YARN's protocols are called, and the numbers that its messages use: facts of every release 2 and 3.

Source: yarn_protos.proto, yarn_server_common_protos.proto, yarn_service_protos.proto.
"""

from __future__ import annotations

_YARN = "org.apache.hadoop.yarn."
TRACKER = f"{_YARN}server.api.ResourceTrackerPB"
SCHEDULER = f"{_YARN}api.ApplicationMasterProtocolPB"
CLIENT = f"{_YARN}api.ApplicationClientProtocolPB"
CONTAINERS = f"{_YARN}api.ContainerManagementProtocolPB"
HDFS = "org.apache.hadoop.hdfs.protocol.ClientProtocol"

TRACKER_SERVICE, SCHEDULER_SERVICE = "resourcemanager-tracker", "resourcemanager-scheduler"
NODEMANAGER, NAMENODE = "nodemanager", "namenode"

TOKEN_IDENTIFIER = "hadoop.yarn.ContainerTokenIdentifierProto"  # noqa: S105 - a message's name
CREDENTIALS = "hadoop.common.CredentialsProto"

# NodeActionProto
NORMAL, RESYNC, SHUTDOWN = 0, 1, 2
# ContainerStateProto, ContainerSubStateProto
RUNNING, COMPLETE = 2, 3
SUB_SCHEDULED, SUB_RUNNING, SUB_DONE = 1, 2, 5
# ContainerExitStatus: not over yet, done, and what a shell says of a process that was asked to end
NO_EXIT, SUCCESS, KILLED = -1000, 0, 143
# LocalResourceVisibilityProto
PUBLIC, PRIVATE, APPLICATION = 1, 2, 3
# FinalApplicationStatusProto
FAILED_APPLICATION = 2
