"""What observing and controlling costs: processor time of agents and controller over two minutes of their usual beat."""

from __future__ import annotations

import subprocess
import tempfile
import time
from pathlib import Path

import psutil

from benchmarks.results import Row, at_most
from testbed.cache_processes import Processes, ask, processes

_MIB = 1 << 20
_VMS = 5
_SECONDS = 130.0
"""Two rounds of a minute, and what is between them."""
_AIM = 1.0


def rows() -> list[Row]:
    """Percent of one core, of a hypervisor's agent with five VMs under load, of a VM's agent, and of the controller."""
    with tempfile.TemporaryDirectory(prefix="froude-overhead-") as folder, processes(Path(folder)) as started:
        usual = {"probe": False, "curve_every": "5 s", "curve_window": "300 s"}
        disks = {f"vm{n}": started.disk(f"vm{n}", image=64 * _MIB, size=8 * _MIB) for n in range(_VMS)}
        watched = {
            "hypervisor's agent, 5 VMs": _with(
                started, lambda: started.agent("h1", disks, space=64 * _MIB, **usual)
            )
        }
        guest = {"froude": "cache-agent/1", "kind": "vm", "name": "vm0", "token": str(started.token())}
        watched["VM's agent"] = _with(started, lambda: started.serving("agent", "vm.json", guest))
        hypervisors = {"h1": watched["hypervisor's agent, 5 VMs"][0]}
        vms = {"vm0": {"agent": watched["VM's agent"][0]}}
        usual = {"interval": "60 s", "window": "180 s", "granule": "1 MiB", "least_gain": 0.01}
        watched["controller, one round a minute"] = _with(
            started, lambda: started.controller(hypervisors, vms=vms, **usual)
        )
        loads = [_load(Path(folder), name) for name in disks]
        before = {name: _cpu(process) for name, (_, process) in watched.items()}
        begun = time.monotonic()
        time.sleep(_SECONDS)
        elapsed = time.monotonic() - begun
        used = {name: _cpu(process) - before[name] for name, (_, process) in watched.items()}
        rounds = len(ask(watched["controller, one round a minute"][0], "v1/history"))
        for each in loads:
            each.kill()
            each.wait()
    load = f"each VM at 200 reads a second, {rounds} rounds, {_connections()} TCP sockets on the machine"
    said = f"{_SECONDS:.0f} s, {load}"
    return [
        at_most(
            f"processor time of the {name}", 100 * seconds / elapsed, "% of a core", _AIM, conditions=said
        )
        for name, seconds in used.items()
    ]


def _with(started: Processes, start) -> tuple[str, psutil.Process]:  # type: ignore[no-untyped-def] # of a lambda
    """The address of a server that is started, and its process below the reaper."""
    address = start()
    (child,) = psutil.Process(started.started[-1].pid).children()
    return address, child


def _cpu(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _connections() -> int:
    return len(psutil.net_connections("tcp"))


def _load(folder: Path, name: str) -> subprocess.Popen[bytes]:
    words = [
        "fio", "--name=x", "--thread", "--ioengine=nbd", f"--uri=nbd+unix:///?socket={folder}/{name}.sock",
        "--rw=randread", "--random_distribution=zipf:1.1", "--bs=16k", "--size=64M", "--time_based", "--runtime=600",
        "--rate_iops=200",
    ]  # fmt: skip
    return subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    for row in rows():
        print(f"{row.measure:60} {row.value:6.3f} {row.unit} (aim {row.aim}); {row.conditions}")
