"""Block traces of others, in any of `LAYOUTS`, → reads and writes of volumes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from froude.base.dates import FIRST_S, TIME_UNITS, other_times
from froude.base.dropped import OF_ANOTHER_KIND, Dropped
from froude.base.errors import InputError
from froude.base.forms import Options
from froude.base.input_limits import check_limit
from froude.base.summary import counted
from froude.base.tables import Table, head_of, parts_of, read_table, refuse_known
from froude.base.units import seconds_text
from froude.cache.simulate.layouts import DISCARD, LAYOUTS, QUANTITIES, SCSI, SECTOR, USUAL_SCSI

_MOST_VOLUMES = 10_000
_LONGEST_NAME = 200
_SEVERAL = 20
"""Requests from which on more volumes than half of them mean that the column is another, such as an offset."""
_APART_S = 1e-5
"""Mean time between requests below which times may be of the larger unit of `_ALIKE`."""
_SLOW_S = 1.0
"""Likewise of seconds, which is noted; refused of spc with at most three decimals, which is published with more."""
_FAR_APART_S = 60.0
"""Mean time between requests from which on times of a csv without a unit may be of a smaller one than seconds, unless
they are from 1990 on."""
_FARTHEST = 64 << 40
"""Byte from which on addresses in sectors are rather of bytes, except those of blkparse."""
_ALIKE = {
    "mqsim": "mqsim (nanoseconds) or disksim (milliseconds)",
    "alibaba": "microseconds, as of alibaba, or --date-format s, ms or ns",
    **dict.fromkeys(
        ("msr", "msr-without-response", "msr-without-host"),
        "100 ns, as of msr, or --date-format s, ms, us or ns",
    ),
}
"""By layout, the units that its times may be of."""
_UNALIGNED = 0.1
"""Share of offsets within a sector from which on they are not bytes, where all sizes are whole sectors."""
_BACK = 0.01
"""Share of a trace's time by which the times of a volume may go back before it is noted."""
_SCSI_CODE = re.compile("0[xX][0-9a-fA-F]{1,2}|[0-9]{1,3}")
_NOT_READ = {
    rb"\x07tae|eat\x07": ("is a binary trace of blktrace", "Print its requests: blkparse -i FILE"),
    rb"\d+, \d+, [0-2], \d{3,}, ": (
        "is a log of fio's latencies or rates",
        "Write its requests: --write_iolog",
    ),
    rb"Linux \S+ \(": ("is what iostat or sar prints", "Record the requests: blktrace, or biosnoop"),
    rb"fio version 2 iolog": ("is an iolog of fio without times", "Write it with a fio of iolog version 3"),
}
"""Regular expressions of the first bytes of what is known and not read: what it is, and what to do."""
_WITH_BLANKS = {
    rb"\d{17,18} +\S+ +\d+ +(?:Read|Write) ": (
        "may be of msr with blanks",
        "Say so: --layout msr --separator blanks",
    ),
    rb"\d{10}(?:\.\d+)? +\d+ +\d+ +[01] +\d\d+\s": (
        "may be of tencent with blanks, mqsim or disksim",
        "Name its layout: --layout tencent --separator blanks, or --layout mqsim or disksim",
    ),
}
"""Likewise of what is read only where its layout or separator is given."""
_HEAD_BYTES = 200


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


