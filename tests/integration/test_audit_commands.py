"""Every audited command, by Hadoop's own client: its log is imported and replayed, and nothing fails."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from froude.emulation.programs.audit.commands import COMMANDS, LEFT_OUT
from froude.emulation.settings import LogClientSettings, Pacing
from froude.experiment.play.play import play
from froude.experiment.replay.preparation import account_properties
from froude.experiment.replay.recorded_load import SWITCHES, make_ready, replay_plan, short_name
from froude.experiment.scenario.options import Load, PlayOptions
from froude.experiment.scenario.replay_options import ReplayedDatanodes, ReplayNodes
from froude.experiment.session import Hadoop
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.cluster.program import run_program
from froude.hadoop.rpc.connection import current_user
from froude.trace.audit.files import AuditLog
from froude.trace.importers.audit_log import import_audit

pytestmark = pytest.mark.integration
CLIENT = Path(__file__).with_name("AuditedCommands.java")
UNMADE: Mapping[str, str] = {
    "rename2": "is the table's own name of `rename` with options",
    "createSymlink": "is refused by every NameNode: symbolic links are off, and only its own tests switch them on",
    "createEncryptionZone": "needs a key provider, whose libraries are not among the jars",
    "getStoragePolicy": "is not audited by this release",
    "getPreferredBlockSize": "is not audited by this release",
}
"""Commands of the table that the client cannot bring into a log, and why."""
UNAUDITED = {"queryRollingUpgrade": "without an upgrade under way, which is not replayed"}
"""Commands that are replayed and leave no line, and why."""


def _recorded(hadoop: Hadoop, folder: Path) -> Path:
    """The audit log of a NameNode and a DataNode on which every command was run."""
    switches = {name: value for properties in SWITCHES.values() for name, value in properties.items()}
    with hadoop.cluster(datanodes=1, replication=1, fast=True, conf=switches) as cluster:
        cluster.wait_live()
        command = [str(hadoop.java.path), "-XX:TieredStopAtLevel=1", "-cp", hadoop.classpath, str(CLIENT)]
        output = folder / "client.out"
        code = run_program(
            [*command, cluster.namenode.uri], environment=dict(os.environ), output=output, timeout_s=300
        )
        assert code == 0, output.read_text()
        assert cluster.namenode.audit_log is not None
        return cluster.namenode.audit_log.rename(folder / "audit.log")


def _commands(log: AuditLog) -> Counter[str]:
    """How often each command is there that a replay makes again, but for its own questions."""
    counts = Counter(line.command for line in log.lines())
    return Counter(
        {name: n for name, n in counts.items() if name not in {*LEFT_OUT, *UNAUDITED, "safemode_get"}}
    )


def _what(log: AuditLog) -> Counter[tuple[str | None, ...]]:
    """Who did what to which path; groups of others are as the NameNode's own mapping has them."""
    return Counter(
        (
            short_name(line.user),
            line.real_user,
            line.command,
            line.options,
            line.src,
            line.dst,
            line.perm if line.command == "setOwner" else None,
        )
        for line in log.lines()
        if line.src is not None and line.src.startswith(("/", "["))
    )


def test_every_command_is_replayed_as_it_was_made(hadoop: Hadoop, tmp_path: Path) -> None:
    """By users of a Windows domain, with blanks and of other scripts, on names with all that a path may hold."""
    if not hadoop.java.path.resolve().with_name("javac").exists():
        pytest.skip("no JDK here, which runs the client from its source")
    log = import_audit([_recorded(hadoop, tmp_path)], tmp_path / "audit")
    assert log.meta.counts.bad == 0
    assert {line.command for line in log.lines()} >= COMMANDS.keys() - UNMADE.keys()
    owners = {line.perm for line in log.lines() if line.command == "setOwner"}
    assert owners == {r"CORP\tom:domain users:rw-------"}
    head = make_ready(log.lines(), tmp_path / "lines.json")
    assert {client.user for client in head.clients} == {r"CORP\tom", "ann lee", "zoë", "tom", current_user()}
    properties = dict(pair for name in head.commands for pair in SWITCHES.get(name, {}).items())
    properties |= account_properties(head.clients, {}, [current_user()])
    options = PlayOptions(
        load=Load(pacing=Pacing.CLOSED),
        nodes=ReplayNodes(
            datanodes=ReplayedDatanodes(count=3),
            clients=LogClientSettings(file_length_bytes=1 << 20, block_size_bytes=1 << 20, replication=1),
        ),
        check_counts=False,
    )
    with NameNode(hadoop, heap="512 MB", fast=True, conf=properties) as namenode:
        plan = replay_plan(tmp_path / "lines.json", head, datanodes=3)
        run = play(plan, namenode, options)
        assert (run.failure, run.failed.total()) == (None, 0), run.notes
        assert namenode.audit_log is not None
        again = import_audit([namenode.audit_log], tmp_path / "again")
    assert _commands(again) == _commands(log)
    assert _what(again) == _what(log)
