"""Files of agents."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.cache.agents.config import HypervisorAgent, VmAgent, read_agent
from froude.cache.monitor.limits import Limits

_HYPERVISOR = """\
froude: cache-agent/1
kind: hypervisor
name: h1
listen: 127.0.0.1:8078
token: secret
ssd: {space: 640 MB, iops: 20000}
vms:
  vm1: {cache: run/vm1.control}
  vm2:
    qmp: {socket: /run/vm2.qmp, device: d0}
    cgroup: {name: machine/vm2, device: /dev/vda, scratch: tmp}
curve_every: 2 s
"""
_VM = "froude: cache-agent/1\nkind: vm\nname: vm1\ntoken: secret\nresourcemanager: 127.0.0.1:8088\n"


def _read(folder: Path, text: str) -> HypervisorAgent | VmAgent:
    path = folder / "agent.yaml"
    path.write_text(text)
    return read_agent(path)


def test_a_hypervisor(tmp_path: Path) -> None:
    """Paths are seen from the file's folder."""
    agent = _read(tmp_path, _HYPERVISOR)
    assert isinstance(agent, HypervisorAgent)
    assert agent.ssd.limits() == Limits(640_000_000, 20_000)
    assert agent.vms["vm1"].cache == tmp_path / "run/vm1.control"
    assert agent.token == tmp_path / "secret"
    group = agent.vms["vm2"].cgroup
    assert group is not None
    assert (group.device, group.scratch) == (Path("/dev/vda"), tmp_path / "tmp")
    assert (agent.curve_every_s, agent.probe) == (2.0, True)


def test_a_vm(tmp_path: Path) -> None:
    """With what is usual where nothing is said."""
    agent = _read(tmp_path, _VM)
    assert isinstance(agent, VmAgent)
    assert (agent.listen, agent.resourcemanager, agent.every_s) == ("127.0.0.1:0", "127.0.0.1:8088", 2.0)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("kind: hypervisor", "kind: host", "agent.yaml:2: kind: is unknown; found host"),
        ("space: 640 MB", "space: much", "agent.yaml:6: ssd.space"),
        ("vm1: {cache: run/vm1.control}", "vm1: {}", "agent.yaml:8: vms.vm1: has nothing to limit it by"),
        ("listen: 127.0.0.1:8078", "listen: 0.0.0.0:8078", "needs a certificate"),
        ("listen: 127.0.0.1:8078", "listen: here", "agent.yaml:4: listen"),
        ("token: secret\n", "", "token is missing"),
        ("curve_every: 2 s", "curve_each: 2 s", r"curve_each: .*curve_every\?"),
    ],
)
def test_what_is_wrong(tmp_path: Path, old: str, new: str, why: str) -> None:
    """File, line and field."""
    with pytest.raises(InputError, match=why):
        _read(tmp_path, _HYPERVISOR.replace(old, new))


def test_a_network_with_a_certificate(tmp_path: Path) -> None:
    """Then the secret is not sent in the clear."""
    text = _VM + "listen: 0.0.0.0:8078\ntls: {certificate: c.pem, key: k.pem}\n"
    agent = _read(tmp_path, text)
    assert agent.tls is not None
    assert agent.tls.key == tmp_path / "k.pem"
