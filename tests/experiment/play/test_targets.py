"""Who is played against, by service."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.experiment.play.targets import running_targets

BOTH = ("resourcemanager=rm:8032", "namenode=nn:8020")


@pytest.mark.parametrize(
    ("http", "webs"),
    [
        (["rm:8088"], {"resourcemanager": "rm:8088", "namenode": None}),
        (["namenode=nn:9870", "rm:8088"], {"resourcemanager": "rm:8088", "namenode": "nn:9870"}),
    ],
)
def test_each_target_has_its_own_web_address(
    http: list[str], webs: dict[str, str | None], tmp_path: Path
) -> None:
    """One without a service is the first target's."""
    running = running_targets(tmp_path, (), target=BOTH, http=http)
    assert {service: each.http for service, each in running.items()} == webs


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({}, "target: there is no target: nothing runs in this workspace"),
        ({"target": ["namenode"]}, "target: "),
        ({"target": [*BOTH, BOTH[0]]}, "target: a service is given twice"),
        ({"target": BOTH, "target_is": ["a", "b"]}, "target_is: a service is given twice"),
        ({"target": BOTH, "http": ["history=h:1"]}, "http: is not the service of a target; found history"),
        ({"target": BOTH, "http": ["nn:x"]}, "http: "),
    ],
)
def test_what_is_no_target(named: dict[str, list[str]], message: str, tmp_path: Path) -> None:
    """The field is named."""
    with pytest.raises(InputError, match=message):
        running_targets(tmp_path, (), **named)
