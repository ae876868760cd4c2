"""Child processes: started, watched, ended; with a stand-in for Java where no JVM is needed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from froude.base.errors import TargetError
from froude.hadoop.cluster import daemons
from froude.hadoop.cluster.daemons import Daemon
from froude.hadoop.release import jvm
from froude.hadoop.release.distribution import Hadoop
from tests.conftest import Gone


def _hadoop(tmp_path: Path, script: str) -> Hadoop:
    """A Hadoop whose `java` is a shell script; the class is its last argument."""
    program = tmp_path / "java" / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return Hadoop("3.5.0", [], jvm.Java(program, "17.0.1", 17, "JAVA_HOME"), "folder")


def _daemon(tmp_path: Path, script: str) -> Daemon:
    folder = tmp_path / "run"
    folder.mkdir()
    return Daemon(_hadoop(tmp_path, script), name="thing", main_class="org.example.Thing", folder=folder)


def test_it_starts_answers_and_ends_by_its_own_id(tmp_path: Path) -> None:
    """The pid is that of the daemon itself, not of what stands between."""
    daemon = _daemon(tmp_path, "echo up; exec sleep 60")
    daemon.start()
    daemon.wait_until(lambda: "up" in daemon.output.read_text(), what="answer")
    process = psutil.Process(daemon.pid)
    daemon.wait_until(lambda: process.cmdline() == ["sleep", "60"], what="become the program", timeout_s=10)
    daemon.stop()
    assert not process.is_running()
    assert not daemon.running
    daemon.stop()


def test_words_before_the_command_act_on_the_daemons_own_process(tmp_path: Path) -> None:
    """What joins a control group, say, and then becomes the daemon: the pid is still the daemon's."""
    joined, run = tmp_path / "joined", tmp_path / "run"
    run.mkdir()
    join = ("/bin/sh", "-c", f'echo $$ > {joined} && exec "$@"', "sh")
    hadoop = _hadoop(tmp_path, "echo up; exec sleep 60")
    daemon = Daemon(hadoop, name="thing", main_class="org.example.Thing", folder=run, before=join)
    daemon.start()
    daemon.wait_until(lambda: "up" in daemon.output.read_text(), what="answer")
    assert int(joined.read_text()) == daemon.pid
    daemon.stop()


def test_what_does_not_follow_is_killed(tmp_path: Path) -> None:
    """A daemon that ignores the request to end."""
    daemon = _daemon(tmp_path, "trap '' TERM; echo up; while :; do sleep 0.05; done")
    daemon.start()
    daemon.wait_until(lambda: "up" in daemon.output.read_text(), what="answer")
    process = psutil.Process(daemon.pid)
    daemon.stop(timeout_s=0.2)
    assert not process.is_running()


def test_a_stopped_process_ends_too(tmp_path: Path) -> None:
    """SIGSTOP, as an experiment sends it, does not make it immortal."""
    daemon = _daemon(tmp_path, "echo up; exec sleep 60")
    daemon.start()
    daemon.wait_until(lambda: "up" in daemon.output.read_text(), what="answer")
    os.kill(daemon.pid, signal.SIGSTOP)
    daemon.stop(timeout_s=5)
    assert not daemon.running


def test_an_early_end_shows_the_daemons_own_error(tmp_path: Path) -> None:
    """What it logged, and where the log is."""
    daemon = _daemon(
        tmp_path, "echo 'java.net.BindException: Problem binding to [127.0.0.1:8020]' >&2; exit 1"
    )
    daemon.start()
    with pytest.raises(TargetError, match=r"1; found .*Problem binding") as caught:
        daemon.wait_until(lambda: False, what="answer")
    assert str(daemon.output) in str(caught.value)
    daemon.stop()


def test_one_that_never_answers_is_given_up(tmp_path: Path) -> None:
    """After the time that was given, with what was waited for."""
    daemon = _daemon(tmp_path, "exec sleep 60")
    daemon.start()
    with pytest.raises(TargetError, match=r"did not come to answer in 0\.05 s"):
        daemon.wait_until(lambda: False, what="answer", timeout_s=0.05)
    daemon.stop()


def test_a_program_that_is_not_there_is_one_error(tmp_path: Path) -> None:
    """No traceback of a child, no endless wait."""
    daemon = _daemon(tmp_path, "exit 0")
    daemon.hadoop.java.path.unlink()

    def start() -> None:
        daemon.start()
        daemon.wait_until(lambda: False, what="answer", timeout_s=5)

    with pytest.raises(TargetError, match="ended with exit code"):
        start()
    daemon.stop()


