"""A Datacenter as a folder: Parquet tables, and `meta.yaml`, which a person can read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from froude.base.errors import InputError
from froude.base.files import atomic_folder, atomic_write_text, create_file, open_regular
from froude.documents.artifact import Lineage, Origin, check_files, hash_files
from froude.documents.lineage import dump_sealed, lineage_of, open_document
from froude.documents.migrate import Migrations
from froude.documents.reading import Section
from froude.harvest.telemetry.datacenter import Datacenter, Reimages, Shares

META = "meta.yaml"
MIGRATIONS = Migrations("datacenter", 1)
TENANTS, SERVERS, UTILISATION, REIMAGES = (
    f"{name}.parquet" for name in ("tenants", "servers", "utilisation", "reimages")
)
_TABLES = (TENANTS, SERVERS, UTILISATION, REIMAGES)
PARTS = (META, *_TABLES)
"""All that such a folder holds."""
_REMEDY = "Make it again: `froude harvest generate` or `froude harvest import`"
_TRUTH = "truth_"
"""Columns of what only a generator knows."""


def write_datacenter(folder: Path, datacenter: Datacenter, origin: Origin | None = None) -> Lineage:
    """Write a datacenter, whole or not at all.

    Args:
        folder: the folder to make; one of a datacenter that is there is replaced.

    Returns:
        Its lineage.

    Raises:
        InputError: the folder holds anything else.
        MissingError: no space, or no right to write there.
    """
    origin = origin or Origin()
    with atomic_folder(folder, replaces=PARTS) as beside:
        for name, table in _tables(datacenter).items():
            with create_file(beside / name) as sink:
                pq.write_table(table, sink, compression="zstd", row_group_size=_rows(name))
        fields: dict[str, Any] = {
            "name": datacenter.name,
            "tenants": len(datacenter.tenants),
            "servers": len(datacenter.servers),
            "slots": datacenter.slots,
            "slot_s": datacenter.slot_s,
            "start_s": datacenter.start_s,
            "cores": datacenter.cores,
            "memory_mb": datacenter.memory_mb,
            "environments": list(datacenter.environments),
            "files": hash_files(beside, _TABLES),
        }
        lineage = lineage_of(MIGRATIONS, fields, origin)
        atomic_write_text(beside / META, dump_sealed(MIGRATIONS, fields, lineage, origin.tags))
    return lineage


def read_datacenter(place: Path | str) -> Datacenter:
    """Read a datacenter.

    Raises:
        ChangedError: edited or damaged since it was written.
        InputError: no such folder, or one of a newer Froude.
    """
    folder = Path(place)
    if folder.is_file():
        raise InputError(
            "is a file", file=folder, allowed="a datacenter's folder",
            remedy="`froude harvest import` makes one of a table of samples",
        )  # fmt: skip
    document = open_document(folder / META, MIGRATIONS)
    document.check()
    root = document.root
    check_files(folder, root.section("files"), _REMEDY)
    tables = {name: _read(folder / name) for name in _TABLES}
    try:
        return _datacenter(root, tables)
    except (KeyError, ValueError, TypeError, OverflowError, pa.ArrowException) as error:
        raise InputError(
            "its tables are of no datacenter", file=folder, found=error, remedy=_REMEDY
        ) from error


def _rows(name: str) -> int:
    return 64 if name == UTILISATION else 1 << 20


def _tables(datacenter: Datacenter) -> dict[str, pa.Table]:
    series = datacenter.utilisation
    flat = pa.array(np.ascontiguousarray(series).reshape(-1), pa.float32())
    starts = pa.array(np.arange(len(series) + 1, dtype=np.int64) * datacenter.slots, pa.int64())
    reimages = datacenter.reimages
    truth = {_TRUTH + name: values for name, values in datacenter.truth.items()}
    return {
        TENANTS: pa.table(
            {"tenant": datacenter.tenants, "environment": datacenter.tenant_environment, **truth}
        ),
        SERVERS: pa.table(
            {
                "server": datacenter.servers,
                "tenant": datacenter.server_tenant,
                "rack": datacenter.server_rack,
            }
        ),
        UTILISATION: pa.table({"share": pa.LargeListArray.from_arrays(starts, flat)}),
        REIMAGES: pa.table({"server": reimages.server, "time_s": reimages.time_s}),
    }


def _read(path: Path) -> pa.Table:
    with open_regular(path) as file:
        try:
            return pq.read_table(file)
        except (OSError, pa.ArrowException) as error:
            raise InputError("cannot be read", file=path, found=" ".join(str(error).split())) from error


def _datacenter(root: Section, tables: dict[str, pa.Table]) -> Datacenter:
    tenants, servers = tables[TENANTS], tables[SERVERS]
    environments = tuple(map(str, root.items("environments")))
    slots = root.value("slots", int)
    found = Datacenter(
        tenants=[str(name) for name in tenants["tenant"].to_pylist()],
        tenant_environment=_column(tenants, "environment", np.int32),
        environments=environments,
        servers=[str(name) for name in servers["server"].to_pylist()],
        server_tenant=_column(servers, "tenant", np.int32),
        server_rack=_column(servers, "rack", np.int32),
        utilisation=_series(tables[UTILISATION], slots),
        slot_s=root.value("slot_s", float),
        start_s=root.value("start_s", float),
        cores=root.value("cores", int),
        memory_mb=root.value("memory_mb", int),
        reimages=Reimages(
            _column(tables[REIMAGES], "server", np.int32), _column(tables[REIMAGES], "time_s", np.float64)
        ),
        name=root.value("name", str),
        truth={
            name.removeprefix(_TRUTH): tenants[name].to_numpy()
            for name in tenants.column_names
            if name.startswith(_TRUTH)
        },
    )
    if (len(found.tenants), len(found.servers)) != (root.value("tenants", int), root.value("servers", int)):
        raise ValueError("other numbers of tenants or servers than meta.yaml says")
    root.finish()
    return found


def _column(table: pa.Table, name: str, kind: npt.DTypeLike) -> npt.NDArray[Any]:
    values = table[name].to_numpy()
    with np.errstate(invalid="ignore"):
        found = np.ascontiguousarray(values, dtype=kind)
    if kind == np.int32 and not np.array_equal(found, values):
        raise ValueError(f"{name} has a number that is out of range")
    return found


def _series(table: pa.Table, slots: int) -> Shares:
    values = np.asarray(pc.list_flatten(table["share"]), dtype=np.float32)
    return values.reshape(table.num_rows, slots)
