"""Tables of known layouts are told by their header and read in SI units; a wrong row is noted with its line."""

from __future__ import annotations

import json

import pytest

from froude.base.errors import InputError
from froude.provision.prices.layouts import Prices, Tariff
from froude.provision.prices.rows import ARM, GIB, X86, read_prices
from froude.provision.prices.tables import read_table
from tests.support.provision.prices.tables import DISKS, EC2, GCP


def _prices(text: str, **more: object) -> Prices:
    return read_prices(read_table(text.encode(), "t.csv"), **more)  # type: ignore[arg-type]


def test_instance_types() -> None:
    """MiB, Mbit/s and GB become bytes; a type without a price is counted."""
    prices = _prices(EC2)
    instance_type = {instance.name: instance for instance in prices.instances}["i9.xlarge"]
    assert (instance_type.family, instance_type.cpu, instance_type.memory, instance_type.local) == (
        "i9",
        4,
        32 * GIB,
        937e9,
    )
    assert (instance_type.price_hour, instance_type.network, instance_type.volume) == (0.4, 3e9 / 8, 5e9 / 8)
    assert (instance_type.core, instance_type.arch, instance_type.gpu) == ("arm64 aws", ARM, False)
    assert [instance.name for instance in prices.instances if instance.gpu] == ["g9.xlarge"]
    assert prices.unpriced == ("p9.large",)
    assert {instance.arch for instance in prices.instances} == {X86, ARM}


def test_volumes_of_one_region() -> None:
    """Dollars per GiB; a table of several regions wants one named."""
    prices = _prices(GCP, region="here")
    assert [volume.name for volume in prices.volumes] == ["balanced", "local", "ssd", "snapshot"]
    assert prices.volumes[0].price_per_gib_month == pytest.approx(0.1073741824)
    with pytest.raises(InputError, match="has several regions"):
        _prices(GCP)
    with pytest.raises(InputError, match="has no region heer, did you mean here"):
        _prices(GCP, region="heer")


def test_disks() -> None:
    """Models and their prices."""
    assert [(d.model, d.price) for d in _prices(DISKS).disks] == [("st16000", 160), ("st8000", 90)]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("m9.3xlarge,0.3,m,m9", "has 4 "),
        ("m9.large" + ",1" * 15, "m9.large stands on line 2 already"),
        (",0.1,m,m9,9,amd64,2,intel,3000,8192,,1000,4000,,,nitro", "has no name"),
        ("x,0.1,m,m9,9,amd64,two,intel,3000,8192,,1000,4000,,,nitro", "cpu is not a number of 0 or more"),
        ("x,0.1,m,m9,9,amd64,1.5,intel,3000,8192,,1000,4000,,,nitro", "cores are not a whole number"),
        ("x,-1,m,m9,9,amd64,2,intel,3000,8192,,1000,4000,,,nitro", "od_usd_h"),
        ("x,nan,m,m9,9,amd64,2,intel,3000,8192,,1000,4000,,,nitro", "od_usd_h"),
        ("x,0.1,m,m9,9,amd64,2,intel,3000,,,1000,4000,,,nitro", "has no memory"),
        ("x,0.1,m,m9,9,amd64,1e300,intel,3000,8192,,1000,4000,,,nitro", "cpu is beyond anything"),
        ("x,0.1,m,m9,9,amd64,1e9,intel,3000,8192,,1000,4000,,,nitro", "more cores than can be meant"),
        ("x,0.1,m,m9,9,amd64,2,intel,3000,1e308,,1000,4000,,,nitro", "memory is beyond anything"),
        ("x,0.1,m,m9,9,amd64,2,intel,3000,8192,1e14,1000,4000,,,nitro", "more bytes than can be meant"),
        ("x,1_0,m,m9,9,amd64,2,intel,3000,8192,,1000,4000,,,nitro", "od_usd_h"),
        ("x,\u0663,m,m9,9,amd64,2,intel,3000,8192,,1000,4000,,,nitro", "od_usd_h is not a number of 0"),
        (
            "x\x01y,0.1,m,m9,9,amd64,2,intel,3000,8192,,1000,4000,,,nitro",
            r"name cannot be printed, found 'x\x01y'",
        ),
        ("x,0.1,m,m9,9,amd64,2,int\x01el,3000,8192,,1000,4000,,,nitro", "cpu_manufacturer"),
    ],
)
def test_malformed_rows(row: str, message: str) -> None:
    """Each is left out, with its line; the others stay."""
    prices = _prices(EC2 + row + "\n")
    assert len(prices.instances) == 11
    assert [str(row) for row in prices.malformed] == [f"t.csv:14: {prices.malformed[0].message}"]
    assert message in prices.malformed[0].message