def test_starting_twice_is_refused(tmp_path: Path) -> None:
    """One object, one process."""
    daemon = _daemon(tmp_path, "exec sleep 60")
    daemon.start()
    with pytest.raises(TargetError, match="runs already"):
        daemon.start()
    daemon.stop()


def test_a_one_off_that_fails_says_what_it_said(tmp_path: Path) -> None:
    """Formatting, for one."""
    daemon = _daemon(tmp_path, "echo 'Exception in thread \"main\" java.io.IOException: no'; exit 3")
    with pytest.raises(TargetError, match=r"exit code 3.*IOException: no"):
        daemon.run(["-format"])


def test_kill_of_the_reaper_takes_the_daemon(tmp_path: Path, gone: Gone) -> None:
    """Whoever shoots what stands between does not set the daemon free."""
    daemon = _daemon(tmp_path, "exec sleep 60")
    daemon.start()
    process = psutil.Process(daemon.pid)
    reaper = process.parent()
    assert reaper is not None
    reaper.kill()
    assert gone([process])
    daemon.stop()


def test_children_inherit_no_other_hadoop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the user's shell sets for a real cluster must not reach a scale model."""
    monkeypatch.setenv("HADOOP_OPTS", "-Dfs.defaultFS=hdfs://prod")
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Xmx1k")
    around = daemons.child_environment(_hadoop(tmp_path, ""), tmp_path)
    assert "HADOOP_OPTS" not in around
    assert "JAVA_TOOL_OPTIONS" not in around
    assert around["HADOOP_CONF_DIR"] == str(tmp_path)


@pytest.mark.parametrize(
    ("log", "problem"),
    [
        ("", None),
        ("2026-11-21 14:43:51,625 INFO namenode.NameNode: fine\n", None),
        (
            (
                "2026-11-21 14:43:51,625 ERROR namenode.NameNode: Failed to start namenode.\n"
                "java.net.BindException: Port in use: 127.0.0.1:1\n"
                "\tat sun.nio.ch.Net.bind(Native Method)\n"
                "2026-11-21 14:43:51,626 INFO util.ExitUtil: Exiting with status 1\n"
            ),
            "java.net.BindException: Port in use: 127.0.0.1:1",
        ),
        (
            "2026-11-21 14:43:51,625 ERROR datanode.DataNode: disk gone\n",
            "disk gone",
        ),
        (
            (
                "java.lang.RuntimeException: outer\n\tat a.b(C.java:1)\n"
                "Caused by: java.lang.ClassNotFoundException: org.example.Gone\n\t... 3 more\n"
            ),
            "java.lang.ClassNotFoundException: org.example.Gone",
        ),
        ("Error: Could not find or load main class org.example.Gone\n", "Error: Could not find"),
    ],
)
def test_the_last_problem_is_found_in_a_log(log: str, problem: str | None) -> None:
    """The exception with its cause, not the trace and not what followed."""
    last = daemons.last_problem(log)
    if problem is None:
        assert last is None
    else:
        assert last is not None
        assert last.startswith(problem)


def test_descriptors_are_raised_to_the_hard_limit() -> None:
    """And stay there when they are already."""
    assert daemons.raise_descriptor_limit() == daemons.raise_descriptor_limit()


def test_a_one_off_falls_with_its_parent(tmp_path: Path, gone: Gone) -> None:
    """Formatting goes on alone for no second when Froude is killed."""
    body = (
        "import sys; from pathlib import Path; from tests.hadoop.cluster.test_daemons import _daemon\n"
        "_daemon(Path(sys.argv[1]), 'echo $$ > $0.pid; exec sleep 60').run([])"
    )
    parent = subprocess.Popen([sys.executable, "-c", body, str(tmp_path)])
    note = tmp_path / "java" / "bin" / "java.pid"
    while not note.exists() or not note.read_text().strip():
        assert parent.poll() is None
        time.sleep(0.01)
    one_off = psutil.Process(int(note.read_text()))
    parent.kill()
    parent.wait()
    assert gone([one_off])


def test_plug_ins_are_behind_the_release_on_the_class_path(tmp_path: Path) -> None:
    """So that none of its classes is another's."""
    jars = [tmp_path / "a.jar", tmp_path / "b.jar"]
    daemon = Daemon(_hadoop(tmp_path, ""), name="thing", main_class="T", folder=tmp_path, jars=jars)
    command = daemon.command()
    assert command[command.index("-cp") + 1].endswith(f":{jars[0]}:{jars[1]}")
