"""How well duets see a NameNode that is slowed by ten per cent, and how often they see a difference that is none.

    python -m benchmarks.bench_duet --play signals,handlers,equal --times 4
    python -m benchmarks.results_answers --only duet,duet-verdicts

`--play` plays duets of ten minutes next to two busy processes, and adds the batches of each to
`docs/results/duets.json`; a duet goes on after its verdict there. What is shown comes of all duets in that file: of each
kind 200 draws are made, a duet by chance and its batches in blocks of four by chance, and each is decided as a duet is,
look by look. A NameNode is slowed by signals, which stop its process for 2 ms of every 20, and by a Java agent, with
which its handlers use ten per cent more of the CPU time that a call costs the whole process (`SlowHandlers.java`).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.bench_unseen import busy
from froude.base.statistics import mean_interval
from froude.base.summary import counted
from froude.experiment.compare.compare import Outcome, change_text
from froude.experiment.duet import duet as duets
from froude.experiment.duet.comparison import comparison_of
from froude.experiment.duet.duet import Duet, Start, duet
from froude.experiment.duet.slices import Slice, batches_of
from froude.experiment.duet.verdict import BATCHES, LOOKS, Look, look_at
from froude.experiment.knee.loads import first_scale
from froude.experiment.play.execution import started_for
from froude.experiment.scenario.options import DuetComparing, DuetOptions, NameNodeTarget
from froude.experiment.session import Hadoop
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.release.distribution import java_for
from froude.workload.extrapolate import extrapolate
from froude.workload.plan import Plan
from froude.workload.yaml_file import read_workload
from testbed.workloads import WORKLOADS

FILE = Path(__file__).resolve().parent.parent / "docs" / "results" / "duets.json"
AT = {"datanodes": 50, "clients": 16, "files": 10}
DRAWS, WANTED, BLOCK = 200, 12, 4
SEEN, FALSE = 0.9, 0.05
PLAYED = DuetComparing(margin=0.1, time_limit_s=600.0, warm_up_s=120.0)
_STOPPED_S, _GOES_ON_S = 0.002, 0.018
_SHARE = 0.1
_EXPORT = "java.base/jdk.internal.org.objectweb.asm=ALL-UNNAMED"
_SIGNALS = (
    "import os, signal, sys, time\n"
    "while True:\n"
    "    os.kill(int(sys.argv[1]), signal.SIGSTOP)\n"
    f"    time.sleep({_STOPPED_S})\n"
    "    os.kill(int(sys.argv[1]), signal.SIGCONT)\n"
    f"    time.sleep({_GOES_ON_S})\n"
)


def plan() -> Plan:
    """The demo's job, its load kept up by 16 clients."""
    workload = read_workload(WORKLOADS["demo"])
    return extrapolate(workload, first_scale(workload, AT))


@contextmanager
def slowed_by_signals() -> Iterator[NameNode]:
    """A NameNode whose process does not run for 2 ms of every 20."""
    with Hadoop.find().namenode(heap="1 GB") as namenode:
        pid = namenode.daemon.pid
        stopper = subprocess.Popen([sys.executable, "-c", _SIGNALS, str(pid)])
        try:
            yield namenode
        finally:
            stopper.kill()
            stopper.wait()
            os.kill(pid, signal.SIGCONT)


@contextmanager
def slowed_by_an_agent() -> Iterator[NameNode]:
    """A NameNode whose handlers use ten per cent more of the CPU time that a call costs it."""
    source = Path(__file__).parent / "SlowHandlers.java"
    hadoop = Hadoop.find()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        compiler = hadoop.java.path.resolve().with_name("javac")
        subprocess.run([compiler, "-nowarn", "-d", folder, "--add-exports", _EXPORT, source], check=True)
        jar = folder / "slow.jar"
        with zipfile.ZipFile(jar, "w") as archive:
            archive.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\nPremain-Class: SlowHandlers\n")
            for each in folder.glob("*.class"):
                archive.write(each, each.name)
        flags = [f"-javaagent:{jar}={_SHARE}", "--add-exports", _EXPORT]
        with hadoop.namenode(heap="1 GB", flags=flags) as namenode:
            yield namenode


def plain() -> NameNode:
    """A NameNode as it is."""
    return Hadoop.find().namenode(heap="1 GB")


KINDS: Mapping[str, Start] = {
    "signals": slowed_by_signals,
    "handlers": slowed_by_an_agent,
    "equal": plain,
}
"""The candidate of each kind of duet."""


