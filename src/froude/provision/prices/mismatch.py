"""What of tables and rates does not belong together: it is said, since nothing else would show it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatchcase

from froude.base.errors import InputError
from froude.provision.prices.layouts import Prices
from froude.provision.prices.parts import MEMORY, Notes
from froude.provision.prices.rates import Rates
from froude.provision.prices.volumes import BUS
from froude.provision.types import Server, StorageUnit

_EC2_VOLUMES = frozenset({"gp2", "gp3", "io1", "io2", "st1", "sc1", "standard"})
_GCP_VOLUMES = frozenset({"balanced", "ssd", "hdd", "extreme", "pd-balanced", "pd-ssd", "pd-standard"})


def unmatched(own: Rates, rates: Rates, prices: Prices) -> list[str]:
    """Entries of the user's rates that fit nothing of the tables.

    Args:
        own: without the rates that ship, which know more than any table has.
        rates: all together: a class may have its price from another file.
        prices: of all tables, also what the filters leave out.
    """
    types = [instance.name for instance in prices.instances]
    patterns = [("type", entry.name) for entry in own.types]
    patterns += [("nvme", pattern) for entry in own.nvme for pattern in entry.types]
    idle = [f"{tag} {p}" for tag, p in patterns if types and not any(fnmatchcase(n, p) for n in types)]
    bought = {volume.name for volume in prices.volumes}
    bought |= {v.name for v in rates.volumes if types and v.price_per_gib_month is not None}
    models = {disk.model for disk in prices.disks}
    idle += [f"volume {volume.name}" for volume in own.volumes if volume.name not in bought]
    return idle + [f"disk {disk.model}" for disk in own.disks if disk.model not in models]


def distinct(prices: Prices) -> None:
    """Refuse what several tables sell, each at a price of its own.

    Args:
        prices: of all tables; in one table names are distinct.

    Raises:
        InputError: with the first such name.
    """
    kinds = {
        "type": [instance.name for instance in prices.instances],
        "volume": [volume.name for volume in prices.volumes],
        "disk": [disk.model for disk in prices.disks],
    }
    for kind, names in kinds.items():
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            more = f" (and {len(twice) - 1:,} more)" if len(twice) > 1 else ""
            raise InputError(
                "stands in several tables", place=f"{kind} {twice[0]}{more}", allowed="a row in one of them"
            )


def note_mismatch(units: Sequence[StorageUnit], servers: Sequence[Server], notes: Notes) -> None:
    """Volumes of one provider at servers of another, and local disks that would be taken for memory."""
    attached = {
        "." in server.name for server in servers if server.bus(BUS)
    }  # as in m5.large, not n2-standard-4
    elsewhere = (_GCP_VOLUMES if True in attached else frozenset()) | (
        _EC2_VOLUMES if False in attached else frozenset()
    )
    classes = dict.fromkeys(unit.name.split(maxsplit=1)[0] for unit in units if unit.bus == BUS)
    notes.add(
        [name for name in classes if name in elsewhere],
        "classes of volumes of another provider than servers that they can be attached to: import one at a time",
    )
    speed = {u.name: (u.gap_r + u.gap_w, -u.rate_r - u.rate_w, u.name) for u in units if u.volatile}
    as_fast = [name for name in speed if MEMORY in speed and name != MEMORY and speed[name] < speed[MEMORY]]
    notes.add(as_fast, "local disks as fast as memory: say options {memory_unit: memory} in your inputs")
