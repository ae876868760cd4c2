"""What can be bought refuses what cannot be, and says what one piece costs over the term."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.provision.types import (
    Bundle,
    Bus,
    Catalog,
    Cpu,
    Discount,
    Profile,
    Server,
    StorageUnit,
)

NAN, ENDLESS = float("nan"), float("inf")
UNIT = StorageUnit("u", 1, "b", 1, 0, 1, 0, False, 1)
SERVER = Server("s", 1, 1, 1, ())
CATALOG = Catalog((UNIT,), (Cpu(1), Cpu(2, name="fast")), (SERVER,))
STEPS = (Discount(2, 9), Discount(5, 8))
WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "no rate": (lambda: replace(UNIT, rate_r=0), "rate_r must be above 0"),
    "no finite gap": (lambda: replace(UNIT, gap_r=NAN), "gap_r must be 0"),
    "no rate to write": (lambda: replace(UNIT, rate_w=0), "rate_w must be above 0"),
    "gap to write": (lambda: replace(UNIT, gap_w=-1), "gap_w must be 0"),
    "endless": (lambda: replace(UNIT, capacity=ENDLESS), "capacity must be above 0"),
    "owned": (lambda: replace(UNIT, owned=-1), "owned must be 0 or above"),
    "paid by month": (lambda: replace(UNIT, price_per_gb_month=-1), "price_per_gb_month must be 0 or above"),
    "paid by write": (lambda: replace(UNIT, price_per_write=-1), "price_per_write must be 0 or above"),
    "idle": (lambda: replace(UNIT, power=2, idle_power=3), r"idle_power must lie in \[0, power=2\], got 3"),
    "volatile service": (
        lambda: replace(UNIT, bus="", service=True, volatile=True),
        "a service is not volatile",
    ),
    "owned service": (lambda: replace(UNIT, bus="", service=True, owned=1), "not owned"),
    "service on a bus": (lambda: replace(UNIT, service=True), "on no bus"),
    "unit's discount": (lambda: replace(UNIT, discounts=(Discount(2, 2),)), "falling prices"),
    "discount of one": (lambda: Discount(1, 2), "count must be at least 2, got 1"),
    "discount below 0": (lambda: Discount(2, -1), "price must be 0 or above"),
    "dearer": (lambda: Cpu(10, discounts=(*STEPS, Discount(9, 8.5))), "ascending counts and falling prices"),
    "fewer": (lambda: Cpu(10, discounts=STEPS[::-1]), "ascending counts and falling prices"),
    "twice": (
        lambda: Cpu(10, discounts=(Discount(2, 9), Discount(2, 8))),
        "ascending counts and falling prices",
    ),
    "dearer at once": (lambda: Cpu(8, discounts=STEPS), "ascending counts and falling prices"),
    "profile": (lambda: Profile("p", rate_r=-1.0), "rate must be above 0"),
    "profile's gap": (lambda: Profile("p", gap_w=-1.0), "gap must be 0 or above"),
    "cpu": (lambda: Cpu(-1), "price must be 0 or above"),
    "idle cpu": (lambda: Cpu(1, idle_power=1), "idle_power must lie"),
    "bus": (lambda: Bus("b", -1, 1), "slots must be 0 or above"),
    "idle bus": (lambda: Bus("b", 1, 1, 0), "IOPS must be above 0"),
    "narrow bus": (lambda: Bus("b", 1, 0), "BW must be above 0"),
    "bundled cores": (lambda: Bundle(-1), "cores must be 0"),
    "bundled units": (lambda: Bundle(0, (("u", -1),)), "count must be 0"),
    "bundle": (lambda: replace(SERVER, bundle=Bundle(2)), "bundle has 2 cores where cpus is 1"),
    "stock": (lambda: replace(SERVER, max_count=-1), "max_count must be 0"),
    "network": (lambda: replace(SERVER, bandwidth=0), "BW must be above 0"),
    "cores": (lambda: replace(SERVER, cpus=-1), "cpus must be 0"),
    "energy": (lambda: replace(CATALOG, dollars_per_kwh=-1), "price must be 0"),
    "term": (lambda: replace(CATALOG, hours=NAN), "time must be 0"),
    "load": (lambda: replace(CATALOG, mean_load=1.5), "load must lie"),
    "diversity": (lambda: replace(CATALOG, diversity=-1), "diversity must be 0"),
    "pue": (lambda: replace(CATALOG, pue=0.9), "pue must be 1 or above and finite, got 0.9"),
    "endless pue": (lambda: replace(CATALOG, pue=ENDLESS), "pue must be 1 or above and finite, got inf"),
}


@pytest.mark.parametrize("name", WRONG)
def test_refused(name: str) -> None:
    """Each by its name, with what was given."""
    build, message = WRONG[name]
    with pytest.raises(ValueError, match=message):
        build()


def test_the_edges_of_what_may_be() -> None:
    """Nothing drawn when idle, or as much as ever; a bundle of all cores; prices that stay."""
    replace(UNIT, power=2, idle_power=0)
    replace(UNIT, power=2, idle_power=2)
    replace(SERVER, bundle=Bundle(1))
    Cpu(9, discounts=STEPS)
    replace(CATALOG, pue=1.0)
    replace(UNIT, bus="", service=True)


def test_things_of_a_catalog_are_found_by_name() -> None:
    """The first core type where none is named; nothing for a name that there is not."""
    bus = Bus("SAS", 2, 1)
    assert replace(SERVER, buses=(bus,)).bus("SAS") == bus
    assert SERVER.bus("SAS") is None
    assert (CATALOG.unit("u"), CATALOG.server("s")) == (UNIT, SERVER)
    assert (CATALOG.cpu(), CATALOG.cpu("fast")) == CATALOG.cpus
    for look in (CATALOG.unit, CATALOG.server, CATALOG.cpu):
        with pytest.raises(KeyError):
            look("Tape")


def test_energy_is_paid_at_the_mean_load() -> None:
    """Half way from 40 to 100 W is 70; 1000 hours at PUE 1.5 are 105 kWh, at 20 cents 21 dollars."""
    catalog = replace(CATALOG, hours=1000, dollars_per_kwh=0.2, pue=1.5, mean_load=0.5)
    server = replace(SERVER, price=100, power=100, idle_power=40)
    assert catalog.energy(server) == pytest.approx(21.0)
    assert catalog.cost(server) == pytest.approx(121.0)
    assert catalog.energy(replace(server, idle_power=None)) == pytest.approx(30.0)


@given(st.floats(0, 1), st.floats(0, 1, allow_subnormal=False))
def test_energy_lies_between_idle_and_full(load: float, idle: float) -> None:
    """Whatever the load."""
    catalog, unit = replace(CATALOG, mean_load=load), replace(UNIT, power=1, idle_power=idle)
    full = catalog.energy(replace(unit, idle_power=None))
    assert idle * full * (1 - 1e-9) <= catalog.energy(unit) + 1e-300 <= full * (1 + 1e-9)


def test_stored_bytes_are_paid_by_the_month() -> None:
    """3 GB at 2 cents over 730 * 10 hours: ten months, 60 cents."""
    catalog = replace(CATALOG, hours=7300)
    assert catalog.cost_of_bytes(replace(UNIT, price_per_gb_month=0.02), 3e9) == pytest.approx(0.6)