def play(kind: str, *, crowded: bool = False) -> dict[str, Any]:
    """One duet that goes on after its verdict, next to two busy processes, as it is kept in the file.

    Args:
        crowded: whether as much other work is there already.
    """
    with nullcontext() if crowded else busy(), undecided():
        found = duet(plan(), (plain, KINDS[kind]), DuetOptions(compare=PLAYED))
    batches = batches_of(found.slices, BATCHES * LOOKS)
    return {
        "kind": kind,
        "time": time.strftime("%Y-%m-%d %H:%M"),
        "load": [round(each, 1) for each in os.getloadavg()],
        "warm_up_s": round(found.warm_up_s),
        "calls_per_s": [round(run.throughput()) for run in found.runs],
        "batch_s": round(batches[0].slices[-1].to_s - batches[0].slices[0].from_s, 1),
        "service_ms": [[round(1e3 * each, 4) for each in batch.service_s or ()] for batch in batches],
        "cpu_us": [[round(1e6 * each, 2) for each in batch.cpu_s or ()] for batch in batches],
        "errors": sum(run.failed.total() for run in found.runs),
    }


@contextmanager
def undecided() -> Iterator[None]:
    """No look ends a duet before its time within the block."""
    usual = duets.look_at

    def never(*arguments: Any, **named: Any) -> Look:
        return replace(usual(*arguments, **named), outcome=Outcome.OPEN)

    duets.look_at = never
    try:
        yield
    finally:
        duets.look_at = usual


def slices(kept: Mapping[str, Any], order: Sequence[int]) -> list[Slice]:
    """Batches of a kept duet as slices, in an order that may repeat some."""
    found = []
    for at, batch in enumerate(order):
        service = tuple(each / 1e3 for each in kept["service_ms"][batch])
        cpu = tuple(each / 1e6 for each in kept["cpu_us"][batch])
        calls = kept["calls_per_s"][0], kept["calls_per_s"][1]
        alone = frozenset[str](), frozenset[str]()
        pairs = {"all": (service[0], service[1])}
        found.append(Slice(at, at + 1.0, pairs, alone, calls, (0.0, 0.0), (cpu[0], cpu[1])))
    return found