def read_traces(paths: Iterable[Path | str], options: Options | None = None, *, read: str = "") -> BlockTrace:
    """Read block traces as one.

    Volumes of the same name in several files are the same, unless they have requests at the same times: recordings that
    each begin at 0 do not show what came first, and become volumes side by side.

    Args:
        paths: files, or folders of files.
        options: layout, columns and style, where they are to be given.
        read: the value of a csv's operations that is a read, where they are numbers; empty where they are words.

    Raises:
        InputError: unreadable, not of a known layout, with too many lines left out, empty, or too large.
    """
    options = options or Options()
    files = parts_of(map(Path, paths))
    requests: list[Request] = []
    spans: dict[str, list[tuple[float, float]]] = {}
    seen: dict[int, Path] = {}
    dropped, remarks, understood = Dropped(), [], []
    names: set[str] = set()
    for path in files:
        own = str(path) if path.name in names else path.name
        names.add(path.name)
        known = _NOT_READ if options.layout or options.separator else _NOT_READ | _WITH_BLANKS
        refuse_known(path, head_of(path, _HEAD_BYTES), known)
        table = read_table(path, [layout.form for layout in LAYOUTS.values()], options, empty=True)
        mine, silent, back_s = _requests(table, options, read)
        if len(files) > 1:
            _refuse_copy(path, mine, seen)
        understood += [table.understood] if table.columns else []
        dropped += table.dropped
        remarks += _remarks(table, options, mine, silent, back_s)
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
        remedy = "Name the column of its volumes: --column volume=NAME"
        raise InputError("has another column for its volume", file=files[0], found=number, remedy=remedy)
    return BlockTrace(tuple(requests), volumes, dropped, tuple(remarks), tuple(dict.fromkeys(understood)))


def _remarks(
    table: Table, options: Options, requests: Sequence[Request], silent: int, back_s: float
) -> list[str]:
    """What a file was taken to be, and might be otherwise."""
    found = [] if table.columns else ["has no line: left out"]
    if table.columns and "volume" not in table.columns:
        found.append("has no column of the volume, which --column volume=NAME names: taken as one")
    if silent:
        found.append(f"{counted(silent, 'line')} without an operation, left out")
    if _of_sectors(table, "size") and requests and not any(each.size % SECTOR**2 for each in requests):
        found.append(f"sizes are multiples of {SECTOR}: taken as sectors, not bytes")
    if _slow(table, options, times := [each.time_s for each in requests]):
        span = f"{counted(len(times), 'request')} in {seconds_text(max(times) - min(times))}"
        found.append(f"times are taken as seconds, {span}: --date-format ms if not")
    if back_s:
        found.append(f"times of a volume go back by up to {seconds_text(back_s)}: sorted by time")
    return [f"{table.path}: {text}" for text in found]


def _refuse_copy(path: Path, requests: list[Request], seen: dict[int, Path]) -> None:
    """Refuse a file that is there twice, such as plain and packed: its requests would be of other volumes."""
    own = hash(tuple((each.time_s, each.offset, each.size) for each in requests))
    if len(requests) >= _SEVERAL and (other := seen.setdefault(own, path)) is not path:
        remedy = "Leave out one of them"
        raise InputError("has the requests of another file", file=path, found=other, remedy=remedy)


def _requests(table: Table, options: Options, read: str) -> tuple[list[Request], int, float]:
    """The requests of a file, how many lines have no operation, and by how many seconds times go back."""
    if not len(table):
        return [], 0, 0.0
    columns = _one_of_each(table, options)
    ops = _words(columns["op"].dictionary.to_pylist()) if not read else columns["op"].dictionary.to_pylist()
    codes = np.asarray(columns["op"].indices)
    silent = np.array([not op for op in ops])[codes]
    names = _volumes(table)
    volumes = np.asarray(names.indices)
    odd = np.array(
        [len(name) > _LONGEST_NAME or not name.isprintable() for name in names.dictionary.to_pylist()]
    )
    discards = np.array([DISCARD.fullmatch(op) is not None for op in ops])[codes]
    keep, lines = ~silent, len(table) + table.dropped.total
    wrong = (
        (discards, OF_ANOTHER_KIND),
        (columns["size"] < 1, "size is 0"),
        (columns["time"] < 0, "time is below 0"),
        (odd[volumes], "not the name of a volume"),
    )
    table.dropped.without(
        keep,
        wrong,
        lambda row: f"{table.path}:{table.lines[row]}",
        lambda row: "a discard or a flush" * bool(discards[row]),
    )
    table.dropped.refuse(table.path, lines, strict=options.strict)
    if not keep.any():
        return [], int(silent.sum()), 0.0
    _refuse_doubtful(table, options, columns, keep)
    reads = _reads(table, [op for op in ops if op and not DISCARD.fullmatch(op)], read)
    is_read = np.array([op in reads for op in ops])[codes]
    kept = names.filter(pa.array(keep)).to_pylist()
    rows: list[npt.NDArray[Any]] = [columns["time"], columns["offset"], columns["size"], is_read]
    time, offset, size, read_ = (each[keep].tolist() for each in rows)
    requests = list(map(Request._make, zip(time, kept, offset, size, read_, strict=True)))
    return requests, int(silent.sum()), _back_s(columns["time"][keep], volumes[keep])


