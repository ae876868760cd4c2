"""Where the time of a target's cores went while a load was measured, and what its calls waited for. Pure.

What a NameNode's handlers used is split between methods in proportion to how long they processed each, which Hadoop
counts; what its other threads used, but for the JIT compiler and the garbage collector, falls on every call equally. A
mixture that stays the same allows no regression on counts by method: over seconds of one play they rise together.
"""

from __future__ import annotations

import re

from froude.emulation.run.bottleneck import CPU
from froude.emulation.run.readings import Readings, mean_of
from froude.emulation.run.run import Run
from froude.emulation.steadiness import thread_share
from froude.hadoop.metrics import threads
from froude.hadoop.metrics.jmx import method_name
from froude.hadoop.rpc.target import is_loopback

CALLS, COMPILER, COLLECTOR = "calls", "compiler", "collector"
PLAYER, OTHERS, IDLE = "player", "other work", "idle"
LOCK, QUEUE, SYNC = "lock", "queue", "edit log sync"
_DETAILED, _QUEUE_TIME, _COUNT = "RpcDetailedActivity.", "RpcActivity.RpcQueueTime", "NumOps"
_METHOD = re.compile(rf"{_DETAILED}(?!Deferred)\w+{_COUNT}$")
_BLURRED = 0.5
"""Share of their time that handlers wait for a lock, from which that time does not show what a method costs."""


def core_shares(run: Run) -> dict[str, float]:
    """Shares of the time of the target's cores, in the phase that figures are of; they add up to 1.

    Returns:
        By what used it: `CALLS` (the target without what follows), `COMPILER`, `COLLECTOR`, `PLAYER`, `OTHERS`, `IDLE`.
        A player counts where it may use the target's cores. Other work on a machine of which the target has some cores
        counts with its share of all cores. A collector whose threads were not sampled is among `CALLS`. Empty where
        nothing else was sampled.
    """
    compiler, collector = (
        thread_share(run.steady_metrics, each) for each in (threads.COMPILER, threads.COLLECTOR)
    )
    used = _rise(Readings(run.steady_metrics), CPU)
    if used is None or compiler is None or len(run.daemons) > 1:
        return {}
    cores, collector = run.target_cores, collector or 0.0
    parts = {CALLS: 1 - compiler - collector, COMPILER: compiler, COLLECTOR: collector}
    shares = {name: used * part / cores for name, part in parts.items()}
    from_s = run.steady_from_s or 0.0
    load = [each for each in run.load if each.time_s >= from_s and each.machine_share is not None]
    if load and is_loopback(run.target) and run.cores:
        players = sum(each.cpu_share for each in load) / len(load)
        machine = sum(each.machine_share or 0.0 for each in load) / len(load) * run.cores
        shares |= {PLAYER: players / cores} if cores == run.cores else {}
        left = max(0.0, 1 - sum(shares.values()))
        shares[OTHERS] = min(left, max(0.0, machine - players - used) / run.cores)
    return shares | {IDLE: max(0.0, 1 - sum(shares.values()))}


def cpu_per_call_s(run: Run) -> float | None:
    """CPU time of the target for a call, seconds, without compiler and collector; None where it was not sampled."""
    shares, calls_per_s = core_shares(run), run.throughput()
    return shares[CALLS] * run.target_cores / calls_per_s if shares and calls_per_s else None


def waits(run: Run) -> dict[str, float]:
    """What calls waited for in a NameNode, each as a share of a time; empty where that was not sampled.

    Returns:
        `LOCK`: of the time of busy handlers, the wait for the lock of the namespace. `QUEUE`: of a call's time in the
        NameNode, the wait for a handler. `SYNC`: of all time, that in which the edit log was being synced.
    """
    readings = Readings(run.steady_metrics)
    lock, queue, handlers, response = (
        _busy(readings, f"RpcActivity.Rpc{name}Time")
        for name in ("LockWait", "Queue", "Processing", "Response")
    )
    if not handlers:
        return {}
    sync = min(1.0, _busy(readings, "NameNodeActivity.Syncs"))
    return {LOCK: lock / handlers, QUEUE: queue / (queue + handlers + response), SYNC: sync}


def call_queue_ms(run: Run) -> float | None:
    """Mean time for which a call waited for a handler, milliseconds; None where that was not sampled."""
    return Readings(run.steady_metrics).mean(_QUEUE_TIME)


def method_cpu_us(run: Run) -> dict[str, float]:
    """CPU time of the target for a call of each method, microseconds; empty where there is no base for it.

    There is none where the target's counts by method, or its handlers' CPU time, were not sampled, and where handlers
    waited for the lock for half of their time.
    """
    readings, shares, waited = Readings(run.steady_metrics), core_shares(run), waits(run)
    handlers = _rise(readings, threads.HANDLERS)
    stems = [name.removesuffix(_COUNT) for name in readings.names if _METHOD.match(name)]
    rates = {stem: _rise(readings, f"{stem}{_COUNT}") or 0.0 for stem in stems}
    times = {stem: _busy(readings, stem) for stem, rate in rates.items() if rate > 0}
    if not (handlers and shares and waited and sum(times.values())) or waited[LOCK] >= _BLURRED:
        return {}
    split = handlers / sum(times.values())
    evenly = max(0.0, shares[CALLS] * run.target_cores - handlers) / sum(rates.values())
    return {
        method_name(stem.removeprefix(_DETAILED)): 1e6 * (time * split / rates[stem] + evenly)
        for stem, time in times.items()
    }


def _rise(readings: Readings, name: str) -> float | None:
    """How much a counter rose in a second; None where it was not sampled over any time."""
    seen = readings.gauge(name)
    if len(seen) < 2 or seen[-1][0] <= seen[0][0]:
        return None
    return (seen[-1][1] - seen[0][1]) / (seen[-1][0] - seen[0][0])


def _busy(readings: Readings, stem: str) -> float:
    """How many of an operation were under way at once, in the mean; its times are in milliseconds."""
    return mean_of(readings.busy(stem, 1e-3)) or 0.0
