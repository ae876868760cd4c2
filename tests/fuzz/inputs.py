"""Invariant: whatever file a command is given, it ends soon, in little memory, with an exit code that is not a bug's.

    python -m tests.fuzz.inputs --seed 1 --files 20000

Each file is a good one of those that command lines of the tests name, or a real one of `../shared/data`, and then cut,
flipped, spliced, packed, blown up, or replaced by a device. A child process runs the command on it; its parent ends it
after some seconds of computing, after a minute of none, or beyond some memory. What fails is named with the
command that repeats it. `make test` runs a few dozen (`test_inputs`).
"""

from __future__ import annotations

import argparse
import bz2
import contextlib
import gzip
import importlib
import os
import random
import re
import resource
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pyarrow as pa

from froude.base.errors import InputError
from froude.documents.artifact import hash_fields, hash_file
from froude.documents.reading import parse_document
from tests.support.cli.command_lines import LINES, PARTS, make_all

GOOD_CODES = {0, 1, 2, 3}
MEMORY_MB, SECONDS = 512, 10.0
"""What a file may cost beyond a good one of its kind, and how long it may compute: busy machines take any time."""
_WAITS_S = 60.0
_TOTALS_FILES = 1000
_FARTHEST = 4 * MEMORY_MB << 20
_DATA = Path(__file__).parents[3] / "shared" / "data"
_REAL = {
    "audit.log": ("hdfs_audit/*audit*", "reported/audit-*"),
    "load.csv": ("reported/*.csv*",),
    "cpu.csv": ("nab_aws/ec2_cpu*",),
    "jobs.log": ("spark_eventlogs/*", "rumen_gridmix/*.gz", "reported/rumen*", "wfinstances/*.json*"),
    "blocks.trace": ("block_io/*.gz", "reported/msr*", "reported/systor*", "reported/disksim*"),
    "img": ("fsimage/*fsimage*", "fsimage/*.img"),
    "ec2_2026-07.csv": ("prices/*.csv",),
    "job.jhist": ("hadoop_sls/jhist/*",),
    "k.tap": ("recorded/*.gz",),
}
"""Real files that may be in the place of one of the tests."""
_LARGEST_REAL = 300_000
_ELSEWHERE = {
    "hadoop up", "capture proxy", "harvest serve", "harvest simulate scheduling", "harvest simulate durability",
    "harvest simulate availability", "harvest place", "provision sweep", "provision vary", "provision why-not",
}  # fmt: skip
"""Commands that start daemons, fetch a release, or compute for long on what other commands read as well."""
_DRY = {"play", "run", "knee", "sweep", "provision measure"}
_QUICK = {"provision compile": ("--time-limit", "2"), "provision evaluate": ("--time-limit", "2")}
_TOKENS = (
    b"NaN", b"-1", b"1e999", b"1e15", b"1e-320", b"9" * 400, b"-9223372036854775809", b"4294967296", b"\r", b"\r\r\n",
    b"\0", b"\xff\xfe", "\u2028".encode(), b'"', b"'", b"\t", b"[" * 3000, b'{"a":' * 3000, b"<a>" * 3000,
    b"*a ", b"&a [", b"!!python/object:os.system", b"true", b"null", b"{}", b"[]", b",,,",
    b"../../etc", b"%s%n", b" " * 70000,
)  # fmt: skip
_TEXTS = (
    b"a: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(b"b%d: &b%d [*a,*a,*a,*a]\n" % (n, n) for n in range(9)),
    b'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha">'
    + b"".join(b'<!ENTITY a%d "%s">' % (n, b"&a%d;" % (n - 1) * 10 if n else b"&a;" * 10) for n in range(9))
    + b"]><l>&a8;</l>",
    b",".join(b"c%d" % n for n in range(100_000)) + b"\n" + b"," * 99_999,
    b"[" * 200_000,
    b"time,server,cpu\n" + b"".join(b"%d,s%d,5\n" % (n * 390_000, n) for n in range(80)),
    b"\n" * 500_000,
    b"x" * 3_000_000,
    bytes(1_000_000),
)
"""Whole files that have exhausted one reader or another."""
_DEVICES = ("/dev/zero", "/dev/full", "/dev/null", "/proc/self/pagemap", "/proc/self/mem", "nowhere", "loop")
_NUMBER = re.compile(rb"[0-9]+(?:\.[0-9]+)?")
_HASHED = re.compile(r"^( +)(\S+\.\S+): [0-9a-f]{64}$", re.MULTILINE)


