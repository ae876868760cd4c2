"""Hadoop's own commands for programs of the user's: `bin/hdfs`, `bin/hadoop` and a configuration in one folder.

The jars that Froude fetches come without Hadoop's shell scripts. A program that calls `hdfs dfs -put ...` finds these
instead, on its PATH: small scripts that start the command's Java class on the class path of the release that was found.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from froude.base.files import atomic_write_text
from froude.hadoop import site
from froude.hadoop.cluster.daemons import child_environment, clean_environment
from froude.hadoop.release import cds, jvm
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.settings import hdfs as settings

PROGRAMS = ("hdfs", "hadoop")
"""What clients find on their PATH."""
YARN_PROGRAMS = ("yarn", "mapred")
"""Further ones, where there is YARN."""
_TOOLS = "org.apache.hadoop.hdfs.tools"
_SHELL = "org.apache.hadoop.fs.FsShell"
_COMMON = {
    "fs": _SHELL,
    "dfs": _SHELL,
    "version": "org.apache.hadoop.util.VersionInfo",
    "key": "org.apache.hadoop.crypto.key.KeyShell",
    "credential": "org.apache.hadoop.security.alias.CredentialShell",
    "jar": "org.apache.hadoop.util.RunJar",
}
COMMANDS: Mapping[str, str] = {
    **_COMMON,
    "balancer": "org.apache.hadoop.hdfs.server.balancer.Balancer",
    "cacheadmin": f"{_TOOLS}.CacheAdmin",
    "crypto": f"{_TOOLS}.CryptoAdmin",
    "debug": f"{_TOOLS}.DebugAdmin",
    "dfsadmin": f"{_TOOLS}.DFSAdmin",
    "ec": f"{_TOOLS}.ECAdmin",
    "fetchdt": f"{_TOOLS}.DelegationTokenFetcher",
    "fsck": f"{_TOOLS}.DFSck",
    "getconf": f"{_TOOLS}.GetConf",
    "groups": f"{_TOOLS}.GetGroups",
    "haadmin": f"{_TOOLS}.DFSHAAdmin",
    "lsSnapshottableDir": f"{_TOOLS}.snapshot.LsSnapshottableDir",
    "mover": "org.apache.hadoop.hdfs.server.mover.Mover",
    "oev": f"{_TOOLS}.offlineEditsViewer.OfflineEditsViewer",
    "oiv": f"{_TOOLS}.offlineImageViewer.OfflineImageViewerPB",
    "snapshotDiff": f"{_TOOLS}.snapshot.SnapshotDiff",
    "storagepolicies": f"{_TOOLS}.StoragePolicyAdmin",
}
"""Class by command, of `hdfs` and of `hadoop` alike."""
_RUN_JAR = _COMMON["jar"]
_CLIENT = "org.apache.hadoop.yarn.client.cli"
YARN_COMMANDS: Mapping[str, str] = {
    "app": f"{_CLIENT}.ApplicationCLI",
    "application": f"{_CLIENT}.ApplicationCLI",
    "applicationattempt": f"{_CLIENT}.ApplicationCLI",
    "cluster": f"{_CLIENT}.ClusterCLI",
    "container": f"{_CLIENT}.ApplicationCLI",
    "job": "org.apache.hadoop.mapred.JobClient",
    "logs": f"{_CLIENT}.LogsCLI",
    "node": f"{_CLIENT}.NodeCLI",
    "queue": f"{_CLIENT}.QueueCLI",
    "rmadmin": f"{_CLIENT}.RMAdminCLI",
    "top": f"{_CLIENT}.TopCLI",
}
"""Further ones of `yarn` and `mapred`, where there is YARN."""
_PROGRESS = (
    "org.apache.hadoop.mapreduce.Job",
    "org.apache.hadoop.yarn.client.api.impl.YarnClientImpl",
    "org.apache.hadoop.streaming.StreamJob",
)
"""Classes that tell the progress of a job."""
_WITH_WORD = frozenset(("app", "application", "applicationattempt", "container"))
"""Commands whose class wants to be told which of them it is."""
_SCRIPT = """\
#!/bin/sh
# Written by Froude: starts Hadoop's own classes on the class path that it found.
[ -n "${{HADOOP_CONF_DIR-}}" ] || HADOOP_CONF_DIR={conf}
while [ "${{1-}}" = --config ] || [ "${{1-}}" = --loglevel ]; do
    [ "$1" = --config ] && HADOOP_CONF_DIR=$2
    shift 2