def test_a_table_of_other_names_is_mapped() -> None:
    """Known names are found; a name without its unit is never guessed; the error lists the columns."""
    text = "sku,vcpus,ram,usd,net\na-4,4,16,0.5,10\n"
    with pytest.raises(InputError, match="found columns sku, vcpus, ram, usd, net"):
        _prices(text)
    mapping = {"name": "sku", "price_hour": "usd", "network_gbps": "net"}
    with pytest.raises(InputError, match=r"has no column for memory_mib.*--column memory_mib=NAME"):
        _prices(text, mapping=mapping)
    (instance_type,) = _prices(text, mapping=mapping | {"memory_gb": "ram"}).instances
    assert (
        instance_type.name,
        instance_type.family,
        instance_type.memory,
        instance_type.network,
        instance_type.core,
    ) == ("a-4", "a", 16e9, 10e9 / 8, "core")
    with pytest.raises(InputError, match="is no field of an instance table, did you mean memory_gb"):
        _prices(text, mapping={"memry_gb": "ram"})
    with pytest.raises(InputError, match=r"t\.csv:--column: .*ram\?"):
        _prices(text, mapping={"memory_gb": "rma"})


@pytest.mark.parametrize(
    "text",
    [
        "Instance Type,vCPUs,Memory,On-Demand Linux pricing\na.l,8,16 GiB,0.5 USD per Hour\n",
        "Instance name,On-Demand hourly rate,vCPU,Memory,Storage\na.l,$0.5,8,16 GiB,EBS Only\n",
        "Name,API Name,Instance Memory,vCPUs,Linux On Demand cost\nA Large,a.l,16.0 GiB,8 vCPUs,$0.500000 hourly\n",
        "Instance type,vCPUs,Memory (GiB),On-Demand Linux pricing\na.l,8,16,0.5 USD per Hour\n",
    ],
)
def test_lists_of_a_provider(text: str) -> None:
    """With its titles, and units in the cells."""
    (found,) = _prices(text).instances
    assert (found.name, found.cpu, found.memory, found.price_hour) == ("a.l", 8, 2.0**34, 0.5)
    prices = _prices(text + text.splitlines()[1].replace("16", "x") + "\n")
    assert len(prices.malformed) == 1


@pytest.mark.parametrize(
    ("words", "holds", "burst"),
    [
        ("10 Gigabit", 10e9 / 8, None),
        ("Up to 25 Gigabit", None, 25e9 / 8),
        ("Moderate", None, None),
        ("", None, None),
        ("750", 750e6 / 8, None),
    ],
)
def test_words_of_the_network(words: str, holds: float | None, burst: float | None) -> None:
    """A figure with "up to" is not one that holds; words say nothing."""
    text = f"name,cpu,memory_gib,hour,network_performance\na-4,4,16,0.5,{words}\n"
    (instance_type,) = _prices(text).instances
    assert (instance_type.network, instance_type.network_burst) == (holds, burst)


def test_disks_of_an_instance_type() -> None:
    """Number and size of the devices, in two columns or in words."""
    head = "name,cpu,memory_gib,hour"
    (instance_type,) = _prices(f"{head},disk_count,disk_gb\na-4,4,16,0.5,2,800\n").instances
    assert (instance_type.local, instance_type.devices) == (1600e9, 2)
    for words in ("2 x 800 GB SSD", "1600 GB (2 * 800 GB NVMe SSD)"):
        (instance_type,) = _prices(f"{head},local_gb\na-4,4,16,0.5,{words}\n").instances
        assert (instance_type.local, instance_type.devices) == (1600e9, 2)
    (instance_type,) = _prices(f"{head},Disks\na-4,4,16,0.5,EBS only\n").instances
    assert instance_type.local == 0


