"""Which daemon, and of which release."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.cli.capture_inputs import schema_of, target_of
from froude.cli.settings import Settings
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.rpc.target import Target
from tests.support.hadoop.class_writer import ping_jar


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("h:1", Target("", "h:1")),
        ("resourcemanager=h:8032", Target("resourcemanager", "h:8032")),
        ("hdfs://h:1/", Target("", "h:1")),
    ],
)
def test_a_daemon_by_its_address_and_service(text: str, target: Target) -> None:
    """The service may be left out."""
    assert target_of(text, "--target") == target


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("yarn=h:1", "is no service; found yarn; allowed: namenode"),
        ("h", "is not an address"),
        ("h:0", "is not an"),
    ],
)
def test_what_names_no_daemon(text: str, said: str) -> None:
    """One clear error that names the flag."""
    with pytest.raises(InputError, match=f"--target: {said}"):
        target_of(text, "--target")


def test_a_schema_of_a_folder_or_of_a_release(tmp_path: Path, hadoop: Hadoop) -> None:
    """Only a release that was named is known for one."""
    with pytest.raises(InputError, match="holds no jar"):
        schema_of(str(tmp_path), Settings())
    ping_jar(tmp_path / "a.jar")
    schema, release = schema_of(str(tmp_path), Settings())
    assert (any(schema.protocols), release) == (True, "")
    assert schema_of(None, Settings(quiet=True))[1] == ""
    assert schema_of(hadoop.version, Settings(quiet=True))[1] == hadoop.version
