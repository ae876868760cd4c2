"""What a line of an audit log costs: to parse, to import whole, to read back.

    python benchmarks/bench_audit.py

A made log of half a million lines, with the lengths, the share of caller contexts and the few users of a Hive cluster.
Each measure is the least of some rounds, in CPU time of one core; beside the parser stand those that it was chosen over,
which give the same fields of lines of the usual shape: `re` and `bytes.split` do less (no users, no times).
"""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from froude.hadoop.audit.lines import AuditLine, parse_line
from froude.hadoop.fsimage.anonymise import Names
from froude.trace.audit.parse import Form, parse_bytes
from froude.trace.audit.summary import summarise_audit
from froude.trace.importers.audit_log import import_audit
from testbed.audit_lines import LINE, START_S, written

_LINES = 500_000
_SOME = 50_000
_ROUNDS = 3
_REGEX = (
    r"^(?P<t>\S+ \S+) \S+ [^:]*: allowed=(?P<a>true|false)\tugi=(?P<u>[^\t]*)\tip=(?P<i>[^\t]*)\tcmd=(?P<c>[^\t]*)"
    r"\tsrc=(?P<s>[^\t]*)\tdst=(?P<d>[^\t]*)\tperm=(?P<p>[^\t]*)\tproto=(?P<o>[^\t]*)(?:\tcallerContext=(?P<x>[^\t]*))?$"
)


def log_lines(count: int, seed: int = 7) -> list[AuditLine]:
    """Lines of a busy cluster: four a millisecond, 40 users, 2,000 clients, mostly reads.

    Args:
        count: how many.
        seed: of the choices.
    """
    chance = random.Random(seed)
    commands = (
        ["getfileinfo"] * 17 + ["open"] * 66 + ["listStatus"] * 9 + ["create"] * 4 + ["rename", "delete"] * 2
    )
    clients = [(f"user{chance.randrange(40)}@EXAMPLE.COM", f"10.0.{n % 16}.{n // 16}") for n in range(2000)]
    lines = []
    for number in range(count):
        user, ip = chance.choice(clients)
        command = chance.choice(commands)
        path = f"/user/hive/warehouse/db{number % 20}.db/table{number % 301}/ds=2026-11-{number % 28 + 1:02}"
        path += f"/part-{chance.randrange(100_000):05}-{number:08x}.snappy.parquet"
        lines.append(
            replace(
                LINE,
                time_s=START_S + number // 4 / 1000,
                allowed=number % 50 > 0,
                user=user,
                auth="KERBEROS",
                real_user=None,
                ip=ip,
                command=command,
                options="options=[OVERWRITE]" if command == "rename" else None,
                src=path,
                dst=f"{path}.tmp" if command == "rename" else None,
                perm="hive:hive:rw-r--r--" if command in {"create", "rename"} else None,
                caller_context=f"mr_attempt_1606673870978_{number // 9000:04}_m_{number // 90 % 100:06}_0"
                if number % 10
                else None,
            )
        )
    return lines


def _rate(work: Callable[[], object], lines: int) -> float:
    """Lines a second of CPU, in the quickest round."""
    times = []
    for _ in range(_ROUNDS):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return lines / min(times)


def _parsers(data: bytes) -> list[tuple[str, Callable[[], object]]]:
    texts = data.decode().splitlines()
    raw = data.splitlines()
    regex = re.compile(_REGEX)
    column = pa.array(texts)
    columns = [str(number) for number in range(9)]
    return [
        ("parse, by the grammar alone", lambda: [parse_line(text) for text in texts]),
        ("parse, re (match only)", lambda: [regex.match(text) for text in texts]),
        ("parse, bytes.split (fields only)", lambda: [line.split(b"\t") for line in raw]),
        ("parse, Arrow extract_regex (fields only)", lambda: pc.extract_regex(column, pattern=_REGEX)),
        (
            "parse, pyarrow.csv (fields only, lines of nine)",
            lambda: pyarrow.csv.read_csv(
                BytesIO(data),
                read_options=pyarrow.csv.ReadOptions(column_names=columns, use_threads=False),
                parse_options=pyarrow.csv.ParseOptions(
                    delimiter="\t", quote_char=False, invalid_row_handler=lambda _: "skip"
                ),
            ),
        ),
    ]


def rows() -> list[dict[str, object]]:
    """One row a measure: `{measure, value, unit, aim}`."""
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    lines = log_lines(_LINES)
    data = "".join(map(written, lines)).encode()
    some = "".join(map(written, lines[:_SOME])).encode()
    measured: list[tuple[str, float, float | None]] = [
        ("parse to columns", _rate(lambda: parse_bytes(data, Form()), _LINES), None)
    ]
    measured += [(name, _rate(work, _SOME), None) for name, work in _parsers(some)]
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "audit.log").write_bytes(data)
        numbers = iter(range(100))

        def imported(names: Names | None = None) -> None:
            import_audit([folder / "audit.log"], folder / f"al{next(numbers)}", names=names)

        measured.append(("import: parse, sort, write", _rate(imported, _LINES), 300_000.0))
        measured.append(("import, anonymised", _rate(lambda: imported(Names(bytes(16))), _LINES), None))
        log = import_audit([folder / "audit.log"], folder / "al")
        measured.append(("read back", _rate(lambda: [*log.batches()], _LINES), None))
        measured.append(("read one of eight parts", _rate(lambda: [*log.batches(part=(0, 8))], _LINES), None))
        measured.append(("summarise", _rate(lambda: summarise_audit(log), _LINES), None))
        size = sum(path.stat().st_size for path in log.folder.iterdir())
    found: list[dict[str, object]] = [
        {"measure": name, "value": round(value), "unit": "lines/s", "aim": aim}
        for name, value, aim in measured
    ]
    return [
        *found,
        {"measure": "bytes kept a line", "value": round(size / _LINES, 1), "unit": "B", "aim": None},
    ]


if __name__ == "__main__":
    for row in rows():
        print(json.dumps(row))
