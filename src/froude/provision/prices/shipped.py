"""Prices that ship with the package: Amazon's instance types that HDFS is run on, with their disks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from froude.provision.prices.build import Imported, build
from froude.provision.prices.files import date_of, load_rates, load_table
from froude.provision.prices.rates import SOURCED
from froude.provision.prices.request import Wanted
from froude.provision.prices.rows import read_prices

_TYPES = SOURCED / "ec2-hdfs_2026-07_us-east-1.csv"
_RATES = SOURCED / "aws.yaml"


def hdfs_instances() -> tuple[Imported, tuple[Path, ...], str]:
    """Instance types with disks of their own, without attached volumes; the files that they are from; and a remark."""
    date = date_of([_TYPES], None)
    rates = replace(load_rates([_RATES]), volumes=())
    imported = build(read_prices(load_table(_TYPES)), rates, Wanted(date))
    families = ", ".join(dict.fromkeys(server.name.partition(".")[0] for server in imported.servers))
    remark = (
        f"prices of EC2's {families}, Linux, on demand in us-east-1, as of {date}, for three years; rates of their "
        f"disks with sources in {_RATES.name}; import your own: froude provision import"
    )
    return imported, (_TYPES, _RATES), remark
