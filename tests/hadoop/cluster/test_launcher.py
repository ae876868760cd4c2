"""Hadoop's commands for users' programs; a script that prints its arguments stands in for Java."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from froude.hadoop.cluster.launcher import COMMANDS, YARN_COMMANDS, call, home_environment, write_home
from froude.hadoop.release import jvm
from froude.hadoop.release.distribution import Hadoop

CORE = {"fs.defaultFS": "hdfs://127.0.0.1:1"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Written for a Java that prints its arguments and its configuration folder, in a place with a space."""
    return write_home(
        tmp_path / "a home",
        hadoop_in(tmp_path),
        {"core-site.xml": CORE, "hdfs-site.xml": {"dfs.replication": "2"}},
        flags=["-Dx=y z"],
    )


def hadoop_in(tmp_path: Path) -> Hadoop:
    """With that Java."""
    java = tmp_path / "java" / "bin" / "java"
    java.parent.mkdir(parents=True, exist_ok=True)
    java.write_text('#!/bin/sh\nfor each; do echo "<$each>"; done\necho "conf $HADOOP_CONF_DIR"\n')
    java.chmod(0o755)
    return Hadoop("3.5.0", [tmp_path / "a.jar"], jvm.Java(java, "17.0.1", 17, "JAVA_HOME"), "folder")


def printed(program: Path, *words: str, code: int = 0, **around: str) -> list[str]:
    """The lines that a command printed."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HADOOP_")}
    done = subprocess.run(
        [program, *words], capture_output=True, text=True, check=False, env={**kept, **around}
    )
    assert done.returncode == code, done.stderr
    return (done.stdout or done.stderr).splitlines()


@pytest.mark.parametrize("program", ["hdfs", "hadoop"])
@pytest.mark.parametrize("command", ["dfs", "fs", "fsck", "version"])
def test_a_command_starts_its_class(home: Path, program: str, command: str) -> None:
    """With the arguments as they are, spaces and all, and the configuration before the jars."""
    lines = printed(home / "bin" / program, command, "-put", "a b", "*")
    assert lines[-5:-1] == [f"<{COMMANDS[command]}>", "<-put>", "<a b>", "<*>"]
    assert "<-Dx=y z>" in lines
    assert lines[lines.index("<-cp>") + 1] == f"<{home}/conf:{home.parent}/a.jar>"
    assert lines[-1] == f"conf {home}/conf"


def test_a_class_by_its_name_and_a_configuration_of_ones_own(home: Path) -> None:
    """As Hadoop's scripts have it: by the environment, or by --config, which goes first."""
    hdfs = home / "bin" / "hdfs"
    assert "<org.example.Main>" in printed(hdfs, "org.example.Main")
    assert printed(hdfs, "dfs", HADOOP_CONF_DIR="/own")[-1] == "conf /own"
    assert (
        printed(hdfs, "--loglevel", "WARN", "--config", "/this", "dfs", HADOOP_CONF_DIR="/own")[-1]
        == "conf /this"
    )
    lines = printed(hdfs, "dfs", HADOOP_CLIENT_OPTS="-Xmx1g -Dz=1", HADOOP_CLASSPATH="/more.jar")
    assert {"<-Xmx1g>", "<-Dz=1>"} <= set(lines)
    assert lines[lines.index("<-cp>") + 1].endswith(":/more.jar>")
    assert printed(hdfs, "classpath") == [f"{home}/conf:{home.parent}/a.jar"]


@pytest.mark.parametrize("words", [[], ["nonsense"], ["-help"]])
def test_what_is_no_command_is_said(home: Path, words: list[str]) -> None:
    """With those that there are."""
    lines = printed(home / "bin" / "hdfs", *words, code=1)
    assert lines[0].startswith("usage: hdfs COMMAND")
    assert lines[1].split() == sorted([*COMMANDS, "classpath"])


def test_with_yarn_there_are_its_commands_and_jobs(tmp_path: Path) -> None:
    """Jobs by a word, with all of their arguments; some classes want to be told which command they are."""
    home = write_home(
        tmp_path / "home",
        hadoop_in(tmp_path),
        {"core-site.xml": CORE, "yarn-site.xml": {}},
        jobs={"examples": Path("/some where/examples.jar")},
    )
    assert sorted(each.name for each in (home / "bin").iterdir()) == ["hadoop", "hdfs", "mapred", "yarn"]
    yarn = home / "bin" / "yarn"
    jar = ["<org.apache.hadoop.util.RunJar>", "</some where/examples.jar>", "<pi>", "<2>", "<a b>"]
    assert printed(yarn, "examples", "pi", "2", "a b")[-6:-1] == jar
    assert printed(yarn, "application", "-list")[-4:-1] == [
        f"<{YARN_COMMANDS['application']}>",
        "<application>",
        "<-list>",
    ]
    assert printed(yarn, "node", "-list")[-3:-1] == [f"<{YARN_COMMANDS['node']}>", "<-list>"]
    assert "mapreduce.Job=INFO" in (home / "conf" / "log4j.properties").read_text()


def test_a_command_with_our_own_input_and_output(
    home: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its exit code as a shell has it."""
    monkeypatch.setenv("HADOOP_CONF_DIR", "/other")
    monkeypatch.setenv("HADOOP_OPTS", "-Dother=1")
    assert call(home, ["dfs", "-ls"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[-2:] == ["<-ls>", f"conf {home}/conf"]
    assert "<-Dother=1>" not in lines
    java = home.parent / "java" / "bin" / "java"
    for text, code in (("exit 7", 7), ("kill -9 $$", 137)):
        java.write_text(f"#!/bin/sh\n{text}\n")
        assert call(home, ["dfs"]) == code


def test_the_environment_leads_to_the_cluster(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every way in which a program may look for it; another Hadoop on this machine is out of sight."""
    monkeypatch.setenv("HADOOP_HOME", "/other")
    monkeypatch.setenv("HADOOP_USER_NAME", "other")
    monkeypatch.setenv("PATH", "/bin")
    around = home_environment(hadoop_in(tmp_path), home, "hdfs://127.0.0.1:1")
    assert around["PATH"] == f"{home}/bin:/bin"
    assert (around["HADOOP_HOME"], around["HADOOP_CONF_DIR"]) == (str(home), f"{home}/conf")
    assert around["FS_DEFAULT_NAME"] == "hdfs://127.0.0.1:1"
    assert "HADOOP_USER_NAME" not in around
    assert "hdfs://127.0.0.1:1" in (home / "conf" / "core-site.xml").read_text()
