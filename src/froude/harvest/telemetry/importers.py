"""Tables of others → a Datacenter: samples of servers, their tenants and racks, their wipes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from froude.base.columns import Column, Kind
from froude.base.errors import InputError, nearest
from froude.base.forms import Form, Options
from froude.base.summary import counted
from froude.base.tables import Table, read_table
from froude.harvest.telemetry.clean import Cleaned, on_slots, slots_at_zero, slots_unchanged
from froude.harvest.telemetry.correlation import Together, together
from froude.harvest.telemetry.datacenter import Datacenter, Floats, Ints, Reimages
from froude.harvest.telemetry.layouts import SERVERS
from froude.harvest.telemetry.samples import Samples

LONGEST_SLOT_S = 86400.0
_LONGEST_SLOTS = 366 * 720
"""Slots of a year of two minutes: more is a mistake in a time."""
_SPARSE, _FEW_CELLS = 1000, 2_000_000
"""Cells of the grid of tenants and slots for each sample, and how many there may be of any number of samples."""
_MOST_SERVERS = 1_000_000
_NAMED = 1000
"""Servers among which the one is looked for that was meant."""
_LOOKED_AT = 50
"""Servers by which the time between samples is known."""
_FAR_S = 10 * 365.25 * 86400
"""How far all wipes may be from the samples."""
_SHORTER = 0.1
"""Share of the time of all samples that a server may lack at the begin or end."""
_SERVER = Column("server", SERVERS, numbered=True)
_TIME = Column("time", ("time", "timestamp", "date"), Kind.TIME, titled=True)
_RACK = Column("rack", ("rack", "rack_id"), numbered=True)
_INVENTORY = Form(
    "inventory",
    (
        _SERVER,
        Column("tenant", numbered=True),
        Column("environment", needed=False, empty=True, numbered=True),
        replace(_RACK, needed=False, empty=True),
    ),
    fixed=True,
    whole=True,  # each server needs a tenant
)
_REIMAGES = Form("reimages", (_SERVER, _TIME), fixed=True)
_FAILURES = Form("failures", (_SERVER, _RACK, _TIME), fixed=True)


def _read(path: Path, form: Form, options: Options | None) -> Table:
    """A table of this form, or the same as objects of JSON."""
    return read_table(path, [replace(form, name=f"{form.name}-json", lines=True), form], options)


@dataclass(frozen=True, slots=True)
class Inventory:
    """Tenants, environments and racks of servers."""

    tenant: Mapping[str, str]
    environment: Mapping[str, str]
    """By tenant."""
    rack: Mapping[str, str]
    path: Path | None = None
    """Its file, for errors."""


def datacenter_of(
    samples: Samples, path: Path, *, slot_s: float, name: str, inventory: Inventory | None = None
) -> tuple[Datacenter, Cleaned]:
    """Samples of servers as a Datacenter.

    Args:
        slot_s: length of a slot; the mean of a server's samples in it counts.
        inventory: tenants, environments and racks; without it each server is a tenant and an environment of its own.

    Returns:
        The datacenter, and what was cleaned.

    Raises:
        InputError: the samples span too long a time, or an inventory does not name every server.
    """
    if not 1 <= slot_s <= LONGEST_SLOT_S:
        raise InputError("is out of range", place="slot", found=slot_s, allowed="1 s to 1 day")
    if samples.end_s is not None:
        samples = _added(samples, path, slot_s)
    start_s = float(np.floor(samples.time_s.min() / slot_s) * slot_s)
    slots = int((float(samples.time_s.max()) - start_s) // slot_s) + 1
    if slots > _LONGEST_SLOTS:
        found = f"{slots * slot_s / 86400:,.0f} days in slots of {slot_s:g} s"
        allowed, remedy = (
            f"{_LONGEST_SLOTS} slots",
            "If its times are not seconds, say what they are: --date-format ms",
        )
        raise InputError("spans too long a time", file=path, found=found, allowed=allowed, remedy=remedy)
    servers = samples.servers
    frame = _Frame(servers, inventory or _alone(servers))
    _refuse_sparse(len(samples.time_s), len(frame.tenants), slots, path)
    total = np.zeros((len(frame.tenants), slots))
    seen = np.zeros((len(frame.tenants), slots), np.int32)
    cleaned = Cleaned()
    apart: list[Floats] = []
    shorter: list[str] = []
    begin_s, span_s = float(samples.time_s.min()), samples.span_s
    for number, own in samples.by_server():
        times, shares = samples.time_s[own], samples.share[own]
        series, found_wrong = on_slots(times, shares, start_s=start_s, slot_s=slot_s, slots=slots)
        cleaned += found_wrong
        known = times[~np.isnan(shares)]
        if not len(known) or max(known.min() - begin_s, begin_s + span_s - known.max()) > _SHORTER * span_s:
            shorter.append(servers[number])
        there = ~np.isnan(series)
        row = frame.tenant_of[servers[number]]
        total[row, there] += series[there]
        seen[row] += there
        if number < _LOOKED_AT:
            apart.append(np.diff(np.unique(known)))
    gaps = np.concatenate(apart)
    apart_s = float(np.median(gaps)) if len(gaps) else 0.0
    with np.errstate(invalid="ignore"):
        utilisation = (total / seen).astype(np.float32)
    outages = []
    for odd in (slots_at_zero(utilisation), slots_unchanged(utilisation, slot_s)):
        begin = np.datetime64(int(start_s + int(odd[0] if len(odd) else 0) * slot_s), "s")
        outages.append(
            f"{counted(len(odd), 'slot')} from {begin.astype('datetime64[m]')} on" if len(odd) else ""
        )
    cleaned = replace(
        cleaned,
        apart_s=apart_s,
        invalid=samples.invalid,
        shorter=tuple(shorter),
        at_zero=outages[0],
        unchanged=outages[1],
    )
    return replace(frame.datacenter(utilisation, name), slot_s=slot_s, start_s=start_s), cleaned


def _added(samples: Samples, path: Path, slot_s: float) -> Samples:
    """Records with begin and end as the use of their machine in each slot, weighted by their share of it.

    Raises:
        InputError: a record is longer than a slot.
    """
    assert samples.end_s is not None
    lasted = samples.end_s - samples.time_s
    if (longest := float(lasted.max())) > slot_s or lasted.min() < 0:
        found = f"a record of {longest:g} s"
        remedy = f"Take slots at least as long: --slot {longest:g}s"
        raise InputError("has records longer than a slot", file=path, found=found, remedy=remedy)
    slot = np.floor(samples.time_s / slot_s).astype(np.int64)
    keys, where = np.unique(np.stack([samples.server, slot]), axis=1, return_inverse=True)
    weights = np.nan_to_num(samples.share) * lasted / slot_s
    use = np.bincount(where.reshape(-1), weights=weights).astype(np.float64)
    return replace(
        samples,
        server=keys[0].astype(np.int32),
        time_s=keys[1].astype(np.float64) * slot_s,
        share=use,
        end_s=None,
    )


def _refuse_sparse(samples: int, tenants: int, slots: int, path: Path) -> None:
    """Refuse a grid of tenants and slots that hardly any sample is in: one wrong time makes it, and it fills memory."""
    if tenants * slots > max(_SPARSE * samples, _FEW_CELLS):
        found = f"{counted(samples, 'sample')} for {counted(tenants, 'tenant')} in {slots:,} slots"
        remedy = "Look for a time that is wrong, or give a longer --slot"
        raise InputError("spans too long a time for its samples", file=path, found=found, remedy=remedy)


def read_inventory(path: Path, options: Options | None = None) -> tuple[Inventory, Table]:
    """A table with columns `server` and `tenant`, and if it has them `environment` and `rack`.

    Raises:
        InputError: unreadable, without one of the first two, with a server twice, or a tenant in two environments.
    """
    table = _read(path, _INVENTORY, options)
    texts = {what: column.to_pylist() for what, column in table.columns.items()}
    servers, tenants = texts["server"], texts["tenant"]
    counts = Counter(servers)
    twice = next((each for each in servers if counts[each] > 1), None)
    if twice is not None:
        raise InputError("has a server twice", file=path, found=twice)
    environment: dict[str, str] = {}
    for tenant, own in zip(tenants, texts.get("environment", tenants), strict=True):
        if environment.setdefault(tenant, own or tenant) != (own or tenant):
            raise InputError("has a tenant in two environments", file=path, found=tenant)
    racks = zip(servers, texts.get("rack", [""] * len(servers)), strict=True)
    found = Inventory(
        dict(zip(servers, tenants, strict=True)),
        environment,
        {server: rack for server, rack in racks if rack},
        path,
    )
    return found, table


def with_reimages(
    datacenter: Datacenter, path: Path, options: Options | None = None
) -> tuple[Datacenter, int, Table]:
    """The datacenter with the wipes that a table with columns `server` and `time` lists.

    Returns:
        It, how many lines name a server that it does not have, which are left out, and the table.

    Raises:
        InputError: unreadable, too many lines without a time, no server of the samples, or all times far from theirs.
    """
    table = _read(path, _REIMAGES, options)
    number = {server: n for n, server in enumerate(datacenter.servers)}
    known = sorted(
        (time_s, number[server])
        for time_s, server in zip(
            table.columns["time"].tolist(), table.columns["server"].to_pylist(), strict=True
        )
        if server in number
    )
    if not known:
        found, allowed = table.columns["server"][0].as_py(), datacenter.servers[:_NAMED]
        raise InputError("has no wipe of a server of the samples", file=path, found=found, allowed=allowed)
    end_s = datacenter.start_s + datacenter.slots * datacenter.slot_s
    if known[-1][0] < datacenter.start_s - _FAR_S or known[0][0] > end_s + _FAR_S:
        days = np.array([known[-1][0], datacenter.start_s]).astype("datetime64[s]").astype("datetime64[D]")
        found = f"{days[0]}, and samples from {days[1]} on"
        remedy = "Convert one of the two: in wipes, numbers are seconds since 1970"
        raise InputError("has no wipe within ten years of the samples", file=path, found=found, remedy=remedy)
    reimages = Reimages(
        np.array([server for _, server in known], np.int32),
        np.array([time_s - datacenter.start_s for time_s, _ in known], np.float64),
    )
    return replace(datacenter, reimages=reimages), len(table) - len(known), table


def read_failures(path: Path, options: Options | None = None) -> tuple[Together, Table]:
    """How the failures of a table with columns `server`, `rack` and `time` come together, by rack and day.

    Args:
        path: the table; may be packed.

    Returns:
        That, and the table.

    Raises:
        InputError: unreadable, without a column, or too many lines without a server, rack or time.
    """
    table = _read(path, _FAILURES, options)
    server, rack = (np.asarray(table.columns[what].indices, np.int64) for what in ("server", "rack"))
    return together(server, rack, (table.columns["time"] // 86400).astype(np.int64)), table


class _Frame:
    """Tenants, environments and racks of servers, numbered by their names."""

    def __init__(self, servers: Sequence[str], inventory: Inventory) -> None:
        if len(servers) > _MOST_SERVERS:
            raise InputError("are too many servers", found=len(servers), allowed=f"{_MOST_SERVERS}")
        missing = [server for server in servers if server not in inventory.tenant]
        if missing:
            others = f", and {len(missing) - 1:,} more" if len(missing) > 1 else ""
            message = f"does not name every server{nearest(missing[0], inventory.tenant)}"
            allowed = f"{counted(len(inventory.tenant), 'server')}, such as {next(iter(inventory.tenant))}"
            raise InputError(message, file=inventory.path, found=f"{missing[0]}{others}", allowed=allowed)
        self.servers = servers
        owner = [inventory.tenant[server] for server in servers]
        self.tenants = sorted(set(owner))
        numbers = {tenant: n for n, tenant in enumerate(self.tenants)}
        self.tenant_of = {server: numbers[tenant] for server, tenant in zip(servers, owner, strict=True)}
        environment = [inventory.environment[tenant] for tenant in self.tenants]
        self.environments = sorted(set(environment))
        self.tenant_environment = _numbered(environment, self.environments)
        racks = [inventory.rack.get(server) for server in servers]
        self.rack = _numbered(racks, sorted({rack for rack in racks if rack is not None}))

    def datacenter(self, utilisation: np.ndarray, name: str) -> Datacenter:
        return Datacenter(
            tenants=self.tenants,
            tenant_environment=self.tenant_environment,
            environments=self.environments,
            servers=self.servers,
            server_tenant=np.array([self.tenant_of[server] for server in self.servers], np.int32),
            server_rack=self.rack,
            utilisation=utilisation,
            name=name,
        )


def _numbered(names: Sequence[str | None], order: Sequence[str]) -> Ints:
    numbers = {name: n for n, name in enumerate(order)}
    return np.array([-1 if name is None else numbers[name] for name in names], np.int32)


def _alone(servers: Sequence[str]) -> Inventory:
    own = {server: server for server in servers}
    return Inventory(own, own, {})
