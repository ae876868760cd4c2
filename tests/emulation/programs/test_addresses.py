"""Addresses of emulated nodes, both ways."""

from __future__ import annotations

from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.emulation.programs.addresses import node_address, number_at


@given(st.integers(0, (1 << 20) - 2))
def test_an_address_tells_its_node(number: int) -> None:
    """It is a loopback address, and the number can be read back from it."""
    assert ip_address(node_address(number)).is_loopback
    assert number_at(node_address(number)) == number


def test_no_two_nodes_share_one() -> None:
    """Also where a byte runs over."""
    assert len({node_address(number) for number in range(70_000)}) == 70_000


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.16.0.0",
        "10.16.0.1",
        "127.16.0",
        "127.16.0.256",
        "127.16.0.01",
        "x",
        "",
        "127.32.0.1",
    ],
)
def test_other_addresses_are_nobodys(address: str) -> None:
    """Masters, other machines, and what is no address."""
    assert number_at(address) is None
