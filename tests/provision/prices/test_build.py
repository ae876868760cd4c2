"""From tables and rates to a catalog: what is known is bought in bundles, what is not is asked for."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from froude.base.errors import InputError
from froude.provision.prices.asked import template
from froude.provision.prices.bandwidth import Bandwidth
from froude.provision.prices.build import Imported, Lack, Servers, build
from froude.provision.prices.filters import Filters
from froude.provision.prices.layouts import InstanceType, Prices, Tariff
from froude.provision.prices.parts import Local, Notes
from froude.provision.prices.rates import Memory, Rates, Speed, TypeFigures, read_rates
from froude.provision.prices.request import Wanted
from froude.provision.prices.rows import read_prices
from froude.provision.prices.tables import read_table
from froude.provision.types import Bundle, Bus, Rack
from tests.support.provision.prices.tables import DISKS, EC2, GCP, RATES

TYPE = InstanceType("m5.large", "m5", 0.1, 2, 8 * 2**30, network=1e8, volume=6e8, volume_iops=9000.0)
SERVERS_RATES = Rates(memory=Memory(Speed(1e9, 0.0, 1e9, 0.0), 1e9), volume_slots=9)
NOTHING = "froude: rates/2\n"
YEARS = 3 * 8760


def _prices(*texts: str) -> Prices:
    prices = Prices()
    for number, text in enumerate(texts):
        region = "here" if text.startswith("class") else None
        prices += read_prices(read_table(text.encode(), f"{number}.csv"), region=region)
    return prices


def _built(*texts: str, rates: str = RATES, **wanted: object) -> Imported:
    return build(_prices(*texts), read_rates(rates.encode(), "rates"), Wanted("2026-07", **wanted))  # type: ignore[arg-type]


def test_a_server_is_what_its_type_includes() -> None:
    """Cores, memory in pieces of 1 GiB, its own disks, whose content is lost with it; the price is that of the term."""
    catalog = _built(EC2, bandwidth=Bandwidth.UP_TO).catalog()
    server = catalog.server("i9.xlarge")
    assert server.price == pytest.approx(0.4 * YEARS)
    assert (server.cpus, server.cpu, server.bundle) == (
        4,
        "arm64 aws",
        Bundle(4, (("memory", 32), ("nvme 468GB i9", 2))),
    )
    assert server.buses == (Bus("memory", 32, 8e9), Bus("nvme 468GB i9", 2, 1.4e9))
    nvme = catalog.unit("nvme 468GB i9")
    assert nvme.capacity == pytest.approx(468e9)
    assert (nvme.price, nvme.volatile) == (0, True)
    assert [cpu.name for cpu in catalog.cpus] == ["x86_64 intel", "arm64 aws", "x86_64 amd"]
    assert (catalog.prices_as_of, catalog.hours) == ("2026-07", YEARS)
    assert catalog.server("g9.xlarge").bundle == Bundle(4, (("memory", 16),))


def test_volumes_are_bought_whole() -> None:
    """In the sizes of the classes with rates, at the table's price; every server has the bus that they hang on."""
    result = _built(EC2, GCP, bandwidth=Bandwidth.UP_TO)
    catalog = result.catalog()
    volume = catalog.unit("balanced 100GiB 2000IOPS 228.9MiBps")
    assert (volume.bus, volume.capacity, volume.price_per_gb_month) == ("volume", 100 * 2**30, 0)
    assert volume.price == pytest.approx(100 * 0.1073741824 * YEARS / 730)
    assert (volume.rate_r, volume.gap_w) == pytest.approx((240e6, 1 / 2000))
    assert catalog.server("m9.large").bus("volume") == Bus("volume", 20, 4e9 / 8)
    assert any(
        "2 classes left out: no attached volumes (local, snapshot)" in note for note in result.notes.lines
    )
    assert result.asked.volumes == ("ssd",)


