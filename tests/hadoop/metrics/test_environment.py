"""What a measurement ran on."""

from __future__ import annotations

import os
from typing import Any

import pytest

from froude.base.errors import TargetError
from froude.hadoop.metrics import environment

TOLD: dict[str, Any] = {
    "java.lang:type=Runtime": {
        "VmName": "OpenJDK", "VmVersion": "17.0.1",
        "InputArguments": ["-Xmx1g", "-Dsecret=x", "-Xlog:gc:file=/tmp/g:uptime",
                           "-XX:SharedArchiveFile=/a/b.jsa", "-XX:+UseParallelGC"],
    },
    "java.lang:type=OperatingSystem": {"AvailableProcessors": 2},
    "java.lang:type=Memory": {"HeapMemoryUsage": {"max": 1 << 30}},
    "Hadoop:service=NameNode,name=NameNodeInfo::SoftwareVersion": {"SoftwareVersion": "3.5.0"},
}  # fmt: skip


def test_what_a_daemon_says_of_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its release, JVM, heap and flags; properties and paths stay where they are."""
    monkeypatch.setattr(environment, "jmx", lambda _, name: [TOLD[name]])
    assert environment.daemon(("nn", 1)) == {
        "Hadoop": "3.5.0",
        "JVM": "OpenJDK 17.0.1",
        "heap": "1,024 MiB",
        "JVM flags": "-Xmx1g -Xlog:gc -XX:SharedArchiveFile -XX:+UseParallelGC",
        "cores of the target": "2",
    }


@pytest.mark.parametrize("beans", [[], [None], TargetError("gone")])
def test_what_a_daemon_does_not_tell_is_left_out(monkeypatch: pytest.MonkeyPatch, beans: Any) -> None:
    """No JMX, no bean, no mapping."""

    def jmx(*_: object) -> Any:
        if isinstance(beans, TargetError):
            raise beans
        return beans

    monkeypatch.setattr(environment, "jmx", jmx)
    assert environment.daemon(("nn", 1)) == {}


def test_this_machine() -> None:
    """Cores and memory, and what runs here."""
    told = environment.machine()
    assert int(told["cores"]) >= 1
    assert told["memory"].endswith(" GiB")


def test_a_daemon_that_answers_late_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once it has more to do than time, and then answers."""
    asked: list[str] = []

    def jmx(_: object, name: str) -> Any:
        asked.append(name)
        if asked.count(name) == 1:
            raise TargetError("late")
        return [TOLD[name]]

    monkeypatch.setattr(environment, "jmx", jmx)
    assert environment.daemon(("nn", 1))["Hadoop"] == "3.5.0"


def test_cores_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all that there are, over the time that was asked for."""
    monkeypatch.setattr(environment.psutil, "cpu_percent", lambda over_s: 75.0 if over_s == 0.5 else 0.0)
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    assert environment.busy_cores(0.5) == 3.0