@dataclass(frozen=True)
class Outcome:
    """How one file went."""

    number: int
    words: str
    change: str
    code: int
    seconds: float
    memory_mb: float
    said: str

    @property
    def failure(self) -> str:
        """What is wrong; empty for nothing."""
        if self.code not in GOOD_CODES:
            return f"exit {self.code}"
        if "Traceback" in self.said:
            return "traceback"
        return "memory" if self.memory_mb > MEMORY_MB else ""


# --- what files become ------------------------------------------------------------------------------------


def _pack(data: bytes, codec: str) -> bytes:
    if codec == "gzip":
        return gzip.compress(data, 1, mtime=0)
    if codec == "bz2":
        return bz2.compress(data, 1)
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, codec) as stream:
        stream.write(data)
    return bytes(sink.getvalue())


@cache
def _bomb(codec: str, fill: bytes) -> bytes:
    """Megabytes of the same, packed: of lz4, which packs little, fewer."""
    return _pack(fill * ((2_000_000 if codec == "lz4" else 3_000_000) // len(fill)), codec)


def _blown_up(data: bytes, dice: random.Random) -> bytes:
    codec = dice.choice(("gzip", "zstd", "lz4", "bz2"))
    fill = dice.choice((b"\0", b"\n", b" ", b"1,a,5\n", b"[", b"{}\n"))
    return _pack(data, codec) + _bomb(codec, fill)


def _spots(data: bytes, dice: random.Random) -> tuple[int, int]:
    begin = dice.randrange(len(data) + 1)
    return begin, min(len(data), begin + dice.choice((1, 2, 10, 100, len(data))))


def _flipped(data: bytes, dice: random.Random) -> bytes:
    turned = bytearray(data)
    for _ in range(dice.choice((1, 1, 3, 20))):
        if turned:
            turned[dice.randrange(len(turned))] ^= 1 << dice.randrange(8)
    return bytes(turned)


def _swapped(data: bytes, dice: random.Random) -> bytes:
    a, b = _spots(data, dice)
    c, d = _spots(data, dice)
    return data[:a] + data[c:d] + data[b:]


def _token(data: bytes, dice: random.Random) -> bytes:
    begin, end = _spots(data, dice)
    return data[:begin] + dice.choice(_TOKENS) + data[dice.choice((begin, end)) :]


def _number(data: bytes, dice: random.Random) -> bytes:
    numbers = list(_NUMBER.finditer(data[:200_000]))
    if not numbers:
        return _token(data, dice)
    for number in sorted(
        dice.sample(numbers, min(len(numbers), dice.choice((1, 1, 2, 5)))), key=lambda m: -m.start()
    ):
        data = data[: number.start()] + dice.choice(_TOKENS[:9]) + data[number.end() :]
    return data


def _many(data: bytes, dice: random.Random) -> bytes:
    lines = data[:100_000].splitlines(keepends=True)
    if not lines:
        return data
    line = dice.choice(lines)
    return data + line * min(dice.choice((3, 1000, 100_000)), 2_000_000 // max(1, len(line)))


CHANGES: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "nothing": lambda data, dice: data,
    "empty": lambda data, dice: b"",
    "cut": lambda data, dice: data[: dice.randrange(len(data) + 1)],
    "beginning lost": lambda data, dice: data[dice.randrange(len(data) + 1) :],
    "flipped": _flipped,
    "swapped": _swapped,
    "token": _token,
    "number": _number,
    "many": _many,
    "bare CR": lambda data, dice: data.replace(b"\n", b"\r", dice.choice((-1, 1, 3))),
    "one line": lambda data, dice: data.replace(b"\n", b""),
    "UTF-16": lambda data, dice: data.decode("latin-1").encode("utf-16"),
    "packed": lambda data, dice: _pack(data, dice.choice(("gzip", "zstd", "lz4", "bz2"))),
    "packed and cut": lambda data, dice: (p := _pack(data, dice.choice(("gzip", "zstd", "lz4", "bz2"))))[
        : dice.randrange(len(p))
    ],
    "packed and flipped": lambda data, dice: _flipped(
        _pack(data, dice.choice(("gzip", "zstd", "lz4", "bz2"))), dice
    ),
    "bomb": _blown_up,
    "foreign": lambda data, dice: dice.choice(_TEXTS),
    "text behind": lambda data, dice: data + b"\n" + dice.choice(_TEXTS),
    "noise": lambda data, dice: dice.randbytes(dice.choice((10, 1000, 100_000))),
}
_TWICE = ("flipped", "swapped", "token", "number")
"""Changes that are likely to go deep; they are drawn more often, and sometimes follow each other."""


def changed(data: bytes, dice: random.Random) -> tuple[bytes, str]:
    """A file's content, changed; and how.

    Args:
        data: of a good file.
        dice: decides.
    """
    names = [dice.choice((*CHANGES, *_TWICE * 4)) for _ in range(dice.choice((1, 1, 1, 2)))]
    for name in names:
        data = CHANGES[name](data, dice)
    return data, " + ".join(names)


def put_special(place: Path, dice: random.Random) -> str:
    """Replace a file by what is no file.

    Args:
        place: what is there is removed.
        dice: decides by what.
    """
    shutil.rmtree(place) if place.is_dir() else place.unlink()
    what = dice.choice(("pipe", "folder", "socket", *_DEVICES))
    if what == "pipe":
        os.mkfifo(place)
    elif what == "folder":
        place.mkdir()
    elif what == "socket":
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(place))
    else:
        place.symlink_to(place.name if what == "loop" else what)
    return what


def sealed_again(document: Path) -> None:
    """Correct the hashes of an artifact's document, so that its readers go on to what was changed."""
    try:
        text = document.read_text(encoding="utf-8")
        for found in _HASHED.finditer(text):
            if (part := document.parent / found[2]).is_file():
                text = text.replace(found[0], f"{found[1]}{found[2]}: {hash_file(part)}")
        content = hash_fields(parse_document(text.encode(), "").fields)
    except (ValueError, OSError, InputError):
        return
    document.write_text(
        re.sub(r"^  content: [0-9a-f]+$", f"  content: {content}", text, count=1, flags=re.MULTILINE)
    )


# --- how they are run -------------------------------------------------------------------------------------


class Runs:
    """Runs commands on changed files, each in a child process of its own.

    Args:
        seed: of all changes; a number's file is the same for the same seed.
        seconds: of computing, after which a child is ended.
        only: a regular expression of the commands that are run; empty for all.
    """

    def __init__(self, seed: int, seconds: float = SECONDS, only: str = "") -> None:
        self.seed, self.seconds = seed, seconds
        self.folder = Path(tempfile.mkdtemp(prefix="froude-fuzz-"))
        make_all(self.folder / "good")
        os.environ.update(
            {"XDG_CACHE_HOME": str(self.folder / "cache"), "FROUDE_CACHE": str(self.folder / "cache")}
        )
        names = [name for name, line in LINES.items() if line.inputs and name not in _ELSEWHERE]
        self.lines = [name for name in names if re.search(only, name)]
        self.real = {name: list(_real(name)) for name in _REAL}
        self._base_mb: dict[str, float] = {}
        for module in (
            "numpy",
            "pyarrow.parquet",
            "pyarrow.csv",
            "yaml",
            "lxml.etree",
            "froude.cli.app",
        ):
            importlib.import_module(
                module
            )  # children have them; nothing is called, so that no thread is begun

    def __enter__(self) -> Runs:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.folder)

    def one(self, number: int) -> Outcome:
        """The file of a number, changed and run.

        Args:
            number: of the file; with the seed it decides everything.
        """
        dice = random.Random(f"{self.seed} {number}")
        name = dice.choice(self.lines)
        base = self._base(name)
        line = LINES[name]
        file = dice.choice(sorted(set(line.inputs.values())))
        here = self.folder / "here"
        shutil.copytree(self.folder / "good", here, symlinks=True)
        try:
            part = dice.choice(PARTS[file]) if file in PARTS and dice.random() < 0.95 else ""
            how = self._change(here / file, part, dice)
            outcome = self._run(name, here, number, f"{file}/{part}: {how}")
        finally:
            shutil.rmtree(here)
        return Outcome(**{**outcome.__dict__, "memory_mb": outcome.memory_mb - base})

    def _change(self, place: Path, part: str, dice: random.Random) -> str:
        if dice.random() < 0.04:
            return put_special(place / part if part else place, dice)
        if place.is_dir() and not part:
            part = str(dice.choice(sorted(p for p in place.rglob("*") if p.is_file())).relative_to(place))
        target = place / part if part else place
        real = self.real.get(place.name, [])
        if real and dice.random() < 0.5:
            source = dice.choice(real)
            good, name = source.read_bytes(), source.name
            if good[:2] == b"\x1f\x8b" and dice.random() < 0.7:
                good = gzip.decompress(good)
        else:
            good, name = target.read_bytes(), ""
        data, how = changed(good, dice)
        target.unlink()  # it may be a link to a file of the machine
        target.write_bytes(data)
        document = next((p for n in ("meta.yaml", "plan.yaml") if (p := place / n).is_file()), None)
        if document is not None and dice.random() < 0.7:
            sealed_again(document)
            how += ", sealed again"
        return f"{name} {how}"

    def _base(self, name: str) -> float:
        """Memory of a command on good files, MB."""
        if name not in self._base_mb:
            for _ in range(2):  # the first tells what is imported on the way, which later children then have
                here = self.folder / "here"
                shutil.copytree(self.folder / "good", here, symlinks=True)
                good = self._run(name, here, -1, "good")
                shutil.rmtree(here)
                for module in (self.folder / "modules").read_text().split():
                    with contextlib.suppress(Exception):
                        importlib.import_module(module)
            self._base_mb[name] = good.memory_mb
        return self._base_mb[name]

    def _run(self, name: str, here: Path, number: int, change: str) -> Outcome:
        line = LINES[name]
        words = [*line.arguments, *(["--dry-run"] if name in _DRY else []), *_QUICK.get(name, ())]
        outputs = [
            place for place in line.outputs if place.kind != "page" or name == "report"
        ]  # drawing takes long
        words += [word for place in outputs for word in (place.flag, f"out-{place.kind}{place.suffix}")]
        said = self.folder / "said"
        child = os.fork()
        if child == 0:
            _in_child(words, here, said, self.folder / "modules" if number < 0 else None)
        code, usage = _watched(child, self.seconds)
        text = said.read_text(errors="replace")[-3000:]
        seconds = usage.ru_utime + usage.ru_stime
        return Outcome(number, " ".join(words), change, code, seconds, usage.ru_maxrss / 1024, text)