def test_json_with_prices_by_region() -> None:
    """Objects inside objects are columns; architectures in a list; memory of this layout is in GiB."""
    item = {
        "instance_type": "m9.large",
        "pretty_name": "M9 Large",
        "vCPU": 2,
        "memory": 8.0,
        "arch": ["i386", "x86_64"],
        "network_performance": "Up to 10 Gigabit",
        "ebs_baseline_bandwidth": 650,
        "storage": {"devices": 1, "size": 75, "ssd": True},
        "pricing": {"here": {"linux": {"ondemand": "0.096"}}, "there": {"linux": {"ondemand": "N/A"}}},
        "GPU": 0,
    }
    (instance_type,) = _prices(json.dumps([item]), region="here").instances
    assert (instance_type.price_hour, instance_type.memory, instance_type.arch, instance_type.local) == (
        0.096,
        8 * GIB,
        X86,
        75e9,
    )
    assert (instance_type.volume_baseline, instance_type.network, instance_type.gpu) == (
        650e6 / 8,
        None,
        False,
    )
    assert _prices(json.dumps([item]), region="there").unpriced == ("m9.large",)
    assert len(_prices(json.dumps([item, 7]), region="here").malformed) == 1


def _regions(*names: str) -> str:
    reserved = {"yrTerm1Standard.allUpfront": "0.05", "yrTerm1Standard.noUpfront": "0.06"}
    linux = {"ondemand": "0.1", "reserved": reserved, "spot_avg": "0.03"}
    item = {
        "instance_type": "t9.large",
        "pretty_name": "T9 Large",
        "vCPU": 2,
        "memory": 8.0,
        "network_performance": "Up to 10 Gpbs",
        "ebs_iops": 3600.0,
        "base_performance": 0.6,
        "pricing": {name: {"linux": linux} for name in names},
    }
    return json.dumps([item])


def test_a_default_region_is_said() -> None:
    """And a region that is mistyped, or one of several that are not the default, names them."""
    several = _regions("eu-west-1", "us-east-1")
    assert _prices(several).said == ("prices of us-east-1 by default: --region chooses from 2",)
    assert _prices(several, region="eu-west-1").said == ()
    with pytest.raises(InputError, match=r"--region: .*eu-west-1.*us-east-1"):
        _prices(several, region="eu-west")
    with pytest.raises(InputError, match=r"t\.csv: "):
        _prices(_regions("a", "b"))


def test_rows_of_regions() -> None:
    """An instance table may have a column of them."""
    rows = "instance_type,region,od_usd_h,cpu,memory_gib\na,here,1,2,8\na,there,2,2,8\n"
    assert [instance_type.price_hour for instance_type in _prices(rows, region="there").instances] == [2]
    with pytest.raises(InputError, match=r"t\.csv:--region: .*here\?"):
        _prices(rows, region="heer")
    with pytest.raises(InputError, match=r"t\.csv: "):
        _prices(rows)


@pytest.mark.parametrize(
    ("tariff", "price"), [("on-demand", 0.1), ("reserved-1y", 0.06), ("reserved-3y", None), ("spot", 0.03)]
)
def test_prices_of_a_tariff(tariff: str, price: float | None) -> None:
    """Reserved without an upfront where there is one; a type without a price of the tariff has none."""
    if price is None:
        with pytest.raises(
            InputError, match="has no prices of reserved-3y; allowed: a column reserved_3y_usd_h"
        ):
            _prices(_regions("us-east-1"), tariff=Tariff(tariff))
        return
    (instance_type,) = _prices(_regions("us-east-1"), tariff=Tariff(tariff)).instances
    assert instance_type.price_hour == price


def test_limits_of_a_type() -> None:
    """Accesses of volumes, the baseline of one that is burstable, and a bit a second that is misspelt."""
    (instance_type,) = _prices(_regions("us-east-1")).instances
    assert (instance_type.volume_iops, instance_type.baseline) == (3600, 0.6)
    assert instance_type.network_burst == 10e9 / 8


