"""The status of a disk goes over the wire and back."""

from __future__ import annotations

import json

import pytest

from froude.base.errors import TargetError
from froude.cache.disk.status import DiskStatus, status_from


def test_a_status_comes_back_as_it_was() -> None:
    """Also with fields that a newer server adds."""
    said = DiskStatus(image="/vm.raw", hits=7, read_s=0.5, cold_reason="the image was changed", iops_limit=60)
    assert status_from(json.loads(json.dumps(said.to_json() | {"newer": 1})), "s") == said


@pytest.mark.parametrize(("name", "value"), [("hits", "7"), ("hits", None), ("hits", True), ("image", 3)])
def test_what_is_no_status_is_refused(name: str, value: object) -> None:
    """With the field."""
    with pytest.raises(TargetError, match=f"s:{name}: answers no status"):
        status_from(DiskStatus().to_json() | {name: value}, "s")