def _in_child(words: list[str], here: Path, said: Path, modules: Path | None) -> None:
    code = 99
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.chdir(here)
        output = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        from froude.cli.app import run

        code = run(words)
        if modules is not None:
            modules.write_text(" ".join(sorted(sys.modules)))
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _watched(child: int, seconds: float) -> tuple[int, resource.struct_rusage]:
    """The exit code of a child, less than 0 for a signal, and what it has used.

    -98 stands for one that took too long, -97 for one beyond all memory; both were ended.
    """
    ended_for = 0
    pause, computed_s, last_s = 0.0005, 0.0, time.monotonic()
    while True:
        pid, status, usage = os.wait4(child, os.WNOHANG)
        if pid:
            return ended_for or os.waitstatus_to_exitcode(status), usage
        if not ended_for:
            now_s, before_s = time.monotonic(), computed_s
            computed_s = _computed_s(child)
            last_s = now_s if computed_s > before_s else last_s
            late = computed_s > seconds or now_s - last_s > _WAITS_S
            ended_for = -98 if late else -97 if _resident(child) > _FARTHEST else 0
            if ended_for:
                os.kill(child, signal.SIGKILL)
        time.sleep(pause)
        pause = min(0.01, pause * 1.5)


def _computed_s(child: int) -> float:
    with contextlib.suppress(OSError, IndexError):
        words = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def _resident(child: int) -> int:
    try:
        return int(Path(f"/proc/{child}/statm").read_bytes().split()[1]) * resource.getpagesize()
    except (OSError, IndexError):
        return 0