@pytest.mark.parametrize(
    ("row", "mapping", "message"),
    [
        ("70", {"price_hour": "usd"}, "another unit for its price; found 35 dollars an hour a core"),
        ("5.2", {"price_hour": "usd"}, r"--column price_hour=NAME or --column price_month=NAME"),
        ("0.1", {"price_month": "usd"}, "another unit for its price"),
        ("0.1", {"price_hour": "USD per month"}, "found column USD per month"),
        ("0.1", {"price_hour": "price (cents)"}, "found column price"),
        ("70", {"price_month": "hourly USD"}, "found column hourly USD"),
        ("0.1", {"price_hour": "usd", "memory_mib": "ram"}, "another unit for its memory"),
    ],
)
def test_prices_of_another_unit_than_is_named_are_asked_about(
    row: str, mapping: dict[str, str], message: str
) -> None:
    """By the title, or by what a core would cost."""
    title = next(name for field, name in mapping.items() if field.startswith("price"))
    text = f"name,cpu,ram,{title}\na-2,2,8,{row}\n"
    with pytest.raises(InputError, match=message):
        _prices(text, mapping={"memory_gib": "ram"} | mapping if "memory_mib" not in mapping else mapping)


def test_a_unit_that_a_person_names_twice_is_not_doubted() -> None:
    """By the title of its column, and by the flag."""
    text = "name,cpu,memory_gib,price_hour\na,2,8,40\nb,4,16,80\n"
    with pytest.raises(InputError, match="say it: --column price_hour=price_hour"):
        _prices(text)
    assert len(_prices(text, mapping={"price_hour": "price_hour"}).instances) == 2


def test_a_table_without_a_column_names_the_known_titles() -> None:
    """Of what is missing."""
    with pytest.raises(InputError, match=r"no column for price_hour.*allowed: od_usd_h, usd_h"):
        _prices("name,cpu,memory_gib,usd\na,2,8,0.1\n", mapping={"cpu": "cpu"})


@pytest.mark.parametrize("currency", ["USD", "US$", "$", "US Dollar", "Dollar", ""])
def test_names_of_the_dollar(currency: str) -> None:
    """A table may write it in any way."""
    _prices(f"type,cpu,memory_gib,usd_h,currency\na,2,8,0.1,{currency}\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("type,cpu,memory_gib,usd_h,network\na,2,8,0.1,10\n", "another unit for its network"),
        ("type,cpu,memory_gib,usd_h,network_gbps\na,2,8,0.1,10000\n", "another unit for its network"),
        ("type,cpu,memory_gib,usd_h,Currency\na,2,8,0.1,CNY\n", "another currency; found CNY"),
        ("class,region,usd_per_gib_month\ngp3,us,8\n", "another unit for its price; found 8 dollars"),
        (
            "type,os,cpu,memory_gib,usd_h\na,Windows,2,8,0.2\na,Linux,2,8,0.1\n",
            "several prices of one type; found a at 0.1 and 0.2. Keep one row",
        ),
    ],
)
def test_what_may_be_of_another_unit_or_system_is_refused(text: str, message: str) -> None:
    """It would be a catalog that is wrong."""
    with pytest.raises(InputError, match=message):
        _prices(text)


@pytest.mark.parametrize(
    ("rows", "types"),
    [
        (["a,2,8,0.05", "a,2,8,0.0500", "b,4,16,0.1"], 2),
        (["a,2,8,0.05", "b,4,16,0.1", "c,8,32,0.2", "gpu,4,64,12.5", "u-24tb1,16,24576,218.4"], 5),
        (["p5.48xlarge,192,2048,98.32", "g2.x,4,64,12.0", "g3.x,4,64,11"], 3),
        (["u-24tb1.metal,16,24576,218.4", "u-12tb.metal,8,12288,109"], 2),
    ],
)
def test_a_price_written_twice_and_types_far_from_the_others_are_read(rows: list[str], types: int) -> None:
    """The middle of all types shows the unit; a second row of a type is left out."""
    found = _prices("\n".join(["type,cpu,memory_gib,usd_h", *rows, ""]))
    assert len(found.instances) == types