def _one_of_each(table: Table, options: Options) -> dict[str, Any]:
    """Columns by what they are, without the units that a csv names."""
    columns = dict(table.columns)
    for what in ("time", "offset", "size"):
        found = [name for name in table.columns if name.partition("_")[0] == what]
        found = [name for name in found if name in options.columns] or found
        if len(found) != 1:
            message = f"has several columns of the {what}" if found else f"has no column {what}"
            raise _in_doubt(table, what, message, table.understood)
        columns[what] = table.columns[found[0]]
    return columns


def _in_doubt(table: Table, what: str, message: str, found: str) -> InputError:
    flags = " or ".join(f"--column {name}=NAME" for name in QUANTITIES if name.startswith(f"{what}_"))
    return InputError(message, file=table.path, found=found, remedy=f"Name it, or its number from 0: {flags}")


def _words(ops: list[str]) -> list[str]:
    """Operations in words, where all are numbers of commands of SCSI, with a usual read or write among them."""
    if not all(_SCSI_CODE.fullmatch(op) for op in ops):
        return ops
    codes = [int(op, 16 if op[1:2] in "xX" else 10) for op in ops]
    usual = set(codes) <= SCSI.keys() and any(code in USUAL_SCSI for code in codes)
    return [SCSI[code] for code in codes] if usual else ops


def _reads(table: Table, ops: list[str], read: str) -> set[str]:
    """Operations that are reads."""
    if not (read or (table.form.name == "csv" and any(op[0].isdigit() for op in ops))):
        return set(filter(LAYOUTS[table.form.name].reads, ops))
    if not read or len({*ops, read}) > 2:
        found, allowed = ", ".join(sorted(ops)[:8]), "words such as R and W, or two values"
        raise InputError(
            "does not show which operation is a read", file=table.path, found=found, allowed=allowed,
            remedy=f"Name the value of a read, such as --read {min(ops)}",
        )  # fmt: skip
    return {read}


def _refuse_doubtful(
    table: Table, options: Options, columns: Mapping[str, Any], keep: npt.NDArray[np.bool_]
) -> None:
    """Refuse numbers that hardly are of the unit that was taken, where nothing names it."""
    times, offsets, sizes = (columns[what][keep] for what in ("time", "offset", "size"))
    given = options.layout or options.style.dates
    alike, span_s, gaps = _ALIKE.get(table.form.name), float(np.ptp(times)), len(times) - 1
    rounded = table.form.name == "spc" and np.allclose(times * 1e3, np.rint(times * 1e3), rtol=0, atol=1e-6)
    in_span = f"{len(times):,} requests in {seconds_text(span_s)}"
    far = span_s > _FAR_APART_S * gaps and times.min() < FIRST_S
    close = 0 < span_s < _APART_S * gaps
    slow = rounded and gaps >= _SEVERAL and _slow(table, options, times)
    if not given and (slow or (alike and (close or _since_1970(table, times)))):
        raise InputError(
            "may have times of another unit", file=table.path, found=in_span, allowed=alike or "s or ms",
            remedy="Name its layout with --layout, or the unit with --date-format",
        )  # fmt: skip
    middle, unaligned = float(np.median(sizes)), float((offsets % SECTOR != 0).mean())
    farthest = int(offsets.max())
    if _of_sectors(table, "offset") and not given and farthest >= _FARTHEST:
        found = f"address {farthest // SECTOR}, in sectors {farthest >> 40:,} TiB"
        remedy = "Name its columns: --column offset_bytes=NUMBER; or if it has sectors its layout: --layout"
        raise InputError("may have bytes, not sectors", file=table.path, found=found, remedy=remedy)
    doubts = {"size": f"half of its values at most {middle:g}"} if middle < SECTOR else {}
    if far and not options.style.dates:
        doubts["time"] = in_span
    if unaligned > _UNALIGNED and not (sizes % SECTOR).any():
        doubts["offset"] = f"{unaligned:.0%} of its values not whole sectors, as its sizes are"
    for what, found in doubts.items():
        if table.form.name == "csv" and columns[what] is table.columns.get(what):
            unit = "seconds" if what == "time" else "bytes"
            raise _in_doubt(table, what, f"may have another unit than {unit} for its {what}", found)


