"""What a header makes a table, and which of its columns is which field."""

from __future__ import annotations

import pytest

from froude.base.errors import InputError
from froude.provision.prices.layouts import (
    FIELDS,
    DiskPrice,
    InstanceType,
    Prices,
    TableKind,
    VolumePrice,
    columns_of,
    kind_of,
)
from froude.provision.prices.tables import Malformed, Table
from tests.support.provision.prices.tables import DISKS, EC2, GCP


def _table(*columns: str) -> Table:
    return Table("t.csv", columns, ())


def _header(text: str) -> Table:
    return _table(*text.split("\n", 1)[0].split(","))


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        (_header(EC2), TableKind.INSTANCES),
        (_header(GCP), TableKind.VOLUMES),
        (_header(DISKS), TableKind.DISKS),
        (_table("vcpus", "name"), TableKind.INSTANCES),
        (_table("model", "price", "type", "cores"), TableKind.INSTANCES),
        (_table("model", "price", "type"), TableKind.DISKS),
    ],
)
def test_a_header_tells_the_layout(table: Table, kind: TableKind) -> None:
    """Whatever the file is called; with cores a model is no disk."""
    assert kind_of(table) is kind


def test_no_known_layout() -> None:
    """The error says the columns; any mapping makes it a table of instances."""
    table = _table("sku", "usd")
    with pytest.raises(InputError, match="no known layout; found columns sku, usd") as caught:
        kind_of(table)
    assert caught.value.file == "t.csv"
    assert kind_of(table, {"name": "sku"}) is TableKind.INSTANCES


@pytest.mark.parametrize("name", ["Machine Type", "machine_type", "MACHINE-TYPE", "machineType"])
def test_names_in_any_case(name: str) -> None:
    """Joined by underscores, dashes, blanks or nothing."""
    assert columns_of(_table("x", name), {}, "") == {"name": name}


def test_the_first_of_the_known_names_counts() -> None:
    """In the order of the field's names, then of the columns."""
    assert columns_of(_table("name", "instance_type"), {}, "")["name"] == "instance_type"
    assert columns_of(_table("vCPUs", "VCPUS"), {}, "")["cpu"] == "vCPUs"


def test_every_known_name_is_of_one_field() -> None:
    """Else a column would be two things."""
    names = [name for names in FIELDS.values() for name in names]
    assert len(names) == len(set(names))


def test_a_unit_is_known_of_a_layout_that_is_known_whole() -> None:
    """Memory is in MiB in one, in GiB in another, in neither elsewhere."""
    assert columns_of(_header(EC2), {}, "")["memory_mib"] == "memory"
    other = columns_of(_table("instance_type", "vCPU", "pretty_name", "memory"), {}, "")
    assert other["memory_gib"] == "memory"
    assert columns_of(_table("instance_type", "vCPU", "memory"), {}, "").keys() == {"name", "cpu", "memory"}
    titles = _table(*(column.replace("_", " ").title() for column in _header(EC2).columns))
    assert columns_of(titles, {}, "")["memory_mib"] == "Memory"


def test_a_price_by_region() -> None:
    """That of the region asked for."""
    table = _table("pricing.there.linux.ondemand", "pricing.here.linux.ondemand")
    assert columns_of(table, {}, "here") == {"price_hour": "pricing.here.linux.ondemand"}
    assert columns_of(table, {}, "nowhere") == {}


def test_a_mapping_replaces_what_was_found() -> None:
    """Also under another unit of the same thing; the rest stays."""
    table = _table("name", "cpu", "memory_gib", "ram", "hour", "usd")
    columns = columns_of(table, {"memory_gb": "ram", "price_month": "usd"}, "")
    assert columns == {"name": "name", "cpu": "cpu", "memory_gb": "ram", "price_month": "usd"}
    assert columns_of(table, {"network_mbps": "usd"}, "")["memory_gib"] == "memory_gib"


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"memry_gb": "ram"}, "memory_gb.*; found memry_gb; allowed: name, price_hour"),
        ({"memory_gb": "rma"}, "has no column rma, did you mean ram"),
    ],
)
def test_a_mapping_that_is_wrong(mapping: dict[str, str], message: str) -> None:
    """Of a field, or of a column."""
    with pytest.raises(InputError, match=message) as caught:
        columns_of(_table("name", "ram"), mapping, "")
    assert caught.value.place == "--column"


@pytest.mark.parametrize(
    ("arch", "manufacturer", "core"),
    [("arm64", "aws", "arm64 aws"), ("arm64", "", "arm64"), ("", "amd", "amd"), ("", "", "core")],
)
def test_a_core_type_is_named_as_far_as_is_known(arch: str, manufacturer: str, core: str) -> None:
    """Architecture, then who makes it."""
    assert InstanceType("a", "a", 1, 1, 1, arch=arch, manufacturer=manufacturer).core == core


def test_tables_add_up() -> None:
    """In their order, everything of both."""
    one, other = (
        Prices(
            (InstanceType(name, "f", 1, 1, 1),),
            (VolumePrice(name, "here", 1),),
            (DiskPrice(name, 1),),
            (Malformed(name, 1, "is wrong"),),
            (name,),
        )
        for name in "ab"
    )
    both = one + other
    assert [i.name for i in both.instances] == [v.name for v in both.volumes] == ["a", "b"]
    assert [d.model for d in both.disks] == [m.file for m in both.malformed] == ["a", "b"]
    assert both.unpriced == ("a", "b")