def test_what_is_only_up_to_is_not_sustained() -> None:
    """Of no type, the largest of a family among them: without rates that say more there are no volumes."""
    catalog = _built(EC2, GCP)
    assert not any(server.bus("volume") for server in catalog.catalog().servers)
    assert len(catalog.asked.to_volumes) == 11
    assert any("9 types without attached volumes: no bandwidth" in n for n in catalog.notes.lines)
    given = RATES + "  - {type: m9.*, volume_BW: 650Mbps, volume_IOPS: 3600, volumes: 5}\n"
    sustained = _built(EC2, GCP, rates=given).catalog().server("m9.large")
    assert sustained.bus("volume") == Bus("volume", 5, 650e6 / 8, 3600)
    taken = _built(EC2, GCP, bandwidth=Bandwidth.UP_TO)
    assert any(
        '9 types with a bandwidth to volumes that is "up to", taken as it stands' in n
        for n in taken.notes.lines
    )


def test_without_volumes_their_bandwidth_is_not_asked_for() -> None:
    """Nothing is left out for what nobody uses."""
    catalog = _built(EC2)
    assert "m9.large" in [server.name for server in catalog.catalog().servers]
    assert catalog.asked.to_volumes == ()


def test_nothing_is_invented() -> None:
    """Without rates there is no catalog; the template asks for everything, and filled in it leaves nothing out."""
    catalog = _built(EC2, GCP, DISKS, rates=NOTHING)
    with pytest.raises(InputError, match=r"memory has no rates.*--template"):
        catalog.catalog()
    asked = catalog.asked
    assert (asked.memory, asked.volume_slots, asked.volumes) == (True, True, ("balanced", "ssd"))
    assert list(asked.nvme) == ["i9.*", "g9.*", "c3.*"]
    assert asked.baseline == ("t3.large", "t3.nano")
    assert (asked.disks, asked.network) == (("st16000", "st8000"), ("c3.large",))
    text = template(asked, read_rates(NOTHING.encode(), "rates"))
    assert "rateR: blank" in text
    assert build(_prices(EC2, GCP, DISKS), read_rates(text.encode(), "t"), Wanted("2026-07")).asked == asked
    for blank, value in (
        ("volume_slots: blank", "volume_slots: 20"),
        ("capacity: blank", "capacity: 1TB"),
        (
            "min_size: blank, max_size: blank, sizes: blank, IOPS: blank",
            "min_size: 1GiB, max_size: 1TiB, sizes: 9GiB, IOPS: 9",
        ),
        ("disk: blank, rateR: blank", "disk: 468GB, rateR: 1GBps"),
        ("baseline: blank", "baseline: 1"),
        ("bus: blank", "bus: volume"),
        ("power: blank", "power: 5W"),
        ("gapR: blank", "gapR: 1ms"),
        ("gapW: blank", "gapW: 1ms"),
    ):
        text = text.replace(blank, value)
    filled = text.replace(": blank", ": 1GBps")
    whole = build(_prices(EC2, GCP, DISKS), read_rates(filled.encode(), "t"), Wanted("2026-07"))
    assert list(whole.asked.nvme) == ["g9.*", "c3.*"]  # not 468 GB
    assert len(whole.catalog().servers) == 10


def test_a_partly_filled_entry_is_still_asked_for() -> None:
    """One blank leaves the part out."""
    catalog = _built(EC2, rates=RATES.replace("rateR: 700MBps", "rateR: blank"))
    assert "i9.*" in catalog.asked.nvme
    assert [unit.name for unit in catalog.catalog().units] == ["memory"]


def test_a_baseline_in_whole_cores() -> None:
    """Less than one is no server; without a figure a burstable type is left out; each by its name."""
    assert _built(EC2).catalog().server("t3.large").bundle == Bundle(1, (("memory", 8),))
    for said, reason in (("0.6", "less than one core"), ("blank", "is not given")):
        result = _built(EC2, rates=RATES.replace("1.2", said))
        assert not any(server.name == "t3.large" for server in result.servers)
        assert any(reason in note and "t3.large" in note for note in result.notes.whole)


def test_how_types_are_paid_is_said() -> None:
    """Spot servers may be taken away, reserved ones are paid to the end."""
    for tariff, word in ((Tariff.SPOT, "at any time"), (Tariff.RESERVED_3Y, "for 3 years,")):
        assert any(word in note for note in _built(EC2, tariff=tariff).notes.lines)
    longer = _built(EC2, tariff=Tariff.RESERVED_1Y, hours=13140.0)
    assert any("paid for 2 years, in whole terms of 1" in note for note in longer.notes.lines)


