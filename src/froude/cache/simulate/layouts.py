"""Layouts of block traces: blktrace's and fio's, those that are published, and plain CSV.

Sources: the traces' own descriptions (SNIA IOTTA: MSR Cambridge, FIU, SYSTOR '17, Tencent CBS; Storage Performance
Council; Alibaba block traces 2020); DiskSim's and MQSim's manuals; blkparse(1); fio's iolog.c.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from froude.base.columns import Column, Kind
from froude.base.forms import Form

_LARGEST_BYTES = 1 << 30
_FARTHEST = 1 << 60
"""Byte of a volume."""
SECTOR = 512
"""Bytes."""


def _time(*names: str, unit: float = 1.0) -> Column:
    return Column("time", names, Kind.TIME, unit=unit, least=0.0)


def _offset(*names: str, unit: float = 1) -> Column:
    return Column("offset", names, Kind.INTEGER, unit=unit, least=0, most=_FARTHEST // unit)


def _size(*names: str, unit: float = 1) -> Column:
    return Column("size", names, Kind.INTEGER, unit=unit, least=0, most=_LARGEST_BYTES // unit)


def _volume(*names: str) -> Column:
    return Column("volume", names, numbered=True)


DISCARD = re.compile(r"(?i)d[as]*|f[ns]*|n|discards?|trims?|unmaps?|flush(?:es)?|f?sync")
"""Operations that move no data."""
USUAL_SCSI = (0x28, 0x2A, 0x88, 0x8A)
"""Commands of SCSI that nearly all requests are: READ and WRITE of 10 and 16 bytes."""
SCSI = dict(zip((*USUAL_SCSI, 0x08, 0x0A, 0xA8, 0xAA), ("read", "write") * 4, strict=True))
SCSI |= {0x35: "flush", 0x91: "flush", 0x42: "unmap"}
"""Operations by their commands of SCSI."""
_OP = Column("op", numbered=True, pattern="(?i)rs?|ws?|read|write")
_FLAGS, _SILENT = Column("op", numbered=True), replace(_OP, names=("IOType",), empty=True)
_BIT = replace(_OP, pattern="[01]")
_SECTORS = (_offset(unit=SECTOR), _size(unit=SECTOR))
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
    r"\s*(?P<volume>\d+)\s*[,;]\s*(?P<offset>\d+)\s*[,;]\s*(?P<size>\d+)\s*[,;]\s*(?P<op>[rRwW])\s*[,;]"
    r"\s*(?P<time>\d*\.?\d+(?:[eE][+-]?\d+)?)\s*(?:[,;].*)?"
)
_FIU = (
    r"(?P<time>\d+)\s+\d+\s+.*?\s+(?P<offset>\d+)\s+(?P<size>\d+)\s+(?P<op>[RrWw])"
    r"(?:\s+(?P<major>\d+)\s+(?P<volume>\d+)(?:\s+\S+)?)?\s*"
)
_FIO = r"(?P<time>\d+)\s+(?P<volume>\S+)\s+(?P<op>read|write)\s+(?P<offset>\d+)\s+(?P<size>\d+)\s*"
_FIO_OTHER = (
    r"fio version 3 iolog\s*|\d+\s+\S+\s+(?:add|open|close|trim|sync|datasync|sync_file_range|wait)\b.*"
)
_MSR = (_time("Timestamp", unit=1e-7), _volume("DiskNumber"), _offset("Offset"), _size("Size"))
_TYPE = replace(_OP, names=("Type",))
_MSR_HOST = (*_MSR, Column("host", ("Hostname",), numbered=True), _TYPE)
QUANTITIES = {
    "time": (_time, 1.0, "time timestamp ts"),
    "time_s": (_time, 1.0, "time_s timestamp_s time(s)"),
    "time_ms": (_time, 1e-3, "time_ms timestamp_ms time(ms)"),
    "time_us": (_time, 1e-6, "time_us timestamp_us time(us)"),
    "time_ns": (_time, 1e-9, "time_ns timestamp_ns"),
    "offset": (_offset, 1, "offset"),
    "offset_bytes": (_offset, 1, "offset_bytes byte_offset offset_b"),
    "offset_kb": (_offset, 1024, "offset_kb offset_kib"),
    "offset_sectors": (_offset, SECTOR, "offset_sectors sector_offset start_sector sector lba"),
    "size": (_size, 1, "size length len"),
    "size_bytes": (_size, 1, "size_bytes size_b length_bytes bytes nbytes"),
    "size_kb": (_size, 1024, "size_kb size_kib length_kb kb kib"),
    "size_sectors": (_size, SECTOR, "size_sectors length_sectors sectors sector_count nr_sectors nr_sector"),
}
"""Columns of a csv by what they are and their unit, in base units, with their names; a table has one of each kind."""
_VOLUMES = ("volume", "device", "disk", "lun", "vm", "dev")
_CSV = (
    *(
        replace(column(*names.split(), unit=unit), what=what, needed=False)
        for what, (column, unit, names) in QUANTITIES.items()
    ),
    Column("host", ("host", "hostname", "server", "node"), needed=False, empty=True, numbered=True),
    Column(
        "volume", (*_VOLUMES, *(f"{name}_id" for name in _VOLUMES), "asu"), needed=False, numbered=True
    ),
    Column(
        "op", ("op", "type", "operation", "opcode", "rw", "iotype", "io_type", "rwbs", "t"), numbered=True,
        pattern=r"(?i)f?[rw][afms]*|rd|wr|(?:disk|rand|op_|irp_mj_)?(?:read|write)s?(?:[_ ]?\(?(?:6|10|12|16)\)?)?|"
        r"\d{1,3}|0x[0-9a-f]{1,4}|" + DISCARD.pattern.removeprefix("(?i)"),
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Layout:
    """A form, and what its operations and volumes mean."""

    form: Form
    reads: Callable[[str], bool] = lambda op: op[0] in "rR"
    """Whether an operation is a read; else it is a write."""
    above: str = ""
    """Column that names what the volume is a part of, if it is there."""


LAYOUTS = {
    layout.form.name: layout
    for layout in (
        Layout(Form("msr", _MSR_HOST, order=("time", "host", "volume", "op", "offset", "size", "")), above="host"),
        Layout(
            Form("msr-without-response", _MSR_HOST, order=("time", "host", "volume", "op", "offset", "size")),
            above="host",
        ),
        Layout(
            Form(
                "msr-without-host",
                (*_MSR, replace(_TYPE, pattern="(?i)read|write")),  # with letters it may be of SYSTOR '17
                order=("time", "volume", "op", "offset", "size", ""),
            )
        ),
        Layout(
            Form(
                "systor17",
                (
                    _time("Timestamp"), _volume("LUN"), _SILENT, replace(_offset("Offset"), empty=True),
                    replace(_size("Size"), empty=True), Column("response", ("Response",), numbered=True, empty=True),
                ),
                order=("time", "response", "op", "volume", "offset", "size"),
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
                    _offset("Offset", unit=SECTOR), _size("Size", unit=SECTOR),
                ),
                order=("time", "offset", "size", "op", "volume"),
            ),
            lambda op: op == "0",
        ),
        Layout(
            Form("spc", (_time(), _volume(), _OP, _offset(unit=SECTOR), _size()), pattern=_SPC)
        ),
        Layout(Form("mqsim", (_time(unit=1e-9), _volume(), _BIT, *_SECTORS), pattern=rf"\s*(?P<time>\d+){_FIVE}"),
               lambda op: op == "1"),
        Layout(
            Form("disksim", (_time(unit=1e-3), _volume(), _FLAGS, *_SECTORS), pattern=rf"\s*(?P<time>\d*\.?\d+){_FIVE}"),
            lambda op: bool(int(op) & 1),
        ),
        Layout(
            Form(
                "fiu",
                (_time(unit=1e-9), replace(_volume(), what="major", empty=True), replace(_volume(), empty=True), _OP,
                 *_SECTORS),
                pattern=_FIU,
            ),
            above="major",
        ),
        Layout(
            Form("fio", (_time(unit=1e-6), _volume(), _OP, _offset(), _size()), pattern=_FIO, ignored=_FIO_OTHER)
        ),
        Layout(
            Form("blkparse", (_time(), _volume(), _FLAGS, *_SECTORS), pattern=_QUEUED, ignored=_OTHER),
            lambda op: "R" in op,
        ),
        Layout(Form("csv", _CSV), lambda op: "w" not in op.lower(), above="host"),
    )
}  # fmt: skip
"""By name, the more special first."""