def _real(name: str) -> Iterator[Path]:
    for pattern in _REAL[name]:
        for path in sorted(_DATA.glob(pattern)):
            if path.is_file() and path.stat().st_size <= _LARGEST_REAL:
                yield path


def main(arguments: list[str] | None = None) -> int:
    """Run many files; 1 if one failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.inputs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="number of the first file")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--only", default="", help="regular expression of the commands")
    asked = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that its folder is removed
    codes, failures, most_mb, longest_s = Counter[int](), 0, 0.0, 0.0
    with Runs(asked.seed, asked.seconds, asked.only) as runs:
        for number in range(asked.first, asked.first + asked.files):
            outcome = runs.one(number)
            codes[outcome.code] += 1
            most_mb, longest_s = max(most_mb, outcome.memory_mb), max(longest_s, outcome.seconds)
            if outcome.failure:
                failures += 1
                print(
                    f"{outcome.failure}, {outcome.seconds:.1f} s, {outcome.memory_mb:.0f} MB: froude {outcome.words}"
                )
                print(f"    {outcome.change}\n    {outcome.said[-600:].strip()}")
                again = f"--seed {asked.seed} --first {number} --files 1 --only {asked.only!r}"
                print(f"    again: python -m tests.fuzz.inputs {again}", flush=True)
            done = number + 1 - asked.first
            if done % _TOTALS_FILES == 0 or done == asked.files:
                counts = ", ".join(f"{count} with {code}" for code, count in sorted(codes.items()))
                print(
                    f"{done} files, seed {asked.seed}: {counts}; {failures} failed; most memory beyond a good file "
                    f"{most_mb:.0f} MB, longest {longest_s:.1f} s",
                    flush=True,
                )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