@pytest.mark.parametrize(
    ("filters", "left"),
    [
        (Filters(burstable=False), {"m9", "i9", "g9"}),
        (Filters(gpu=True), {"g9"}),
        (Filters(gpu=False), {"m9", "i9", "t3"}),
        (Filters(arch="arm64"), {"i9"}),
        (Filters(families=("m9", "t3")), {"m9", "t3"}),
        (Filters(min_price=0.5), {"g9", "i9"}),
        (Filters(max_price=0.09), {"t3"}),
        (Filters(bare_metal=True), {"m9"}),
        (Filters(previous=False, bare_metal=False), {"m9", "i9", "g9", "t3"}),
    ],
)
def test_filters(filters: Filters, left: set[str]) -> None:
    """What is left out is counted by its reason."""
    catalog = _built(EC2, filters=filters)
    assert {server.name.split(".")[0] for server in catalog.catalog().servers} == left
    assert any("left out by the filters" in note for note in catalog.notes.lines)


def test_a_filter_that_leaves_nothing() -> None:
    """Is an error, and says so."""
    with pytest.raises(InputError, match="no instance type is left"):
        _built(EC2, filters=Filters(min_price=math.inf)).catalog()


def test_disks_beside_servers_of_ones_own() -> None:
    """Disks are added to a catalog; instance types are not."""
    base = replace(_built(EC2).catalog(), rack=Rack(16, 1e9, 9000.0), pue=1.4)
    speed = "rateR: 250MBps, gapR: 8ms, rateW: 250MBps, gapW: 8ms"
    disk = f"disk:\n  - {{model: st16000, capacity: 16TB, bus: memory, {speed}, power: 7W}}\n"
    result = _built(DISKS, rates=RATES + disk)
    catalog = result.catalog(base)
    assert (catalog.unit("st16000").price, catalog.unit("st16000").power) == (160, 7)
    assert result.asked.disks == ("st8000",)
    assert catalog.servers == base.servers
    assert (catalog.rack, catalog.pue) == (base.rack, 1.4)
    with pytest.raises(InputError, match="cannot be added to"):
        _built(EC2).catalog(base)
    with pytest.raises(InputError, match="is of another term"):
        _built(DISKS, rates=RATES + disk, hours=100.0).catalog(base)


def _servers(*figures: TypeFigures, bandwidth: Bandwidth = Bandwidth.SUSTAINED) -> Servers:
    rates = SERVERS_RATES + Rates(types=figures)
    wanted = Wanted("2026-07", bandwidth=bandwidth)
    return Servers(rates, wanted, Local((), {}, {}), attached=True)


@pytest.mark.parametrize(
    ("instance", "figures", "bandwidth", "bus"),
    [
        (TYPE, TypeFigures("*", to_volumes=6e8, volume_iops=9000), Bandwidth.SUSTAINED, (9, 6e8, 9000)),
        (
            TYPE,
            TypeFigures("*", to_volumes=8e7, volume_iops=3600, volumes=5),
            Bandwidth.SUSTAINED,
            (5, 8e7, 3600),
        ),
        (
            replace(TYPE, volume_baseline=8e7, volume_iops_baseline=70.0),
            None,
            Bandwidth.SUSTAINED,
            (9, 8e7, 70),
        ),
        (
            replace(TYPE, volume_baseline=8e7, volume_iops_baseline=70.0),
            TypeFigures("*", volume_iops=60.0),
            Bandwidth.SUSTAINED,
            (9, 8e7, 60),
        ),
        (replace(TYPE, volume_iops=None), None, Bandwidth.UP_TO, (9, 6e8, math.inf)),
        (TYPE, None, Bandwidth.UP_TO, (9, 6e8, 9000)),
    ],
)
def test_limits_of_the_way_to_volumes(
    instance: InstanceType,
    figures: TypeFigures | None,
    bandwidth: Bandwidth,
    bus: Bus | tuple[int, float, float],
) -> None:
    """How many, how many bytes and how many accesses: what the rates say counts before the table."""
    servers = _servers(*([figures] if figures else []), bandwidth=bandwidth)
    server = servers.of(instance)
    assert server is not None
    assert server.bus("volume") == (bus if isinstance(bus, Bus) else Bus("volume", *bus))
    assert servers.unlimited == (["m5.large"] if instance.volume_iops is None else [])