def drawn(chance: random.Random) -> list[int]:
    """Batches by chance, in blocks of consecutive ones, so that what lasts longer than a batch stays together."""
    number = BATCHES * LOOKS
    begins = [chance.randrange(number) for _ in range(number // BLOCK)]
    return [(begin + at) % number for begin in begins for at in range(BLOCK)]


def decided(kept: Mapping[str, Any], order: Sequence[int]) -> Look:
    """What a duet says of these batches: the first look that is clear, else the last."""
    every = slices(kept, order)
    look = look_at([], 1, margin=PLAYED.margin, level=PLAYED.level)
    for number in range(1, LOOKS + 1):
        look = look_at(every[: BATCHES * number], number, margin=PLAYED.margin, level=PLAYED.level)
        if look.clear:
            break
    return look


def rows() -> Iterator[dict[str, Any]]:
    """Of each kind: duets, changes and their spread, and what draws of them say."""
    everything = json.loads(FILE.read_text()) if FILE.exists() else []
    for kind in KINDS:
        kept = [each for each in everything if each["kind"] == kind]
        if kept:
            yield from _rows(kind, kept)


def _rows(kind: str, kept: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    loads = sorted(each["load"][1] for each in kept)
    base = f"{counted(len(kept), 'duet')} of {WANTED} wanted, load {loads[0]:g} to {loads[-1]:g}"
    for name, field in (("service time", "service_ms"), ("CPU per call", "cpu_us")):
        changes = [_change(each[field]) for each in kept]
        low, high = (f"{100 * each:+.1f} %" for each in (min(changes), max(changes)))
        yield {
            "measure": f"duet, {kind}: {name}, mean change",
            "value": round(100 * sum(changes) / len(changes), 1),
            "unit": "%",
            "conditions": f"{base}; of each duet {low} to {high}",
        }
    chance = random.Random(1)
    decisions = [decided(chance.choice(kept), drawn(chance)) for _ in range(DRAWS)]
    outcomes = Counter(look.outcome for look in decisions)
    worse, better = outcomes[Outcome.WORSE], outcomes[Outcome.BETTER]
    wanted = worse if kind != "equal" else worse + better
    aim, met = (f">= {SEEN:.0%}", wanted >= SEEN * DRAWS)
    if kind == "equal":
        aim, met = f"<= {FALSE:.0%}", wanted <= FALSE * DRAWS
    low, high = wilson(wanted, DRAWS)
    looks = sorted(look.number for look in decisions)
    yield {
        "measure": f"duet, {kind}: {'seen as slower' if kind != 'equal' else 'a false difference'}",
        "value": round(100 * wanted / DRAWS, 1),
        "unit": "% of draws",
        "aim": aim if len(kept) >= WANTED else f"of {WANTED} duets {aim}",
        **({"met": met} if len(kept) >= WANTED else {}),
        "conditions": f"{base}; {DRAWS} draws, {100 * low:.1f} to {100 * high:.1f} % (Wilson, of the draws); "
        f"{outcomes[Outcome.OPEN]} undecided, {outcomes[Outcome.SAME]} without a difference above "
        f"{PLAYED.margin:.0%}; median look {looks[len(looks) // 2]} of {LOOKS}",
    }
    whole = sum(_one_look(kept, chance, kind) for _ in range(DRAWS))
    yield {
        "measure": f"duet, {kind}: the same with one look, at the end",
        "value": round(100 * whole / DRAWS, 1),
        "unit": "% of draws",
        "conditions": base,
    }


def _one_look(kept: list[dict[str, Any]], chance: random.Random, kind: str) -> bool:
    every = slices(chance.choice(kept), drawn(chance))
    outcome = look_at(every, LOOKS, margin=PLAYED.margin, level=PLAYED.level).outcome
    return outcome is Outcome.WORSE or (kind == "equal" and outcome is Outcome.BETTER)


def _change(pairs: Sequence[Sequence[float]]) -> float:
    mean, _, _ = mean_interval([second / first for first, second in pairs], 0.05)
    return mean - 1


def wilson(seen: int, of: int) -> tuple[float, float]:
    """Wilson's interval of a share, 95 %."""
    z, share = 1.959964, seen / of
    middle = (share + z**2 / (2 * of)) / (1 + z**2 / of)
    half = z / (1 + z**2 / of) * (share * (1 - share) / of + z**2 / (4 * of**2)) ** 0.5
    return max(0.0, middle - half), min(1.0, middle + half)


VERDICTS: Mapping[str, tuple[NameNodeTarget, NameNodeTarget]] = {
    "the fine-grained lock": (
        NameNodeTarget(),
        NameNodeTarget(
            properties={
                "dfs.namenode.lock.model.provider.class": "org.apache.hadoop.hdfs.server.namenode.fgl."
                "FineGrainedFSNamesystemLock"
            }
        ),
    ),
    "ZGC against G1": (NameNodeTarget(), NameNodeTarget(java_options=("-XX:+UseZGC",))),
    "3.5.0 against 3.4.2": (NameNodeTarget(release="3.4.2"), NameNodeTarget(release="3.5.0")),
}
"""Baseline and candidate of each verdict."""


def verdicts() -> Iterator[dict[str, Any]]:
    """What duets say of three changes, each with its time, next to two busy processes."""
    played = plan()
    for name, targets in VERDICTS.items():
        java = java_for([each.release for each in targets])
        starts = [
            partial(started_for, ["namenode"], each, Hadoop.find(each.release, java=java)) for each in targets
        ]
        options = DuetOptions(compare=PLAYED)
        began_s = time.monotonic()
        with busy():
            found = duet(played, (starts[0], starts[1]), options)
        compared = comparison_of(found, options)
        yield {
            "measure": f"duet: {name}",
            "value": compared.outcome.value,
            "unit": "",
            "conditions": f"{time.monotonic() - began_s:.0f} s; {_texts(found)}. {compared.answer}",
        }


def _texts(found: Duet) -> str:
    rows_ = found.looks[-1].rows if found.looks else ()
    return "; ".join(
        f"{row.measure} {change_text(row.change, row.sort)} ({change_text(row.low, row.sort)} to "
        f"{change_text(row.high, row.sort)})"
        for row in rows_
    )


def main() -> None:
    """Play duets, and add each to the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--play", default=",".join(KINDS), help="kinds of duets, one after another")
    parser.add_argument("--times", type=int, default=1, help="how often")
    parser.add_argument("--crowded", action="store_true", help="start no busy processes: other work is there")
    arguments = parser.parse_args()
    for _ in range(arguments.times):
        for kind in arguments.play.split(","):
            kept = play(kind, crowded=arguments.crowded)
            everything = json.loads(FILE.read_text()) if FILE.exists() else []
            lines = ",\n".join(json.dumps(each) for each in [*everything, kept])
            FILE.write_text(f"[\n{lines}\n]\n")
            look = decided(kept, range(BATCHES * LOOKS))
            print(kind, kept["time"], kept["load"], look.number, look.outcome.name, look.text, flush=True)


if __name__ == "__main__":
    main()
