"""Jobs that are shell scripts around `hdfs dfs`: a backup by snapshots, folders of teams, and clients side by side."""

from __future__ import annotations

from pathlib import Path

from benchmarks.unseen.clients import run_script
from froude.experiment.record.jobs import JobDefinition, Recorder
from froude.workload.scale import Scale


def back_up(recorder: Recorder, scale: Scale, scratch: Path) -> None:
    """Run `backup.sh`: a snapshot a day, copied away every second day.

    Args:
        recorder: the cluster that is recorded.
        scale: `rounds` and `files` (of each round) are looked at.
        scratch: a folder of its own for the files to upload.
    """
    run_script("backup.sh", recorder, scale, scratch, "rounds", "files")


def set_up_teams(recorder: Recorder, scale: Scale, scratch: Path) -> None:
    """Run `teams.sh`: folders, owners, permissions and quotas.

    Args:
        recorder: the cluster that is recorded.
        scale: `teams` and `members` (of each) are looked at.
        scratch: a folder of its own for the file to upload.
    """
    run_script("teams.sh", recorder, scale, scratch, "teams", "members")


def put_and_move(recorder: Recorder, scale: Scale, scratch: Path) -> None:
    """Run `put_and_move.sh`: clients side by side, each two commands.

    Args:
        recorder: the cluster that is recorded.
        scale: `clients` and `files` (of each) are looked at.
        scratch: a folder of its own for the files to upload.
    """
    run_script("put_and_move.sh", recorder, scale, scratch, "clients", "files")


BACKUP = JobDefinition(
    name="snapshot-backup",
    what="A script uploads each day's files, takes a snapshot, copies every second away, and drops old ones.",
    run=back_up,
    train=(
        Scale.of(datanodes=2, rounds=4, files=3),
        Scale.of(datanodes=3, rounds=2, files=6),
        Scale.of(datanodes=4, rounds=5, files=2),
        Scale.of(datanodes=5, rounds=3, files=4),
    ),
    held_out=Scale.of(datanodes=10, rounds=10, files=12),
    play=Scale.of(datanodes=50, rounds=60, files=60),
)
TEAMS = JobDefinition(
    name="team-folders",
    what="An administrator's script makes folders of teams and members, with owners, permissions and quotas.",
    run=set_up_teams,
    train=(
        Scale.of(datanodes=2, teams=2, members=3),
        Scale.of(datanodes=3, teams=1, members=4),
        Scale.of(datanodes=4, teams=3, members=1),
        Scale.of(datanodes=5, teams=4, members=2),
    ),
    held_out=Scale.of(datanodes=10, teams=8, members=6),
    play=Scale.of(datanodes=50, teams=60, members=20),
)
PUT_AND_MOVE = JobDefinition(
    name="put-and-move-side-by-side",
    what="Clients side by side, each `hdfs dfs -put` under a hidden name and then `hdfs dfs -mv`.",
    run=put_and_move,
    train=(
        Scale.of(datanodes=2, clients=3, files=2),
        Scale.of(datanodes=3, clients=1, files=7),
        Scale.of(datanodes=4, clients=5, files=4),
        Scale.of(datanodes=5, clients=2, files=3),
    ),
    held_out=Scale.of(datanodes=10, clients=10, files=14),
    play=Scale.of(datanodes=50, clients=100, files=40),
)
