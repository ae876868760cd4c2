"""The fine-grained lock of Hadoop 3.5 against the single one, by the shipped scenario, under a mixed load.

    python -m benchmarks.dynamometer_lock --rounds 10

The load: clients of a made-up audit log (a third of the lines change something), heartbeats, and every DataNode's full
block report every two seconds. Each round runs both locks, in an order drawn anew, each on a NameNode of its own. A run
takes about 17 seconds; on a quiet machine ten rounds stay below seven minutes.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from froude.base.scratch import Scratch
from froude.cli.app import run as command
from froude.experiment.compare.compare import Row
from froude.experiment.scenario.shipped import files_of
from froude.experiment.sweep.file import NAME, read_swept
from froude.experiment.sweep.result import Swept

_ROUNDS = 10
_INODES, _RATE, _SECONDS, _CHANGES = 20_000, 300, 8, 0.3
_DATANODES = 12
_SHOWN = (
    "mean", "p99", "throughput", "mean(getBlockLocations)", "mean(create)", "mean(blockReport)", "mean(sendHeartbeat)",
    "CPU per call", "lock wait", "call queue", "handling",
)  # fmt: skip


def swept(rounds: int, folder: Path) -> Swept:
    """Make up image and log, and run the shipped sweep on them.

    Args:
        rounds: runs of each lock.
        folder: an empty one.
    """
    image, log = folder / "name" / f"fsimage_{1:019}", folder / "hdfs-audit.log"
    _done("image", "synth", "analytics", "--inodes", str(_INODES), "-o", str(image))
    load = ["--rate", str(_RATE), "--duration", f"{_SECONDS} s", "--changes", str(_CHANGES)]
    _done("image", "log", str(image.parent), *load, "-o", str(log))
    changes = {
        "fine-grained-lock.yaml": ("repeats: 10", f"repeats: {rounds}"),
        "replay.yaml": ("{count: 20, racks: 4}", f"{{count: {_DATANODES}, racks: 4}}\nwarm_up: 3 s"),
    }
    for path, text in files_of("fine-grained-lock", folder / "fine-grained-lock.yaml").items():
        before, after = changes[path.name]
        assert before in text
        path.write_text(text.replace(before, after))
    _done("sweep", str(folder / "fine-grained-lock.yaml"), "-o", str(folder / "sweep"))
    return read_swept(folder / "sweep" / NAME)


def _done(*words: str) -> None:
    code = command(["--quiet", *words])
    assert code in {0, 3}, f"{' '.join(words)} ended with {code}"  # 3: an arm is worse, which is a result


def of_sweep(found: Swept) -> list[dict[str, object]]:
    """The rows: the verdict, what decides, what explains."""
    arm, comparison = found.compared[0]
    counting = min(len(comparison.baseline), len(comparison.candidate))
    cores = found.environment.get("cores", "unknown")
    conditions = (
        f"{arm.name} beside {found.arms[0].name}, Hadoop {found.environment.get('Hadoop')}; {counting} runs of each "
        f"count; {_RATE} lines/s, {100 * _CHANGES:g} % of them changes, {_DATANODES} DataNodes, a heartbeat each "
        f"0.5 s and a full block report each 2 s, {_INODES:,} inodes; {cores} cores shared by player and NameNode"
    )
    rows: list[dict[str, object]] = [
        {"measure": "verdict on the fine-grained lock", "value": comparison.outcome.value, "unit": "",
         "conditions": f"{conditions}. {comparison.answer}"},
    ]  # fmt: skip
    return rows + [_change(row) for row in comparison.rows if row.measure in _SHOWN]


def _change(row: Row) -> dict[str, object]:
    first, second = row.means
    scale, unit = (1e3, "ms") if row.unit == "s" else (1.0, row.unit)
    return {
        "measure": f"change of {row.measure}",
        "value": round(100 * row.change, 1),
        "unit": "%",
        "conditions": (
            f"{100 * row.low:+.1f} to {100 * row.high:+.1f} % ({row.words}); "
            f"{scale * first:.3g} {unit} with the single lock, {scale * second:.3g} {unit} with the other"
        ),
    }


def rows(rounds: int = _ROUNDS) -> list[dict[str, object]]:
    """One row a measure: `{measure, value, unit, conditions}`."""
    with Scratch("lock") as folder:
        return of_sweep(swept(rounds, folder))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--rounds", type=int, default=_ROUNDS, help="Runs of each lock; three or more say something."
    )
    for each in rows(parser.parse_args().rounds):
        print(json.dumps(each))