def test_accesses_are_only_up_to_where_the_bandwidth_is() -> None:
    """It is no limit that holds, unless it is asked for."""
    server = _servers(TypeFigures("*.large", to_volumes=8e7)).of(TYPE)
    assert server is not None
    assert server.bus("volume") == Bus("volume", 9, 8e7)
    taken = _servers(bandwidth=Bandwidth.UP_TO)
    taken.of(TYPE)
    assert taken.taken == ["m5.large"]


def test_reserved_servers_are_paid_for_whole_terms() -> None:
    """18 months of a year's are two years, of three years' three."""
    for tariff, hours, years in (
        (Tariff.RESERVED_1Y, 13140.0, 2),
        (Tariff.RESERVED_1Y, 8760.0, 1),
        (Tariff.RESERVED_3Y, 35040.0, 6),
        (Tariff.ON_DEMAND, 13140.0, 1.5),
    ):
        servers = _servers()
        servers.wanted = Wanted("2026-07", hours, tariff=tariff)
        server = servers.of(TYPE)
        assert server is not None
        assert server.price == pytest.approx(0.1 * 8760 * years)


@pytest.mark.parametrize(("lack", "count"), [(Lack.TO_VOLUMES, 9), (Lack.VOLUMES, None)])
def test_a_type_of_which_too_little_is_known_has_no_volumes(lack: Lack, count: int | None) -> None:
    """It computes all the same; which these are is said."""
    instance = replace(TYPE, volume=None) if count else TYPE
    servers, notes = _servers(), Notes()
    servers.rates = replace(servers.rates, volume_slots=count)
    server = servers.of(instance)
    assert server is not None
    assert server.bus("volume") is None
    servers.note([instance], notes)
    assert f"1 {lack.value} ({instance.name})" in notes.whole


def test_a_type_that_takes_no_volumes() -> None:
    """Needs no way to them."""
    servers = _servers(TypeFigures("*", volumes=0))
    for instance in (replace(TYPE, volume=None), replace(TYPE, volume_baseline=8e7)):
        server = servers.of(instance)
        assert server is not None
        assert server.bus("volume") is None
        assert instance.name not in servers.left[Lack.VOLUMES] + servers.left[Lack.TO_VOLUMES]


def test_memory_is_sold_in_whole_pieces() -> None:
    """Of 3.75 GiB three are counted, and what is not is said."""
    instance, servers, notes = replace(TYPE, memory=3.75 * 2**30), _servers(), Notes()
    server = servers.of(instance)
    assert server is not None
    assert server.bundle == Bundle(2, (("memory", 3),))
    servers.note([instance], notes)
    assert notes.whole[-1].startswith(
        "1 types whose memory is no whole number of GiB: the rest is not counted"
    )


@pytest.mark.parametrize(
    ("instance", "lack"),
    [
        (replace(TYPE, network=None), Lack.NETWORK),
        (replace(TYPE, name="t3.large", family="t3"), Lack.BASELINE),
        (replace(TYPE, baseline=0.9), Lack.SHARE),
        (replace(TYPE, memory=1e9), Lack.SMALL),
    ],
)
def test_each_type_is_left_out_for_its_reason(instance: InstanceType, lack: Lack) -> None:
    """By name."""
    servers, notes = _servers(), Notes()
    assert servers.of(instance) is None
    servers.note([instance], notes)
    assert f"1 {lack.value} ({instance.name})" in notes.whole


def test_a_burstable_type_has_its_baseline() -> None:
    """In whole cores, of which the rates know more than the table."""
    burstable = replace(TYPE, cpu=8, baseline=3.2)
    for figures, cores in (
        ((), 3),
        ((TypeFigures("*", baseline=2.0),), 2),
        ((TypeFigures("*", baseline=99.0),), 8),
    ):
        server = _servers(*figures).of(burstable)
        assert server is not None
        assert (server.cpus, server.bundle and server.bundle.cores) == (cores, cores)