def _slow(table: Table, options: Options, time_s: Sequence[float]) -> bool:
    """Whether times of a layout without a unit may be milliseconds, as far as they show it."""
    of_seconds = table.form.name == "spc" or (table.form.name == "csv" and "time" in table.columns)
    if not of_seconds or options.style.dates or not len(time_s) or min(time_s) >= FIRST_S:
        return False
    return max(time_s) - min(time_s) > _SLOW_S * (len(time_s) - 1)


def _of_sectors(table: Table, what: str) -> bool:
    """Whether the layout has sectors, and other files of it may have bytes; blkparse always prints sectors."""
    units = [column.unit for column in table.form.columns if column.what == what]
    return units == [SECTOR] and table.form.name != "blkparse"


def _since_1970(table: Table, times_s: npt.NDArray[np.float64]) -> bool:
    """Whether times are those since 1970 in another unit than that of the layout; of mqsim they are of a recording."""
    unit = next(column.unit for column in table.form.columns if column.what == "time")
    numbers = times_s / unit
    may = "s" if other_times(numbers * 1e3) == "ms" else other_times(numbers)
    return may in TIME_UNITS and TIME_UNITS[may] != unit and table.form.name != "mqsim"


def _back_s(time_s: npt.NDArray[Any], volumes: npt.NDArray[Any]) -> float:
    """By how many seconds times of a volume go back at most; 0 where that is little."""
    span_s = float(np.ptp(time_s))
    order = np.argsort(volumes, kind="stable")
    own = (time_s - time_s.min() + volumes * (span_s + 1))[order]  # those of a next volume are all above
    back_s = float((np.maximum.accumulate(own) - own).max())
    return back_s if back_s > _BACK * span_s else 0.0


def _volumes(table: Table) -> Any:
    """Names of volumes, by what they are a part of, or after the file where it has none; a dictionary array."""
    above = LAYOUTS[table.form.name].above
    parts = [table.columns[each].cast(pa.string()) for each in (above, "volume") if each in table.columns]
    if not parts:
        return pa.array([table.path.name] * len(table)).dictionary_encode()
    joined = pa.compute.binary_join_element_wise(*parts, ".")
    blank = pa.compute.equal(joined, pa.scalar("." * (len(parts) - 1)))
    return pa.compute.if_else(blank, table.path.name, joined).dictionary_encode()


def _spans(requests: Iterable[Request]) -> dict[str, tuple[float, float]]:
    """By volume from the first request to the last."""
    found: dict[str, tuple[float, float]] = {}
    for request in requests:
        begin, end = found.get(request.volume, (request.time_s, request.time_s))
        found[request.volume] = min(begin, request.time_s), max(end, request.time_s)
    return found


def _meets(span: tuple[float, float], others: Iterable[tuple[float, float]]) -> bool:
    return any(span[0] < end and begin < span[1] for begin, end in others)
