"""Requests of the admin protocol; a real ResourceManager takes them in `tests/integration/test_harvest.py`."""

from __future__ import annotations

from typing import Any

import pytest

from froude.base.errors import TargetError
from froude.experiment.session import Hadoop
from froude.hadoop.release.yarn_jars import YarnJars
from froude.harvest.live.attributes import (
    METHOD,
    PROTOCOL,
    AttributeAdmin,
    attribute_requests,
    expression,
)
from froude.messages.schema import Schema


@pytest.fixture(scope="module")
def schema(hadoop: Hadoop) -> Schema:
    """Of the default release, with YARN."""
    return YarnJars.find(hadoop).schema()


def test_what_is_given_and_what_is_taken_away_are_two_requests(schema: Schema) -> None:
    """Each names its nodes, with the prefix of attributes that a ResourceManager sets; nothing is no request."""
    requests = attribute_requests(schema, {"n1": "periodic-01", "n2": "", "n3": "constant-02"})
    read: list[Any] = [
        schema.decode_request(PROTOCOL, METHOD, request.SerializeToString()) for request in requests
    ]
    assert [(each.operation, [node.node for node in each.nodeToAttributes]) for each in read] == [
        (2, ["n1", "n3"]),
        (3, ["n2"]),
    ]
    attribute = read[0].nodeToAttributes[0].nodeAttributes[0]
    key = attribute.attributeKey
    assert (key.attributePrefix, key.attributeName) == ("rm.yarn.io", "harvest-class")
    assert (attribute.attributeType, attribute.attributeValue) == (1, "periodic-01")
    assert not attribute_requests(schema, {})


def test_an_expression_asks_for_one_class_or_another() -> None:
    """One class needs no `OR`, and none asks for nothing."""
    assert expression(["a"]) == "rm.yarn.io/harvest-class=a"
    assert expression(["a", "b"]) == "OR(rm.yarn.io/harvest-class=a:rm.yarn.io/harvest-class=b)"
    assert not expression([])


def test_nobody_is_there(schema: Schema) -> None:
    """One error that names the address; and nothing is opened where nothing is to be said."""
    admin = AttributeAdmin("127.0.0.1", 1, schema, user="me")
    admin.set_classes({})
    with pytest.raises(TargetError, match=r"127\.0\.0\.1:1: "):
        admin.set_classes({"n": "a"})
