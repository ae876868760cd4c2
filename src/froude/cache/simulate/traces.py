"""Block traces of others → reads and writes of volumes: blktrace's, those that are published, and plain CSV.

Sources: the traces' own descriptions (SNIA IOTTA: MSR Cambridge, FIU, SYSTOR '17, Tencent CBS; Storage Performance
Council; Alibaba block traces 2020); DiskSim's and MQSim's manuals; blkparse(1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from froude.base.columns import Column, Kind
from froude.base.dropped import Dropped
from froude.base.errors import InputError
from froude.base.forms import Form, Options
from froude.base.input_limits import check_limit
from froude.base.summary import counted
from froude.base.tables import Table, parts_of, read_table

_MOST_VOLUMES = 10_000
_LARGEST_BYTES = 1 << 30
_FARTHEST = 1 << 60
"""Byte of a volume."""
_LONGEST_NAME = 200
_SECTOR = 512
_SEVERAL = 20
"""Requests from which on more volumes than half of them mean that the column is another, such as an offset."""


def _time(*names: str, unit: float = 1.0) -> Column:
    return Column("time", names, Kind.TIME, unit=unit, least=0.0)


def _offset(*names: str, unit: int = 1) -> Column:
    return Column("offset", names, Kind.INTEGER, unit=unit, least=0, most=_FARTHEST // unit)


def _size(*names: str, unit: int = 1) -> Column:
    return Column("size", names, Kind.INTEGER, unit=unit, least=0, most=_LARGEST_BYTES // unit)


def _volume(*names: str) -> Column:
    return Column("volume", names, numbered=True)


_OP = Column("op", numbered=True, pattern="(?i)rs?|ws?|read|write")
_FLAGS, _SILENT = Column("op", numbered=True), replace(_OP, names=("IOType",), empty=True)
_BIT = replace(_OP, pattern="[01]")
_SECTORS = (_offset(unit=_SECTOR), _size(unit=_SECTOR))
_FIVE = r"\s+(?P<volume>\d+)\s+(?P<offset>\d+)\s+(?P<size>\d+)\s+(?P<op>\d+)\s*"
_QUEUED = (
    r"\s*(?P<volume>\d+,\d+)\s+\d+\s+\d+\s+(?P<time>\d+\.\d+)\s+\d+\s+Q\s+(?P<op>[A-Z]*[RW][A-Z]*)\s+"
    r"(?P<offset>\d+) \+ (?P<size>\d+)(?: .*)?"
)
_OTHER = (
    r"\s*\d+,\d+\s+\d+\s+\d+\s+\d+\.\d+\s+\d+\s+"
    r"(?:[A-PR-Za-z][A-Z]*(?:\s.*)?|Q\s+[A-Z]+(?: \[.*)?|Q\s+[A-QS-VX-Z]+\s.*)|"
    r"CPU\d+ \(.*|Total \(.*|[A-Z][a-z]+ \(.*|Skips: .*|Input file .*|\s+[A-Za-z].*"
)
"""What blkparse prints of other actions, and its summary."""
_SPC = (
    r"\s*(?P<volume>\d+)\s*,\s*(?P<offset>\d+)\s*,\s*(?P<size>\d+)\s*,\s*(?P<op>[rRwW])\s*,"
    r"\s*(?P<time>\d*\.?\d+(?:[eE][+-]?\d+)?)\s*(?:,.*)?"
)
_FIU = (
    r"(?P<time>\d+)\s+\d+\s+.*?\s+(?P<offset>\d+)\s+(?P<size>\d+)\s+(?P<op>[RrWw])\s+(?P<major>\d+)\s+(?P<volume>\d+)"
    r"(?:\s+\S+)?\s*"
)


@dataclass(frozen=True, slots=True)
class Layout:
    """A form, and what its operations and volumes mean."""

    form: Form
    reads: Callable[[str], bool] = lambda op: op[0] in "rR"
    """Whether an operation is a read; else it is a write."""
    above: str = ""
    """Column that names what the volume is a part of."""


LAYOUTS = {
    layout.form.name: layout
    for layout in (
        Layout(
            Form(
                "msr",
                (
                    _time("Timestamp", unit=1e-7), Column("host", ("Hostname",), numbered=True), _volume("DiskNumber"),
                    replace(_OP, names=("Type",)), _offset("Offset"), _size("Size"),
                ),
                order=("time", "host", "volume", "op", "offset", "size", ""),
            ),
            above="host",
        ),
        Layout(
            Form(
                "systor17",
                (
                    _time("Timestamp"), _volume("LUN"), _SILENT, replace(_offset("Offset"), empty=True),
                    replace(_size("Size"), empty=True), Column("response", ("Response",), numbered=True, empty=True),
                ),
            )
        ),
        Layout(
            Form(
                "alibaba",
                (_time("timestamp", unit=1e-6), _volume("device_id"), replace(_OP, names=("opcode",)), _offset("offset"),
                 _size("length")),
                order=("volume", "op", "offset", "size", "time"),
            )
        ),
        Layout(
            Form(
                "tencent",
                (
                    _time("Timestamp"), replace(_BIT, names=("IOType",)), _volume("VolumeID"),
                    _offset("Offset", unit=_SECTOR), _size("Size", unit=_SECTOR),
                ),
                order=("time", "offset", "size", "op", "volume"),
            ),
            lambda op: op == "0",
        ),
        Layout(Form("spc", (_time(), _volume(), _OP, _offset(unit=_SECTOR), _size()), pattern=_SPC)),
        Layout(Form("mqsim", (_time(unit=1e-9), _volume(), _BIT, *_SECTORS), pattern=rf"\s*(?P<time>\d+){_FIVE}"),
               lambda op: op == "1"),
        Layout(
            Form("disksim", (_time(unit=1e-3), _volume(), _FLAGS, *_SECTORS), pattern=rf"\s*(?P<time>\d*\.?\d+){_FIVE}"),
            lambda op: bool(int(op) & 1),
        ),
        Layout(
            Form("fiu", (_time(unit=1e-9), Column("major", numbered=True), _volume(), _OP, *_SECTORS), pattern=_FIU),
            above="major",
        ),
        Layout(
            Form("blkparse", (_time(), _volume(), _FLAGS, *_SECTORS), pattern=_QUEUED, ignored=_OTHER),
            lambda op: "R" in op,
        ),
        Layout(
            Form(
                "csv",
                (
                    _time("time", "timestamp", "time_s"), _volume("volume", "device", "disk", "lun", "vm"),
                    _offset("offset", "offset_bytes"), _size("size", "length", "bytes"),
                    replace(_OP, names=("op", "type", "operation", "opcode", "rw", "iotype")),
                ),
            )
        ),
    )
}  # fmt: skip
"""By name, the more special first."""


class Request(NamedTuple):
    """One read or write."""

    time_s: float
    volume: str
    offset: int
    """In bytes."""
    size: int
    """In bytes, 1 or more."""
    read: bool


@dataclass(frozen=True, slots=True)
class BlockTrace:
    """Requests in the order of their times."""

    requests: tuple[Request, ...]
    volumes: tuple[str, ...]
    """In the order of their first request."""
    dropped: Dropped = field(default_factory=Dropped)
    """Lines that are left out."""
    remarks: tuple[str, ...] = ()
    """What was taken to be, and might be otherwise."""
    understood: tuple[str, ...] = ()
    """Layouts of the files, each once, with their columns."""

    @property
    def duration_s(self) -> float:
        """From the first request to the last."""
        return self.requests[-1].time_s - self.requests[0].time_s


def read_traces(paths: Iterable[Path], options: Options | None = None) -> BlockTrace:
    """Read block traces as one.

    Volumes of the same name in several files are the same, unless they have requests at the same times: recordings that
    each begin at 0 do not show what came first, and become volumes side by side.

    Args:
        paths: files, or folders of files.
        options: layout, columns and style, where they are to be given.

    Raises:
        InputError: unreadable, not of a known layout, with too many lines left out, empty, or too large.
    """
    options = options or Options()
    files = parts_of(paths)
    requests: list[Request] = []
    spans: dict[str, list[tuple[float, float]]] = {}
    dropped, remarks, understood = Dropped(), [], []
    names: set[str] = set()
    for path in files:
        own = str(path) if path.name in names else path.name
        names.add(path.name)
        table = read_table(path, [layout.form for layout in LAYOUTS.values()], options, empty=True)
        mine, silent = _requests(table, options)
        understood.append(table.understood)
        dropped += table.dropped
        if silent:
            remarks.append(f"{path}: {counted(silent, 'line')} without an operation, left out")
        found = _spans(mine) if len(files) > 1 else {}
        doubled = {name for name, span in found.items() if _meets(span, spans.get(name, []))}
        for name, span in found.items():
            spans.setdefault(f"{own}:{name}" if name in doubled else name, []).append(span)
        if doubled:
            many = f"{counted(len(doubled), 'volume')}, such as {min(doubled)}"
            remarks.append(
                f"{path}: has requests of {many}, at the same times as an earlier file: they count as others"
            )
            mine = [
                each._replace(volume=f"{own}:{each.volume}") if each.volume in doubled else each
                for each in mine
            ]
        requests += mine
        check_limit("rows", len(requests), file=path)
    if not requests:
        allowed = "reads and writes; of blkparse those that were queued (Q)"
        raise InputError("has no requests", file=", ".join(map(str, files)) or None, allowed=allowed)
    requests.sort(key=lambda request: request.time_s)
    volumes = tuple(dict.fromkeys(each.volume for each in requests))
    if len(volumes) > _MOST_VOLUMES:
        raise InputError("has too many volumes", file=files[0], allowed=f"{_MOST_VOLUMES:,} volumes")
    if len(requests) >= _SEVERAL and 2 * len(volumes) > len(requests):
        number = f"{len(volumes):,} volumes in {len(requests):,} requests"
        raise InputError("has another column for its volume", file=files[0], found=number)
    return BlockTrace(tuple(requests), volumes, dropped, tuple(remarks), tuple(dict.fromkeys(understood)))


def _requests(table: Table, options: Options) -> tuple[list[Request], int]:
    """The requests of a file, and how many lines have no operation."""
    layout, columns = LAYOUTS[table.form.name], table.columns
    if not len(table):
        return [], 0
    ops = columns["op"].dictionary.to_pylist()
    codes = np.asarray(columns["op"].indices)
    silent = np.array([not op for op in ops])[codes]
    names = _volumes(columns, layout.above)
    odd = np.array(
        [len(name) > _LONGEST_NAME or not name.isprintable() for name in names.dictionary.to_pylist()]
    )
    keep = ~silent
    for wrong, reason in (
        (columns["size"] < 1, "size is 0"),
        (columns["time"] < 0, "time is below 0"),
        (odd[np.asarray(names.indices)], "not the name of a volume"),
    ):
        new = wrong & keep
        if new.any():
            row = int(np.argmax(new))
            table.dropped.add(reason, f"{table.path}:{table.lines[row]}", count=int(new.sum()))
            keep &= ~wrong
    table.dropped.refuse(table.path, len(table) + table.dropped.total, strict=options.strict)
    reads = np.array([bool(op) and layout.reads(op) for op in ops])[codes]
    kept = names.filter(pa.array(keep)).to_pylist()
    rows: list[npt.NDArray[Any]] = [columns["time"], columns["offset"], columns["size"], reads]
    time, offset, size, read = (each[keep].tolist() for each in rows)
    return list(map(Request._make, zip(time, kept, offset, size, read, strict=True))), int(silent.sum())


def _volumes(columns: Mapping[str, Any], above: str) -> Any:
    """Names of volumes, by what they are a part of where the layout has it; a dictionary array."""
    volume = columns["volume"]
    if not above:
        return volume
    joined = pa.compute.binary_join_element_wise(
        columns[above].cast(pa.string()), volume.cast(pa.string()), "."
    )
    return joined.dictionary_encode()


def _spans(requests: Iterable[Request]) -> dict[str, tuple[float, float]]:
    """By volume from the first request to the last."""
    found: dict[str, tuple[float, float]] = {}
    for request in requests:
        begin, end = found.get(request.volume, (request.time_s, request.time_s))
        found[request.volume] = min(begin, request.time_s), max(end, request.time_s)
    return found


def _meets(span: tuple[float, float], others: Iterable[tuple[float, float]]) -> bool:
    return any(span[0] < end and begin < span[1] for begin, end in others)
