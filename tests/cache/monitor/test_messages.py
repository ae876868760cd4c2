"""What agents may send."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import TargetError
from froude.cache.monitor.limits import Limits
from froude.cache.monitor.messages import HypervisorReport, Message, VmReport, parsed

_VM = {"name": "vm1", "instance": "1", "uptime_s": 1.0}
_HYPERVISOR = {"name": "h1", "instance": "1", "uptime_s": 1.0, "supply": {"cache_bytes": 5}}


def test_what_is_not_known_is_passed_over() -> None:
    """A newer agent may say more."""
    assert parsed(VmReport, {**_VM, "later": 1}, peer="x").name == "vm1"
    assert parsed(HypervisorReport, _HYPERVISOR, peer="x").supply == Limits(5)


@pytest.mark.parametrize(
    ("kind", "changes", "place"),
    [
        (VmReport, {"cpu_s": -1}, "cpu_s"),
        (VmReport, {"cpu_s": float("nan")}, "cpu_s"),
        (VmReport, {"reads": 10**30}, "reads"),
        (VmReport, {"reads": "many"}, "reads"),
        (VmReport, {"name": ""}, "name"),
        (VmReport, {"name": "x" * 201}, "name"),
        (VmReport, {"peers": [{"address": "a"}] * 10_001}, "peers"),
        (VmReport, {"jobs": [{"id": "j", "progress": 7}]}, "jobs.0.progress"),
        (HypervisorReport, {"supply": {"iops": 0}}, "supply.iops"),
        (HypervisorReport, {"vms": [{"name": "v", "instance": "1"}]}, "vms.0.limits"),
    ],
)
def test_what_may_not_be(kind: type[Message], changes: dict[str, Any], place: str) -> None:
    """The first field that is wrong is named, with who sent it."""
    base = _VM if kind is VmReport else _HYPERVISOR
    with pytest.raises(TargetError, match="http://agent") as caught:
        parsed(kind, base | changes, peer="http://agent")
    assert caught.value.place == place


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda x: st.lists(x) | st.dictionaries(st.text(), x),
    )
)
def test_anything_else_is_one_error(document: object) -> None:
    """Whatever JSON gives is a message, or a TargetError."""
    with pytest.raises(TargetError):
        parsed(VmReport, document, peer="x")
