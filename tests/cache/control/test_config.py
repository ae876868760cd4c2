"""The controller's file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.cache.agents.config import read_agent
from froude.cache.control.config import ControllerConfig, read_controller
from testbed.pages import ROOT

_TEXT = """\
froude: cache-controller/1
listen: 127.0.0.1:8077
token: secret
state: state
interval: 30 s
policy: deadline
master_importance: 4
hypervisors:
  h1: {agent: 'http://127.0.0.1:8078', writes_bytes_per_day: 2 TB}
vms:
  vm1: {floor: 10 MiB, ceiling: 1 GiB, importance: 3, agent: 'https://vm1:8079'}
"""


def _read(folder: Path, text: str = _TEXT) -> ControllerConfig:
    path = folder / "controller.yaml"
    path.write_text(text)
    return read_controller(path)


def test_a_controller(tmp_path: Path) -> None:
    """With what is usual where nothing is said."""
    config = _read(tmp_path)
    assert (config.interval_s, config.window_s, config.apply) == (30, 180, True)
    assert config.state == tmp_path / "state"
    assert config.stale_s == 85
    assert config.hypervisors["h1"].agent == "http://127.0.0.1:8078"


def test_who_decides(tmp_path: Path) -> None:
    """A policy with what the user wants."""
    solver = _read(tmp_path).solver(seed=5)
    assert (solver.policy.name, solver.seed) == ("deadline", 5)
    assert solver.assumed.writes_bytes_per_day == {"h1": 2 * 10**12}
    assert solver.assumed.master_importance == 4
    wishes = solver.wishes["vm1"]
    assert (wishes.floor_bytes, wishes.ceiling_bytes, wishes.importance) == (10 << 20, 1 << 30, 3)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("policy: deadline", "policy: shared", "each VM has a cache of its own"),
        ("policy: deadline", "policy: best", r"controller\.yaml:6: policy: "),
        (
            "'http://127.0.0.1:8078'",
            "'127.0.0.1:8078'",
            "controller.yaml:9: hypervisors.h1.agent: is no address",
        ),
        (
            "http://127.0.0.1:8078",
            "http://10.1.2.3:8078",
            "hypervisors.h1.agent: would get the secret as it is over the network",
        ),
        ("listen: 127.0.0.1:8077", "listen: 127.example.com:80", "needs a certificate"),
        ("interval: 30 s", "interval: 0 s", "interval"),
        ("floor: 10 MiB", "floors: 10 MiB", r"vms\.vm1\.floors: .*floor\?"),
        ("floor: 10 MiB", "floor: 10 GiB", "vms.vm1.floor: is above the ceiling"),
        ("token: secret\n", "", "token is missing"),
        ("listen: 127.0.0.1:8077", "listen: 10.0.0.1:8077", "needs a certificate"),
    ],
)
def test_what_is_wrong(tmp_path: Path, old: str, new: str, why: str) -> None:
    """File, line and field."""
    with pytest.raises(InputError, match=why):
        _read(tmp_path, _TEXT.replace(old, new))


def test_nobody_to_split(tmp_path: Path) -> None:
    """A controller without a hypervisor has nothing to do."""
    with pytest.raises(InputError, match="names no hypervisor"):
        _read(tmp_path, _TEXT.partition("hypervisors:")[0])


def test_the_documented_files(tmp_path: Path) -> None:
    """Every YAML that the how-to shows is read as it stands."""
    page = (ROOT / "docs/howto/control-ssd-caches.md").read_text()
    files = re.findall(r"^```yaml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(files) == 3
    for text in files:
        path = tmp_path / "file.yaml"
        path.write_text(text)
        if "cache-controller" in text:
            assert read_controller(path).vms["vm1"].floor_bytes == 32_000_000
        else:
            assert read_agent(path).name in {"h1", "vm1"}