done
export HADOOP_CONF_DIR
jars={jars}
class_path={class_path}"${{HADOOP_CLASSPATH:+:$HADOOP_CLASSPATH}}"
case "${{1-}}" in
{cases}
classpath) echo "$class_path"; exit 0 ;;
*.*) class=$1 ;;
*)
    echo "usage: ${{0##*/}} COMMAND [ARGUMENT]...; COMMAND is a Java class, or one of:" >&2
    echo "{names}" >&2
    exit 1
    ;;
esac
shift
# Word splitting is meant: these hold several flags, as in Hadoop's own scripts.
exec {java} ${{HADOOP_OPTS-}} ${{HADOOP_CLIENT_OPTS-}} -cp "$class_path" "$class" "$@"
"""


def write_home(
    folder: Path,
    hadoop: Hadoop,
    sites: Mapping[str, Mapping[str, str]],
    *,
    flags: Sequence[str] = (),
    jobs: Mapping[str, Path] | None = None,
) -> Path:
    """Write `conf`, `bin/hdfs` and `bin/hadoop`, with YARN `bin/yarn` and `bin/mapred`; nothing is done where they are.

    Args:
        sites: properties by file name: core-site.xml, which holds `fs.defaultFS`, and hdfs-site.xml at the least.
        jobs: jars of ready jobs by the word that runs them; None without YARN.
    """
    conf, programs = folder / "conf", folder / "bin"
    if programs.is_dir():
        return folder
    for name, properties in sites.items():
        site.write_site(conf / name, properties)
    told = () if jobs is None else _PROGRESS
    atomic_write_text(conf / "log4j.properties", settings.shell_log4j(told=told))
    script = _script(hadoop, conf, flags, jobs)
    for name in PROGRAMS if jobs is None else (*PROGRAMS, *YARN_PROGRAMS):
        atomic_write_text(programs / name, script, mode=0o700)
    return folder


def call(home: Path, words: Sequence[str], stdout: IO[str] | None = None) -> int:
    """Run one of Hadoop's commands, with this process's input and output: `call(home, ["dfs", "-ls", "/"])`.

    Returns:
        Its exit code; 128 + N where signal N has ended it, as shells have it.
    """
    around = clean_environment(home / "conf")
    code = subprocess.run([home / "bin" / "hdfs", *words], env=around, stdout=stdout, check=False).returncode
    return code if code >= 0 else 128 - code


def home_environment(hadoop: Hadoop, home: Path, uri: str) -> dict[str, str]:
    """The environment in which a program finds a cluster: by `hdfs` on its PATH, its configuration, or the URI.

    Args:
        uri: of the NameNode, or of the proxy before it.
    """
    environment = child_environment(hadoop, home / "conf")
    path = os.pathsep.join(filter(None, (str(home / "bin"), environment.get("PATH"))))
    return {**environment, "PATH": path, "HADOOP_HOME": str(home), "FS_DEFAULT_NAME": uri}


def _script(hadoop: Hadoop, conf: Path, flags: Sequence[str], jobs: Mapping[str, Path] | None) -> str:
    java = [
        str(hadoop.java.path),
        *jvm.flags(heap="512 MB", fast=True, java=hadoop.java, release=hadoop.version),
        *cds.flags(hadoop),
        *flags,
    ]
    commands = {**COMMANDS, **({} if jobs is None else YARN_COMMANDS)}
    cases = {name: f"class={value}" for name, value in commands.items()}
    cases |= {name: f'{cases[name]}; set -- {name} "$@"' for name in _WITH_WORD & commands.keys()}
    for name, jar in (jobs or {}).items():
        cases[name] = f'class={_RUN_JAR}; shift; set -- {name} {shlex.quote(str(jar))} "$@"'
    return _SCRIPT.format(
        conf=shlex.quote(str(conf)),
        jars=shlex.quote(hadoop.classpath),
        class_path='"$jars:$HADOOP_CONF_DIR"' if cds.ready(hadoop) else '"$HADOOP_CONF_DIR:$jars"',
        cases="\n".join(f"{name}) {value} ;;" for name, value in sorted(cases.items())),
        names=" ".join(sorted((*cases, "classpath"))),
        java=shlex.join(java),
    )
