"""Ask a target who it is, before its traffic is recorded."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from froude.base.errors import FroudeError
from froude.hadoop.connection import Connection
from froude.hadoop.schema import Schema
from froude.trace.capture.settings import CaptureSettings

_PROTOCOL = "org.apache.hadoop.hdfs.server.protocol.NamenodeProtocol"
_TIMEOUT_S = 5.0


def with_source_id(settings: CaptureSettings, schema: Schema) -> CaptureSettings:
    """The settings with the target's HDFS cluster id and release, where it tells them.

    A target that is no NameNode, or that wants a ticket for the question, leaves the settings as they are:
    the recorder still learns the id when a DataNode asks for it.
    """
    if settings.source_id:
        return settings
    told = ask_namespace(settings.target, schema)
    if told is None:
        return settings
    return replace(settings, source_id=told[0], release=settings.release or told[1])


def ask_namespace(target: tuple[str, int], schema: Schema) -> tuple[str, str] | None:
    """A NameNode's cluster id and release, or None if the target does not say."""
    try:
        with Connection(*target, schema, _PROTOCOL, timeout_s=_TIMEOUT_S) as connection:
            answer: Any = connection.call("versionRequest", connection.message("versionRequest"))
    except FroudeError:
        return None
    return str(answer.info.storageInfo.clusterID), str(answer.info.softwareVersion)
