"""Where the time of a target's cores went while a load was measured, and what its calls waited for. Pure.

What the handlers used is split between methods in proportion to how long they processed each, which Hadoop counts. What
a NameNode's other threads used, but for the JIT compiler and the garbage collector, falls on every call equally; those
of a ResourceManager work on events, which no count ties to methods. A mixture that stays the same allows no regression
on counts by method: over seconds of one play they rise together.
"""

from __future__ import annotations

import re

from froude.emulation.run.bottleneck import CPU, MASTER, PREFIX
from froude.emulation.run.readings import Readings, mean_of
from froude.emulation.run.run import Run
from froude.emulation.steadiness import thread_share
from froude.hadoop.metrics import threads
from froude.hadoop.metrics.jmx import method_name
from froude.hadoop.rpc.target import is_loopback

CALLS, COMPILER, COLLECTOR = "calls", "compiler", "collector"
PLAYER, OTHERS, IDLE = "player", "other work", "idle"
LOCK, QUEUE, SYNC = "lock", "queue", "edit log sync"
SCHEDULER, DISPATCHER, ALLOCATOR = "scheduler", "event dispatcher", "asynchronous scheduler"
_SINGLE = {SCHEDULER: threads.SCHEDULER, DISPATCHER: threads.DISPATCHER, ALLOCATOR: threads.ALLOCATOR}
_QUEUE_TIME, _COUNT = "RpcActivity.RpcQueueTime", "NumOps"
_METHOD = re.compile(rf"((?:{MASTER})?)RpcDetailedActivity(?:ForPort\d+)?\.((?!Deferred)\w+){_COUNT}")
_SERVER = re.compile(rf"((?:{MASTER})?RpcActivity(?:ForPort\d+)?\.Rpc)QueueTime{_COUNT}")
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
    parts, cores = _used(run, prefix_of(run)), run.target_cores
    if COMPILER not in parts or len(run.daemons) > 1:
        return {}
    used = sum(parts.values())
    shares = {name: part / cores for name, part in parts.items()}
    from_s = run.steady_from_s or 0.0
    load = [each for each in run.load if each.time_s >= from_s and each.machine_share is not None]
    if load and is_loopback(run.target) and run.cores:
        players = sum(each.cpu_share for each in load) / len(load)
        machine = sum(each.machine_share or 0.0 for each in load) / len(load) * run.cores
        shares |= {PLAYER: players / cores} if cores == run.cores else {}
        left = max(0.0, 1 - sum(shares.values()))
        shares[OTHERS] = min(left, max(0.0, machine - players - used) / run.cores)
    return shares | {IDLE: max(0.0, 1 - sum(shares.values()))}


def cpu_per_call_s(run: Run, daemon: str) -> float | None:
    """CPU time of a daemon for a call that it answered, seconds; None where it was not sampled.

    It is without compiler and collector, as far as these were sampled.
    """
    used, part = _used(run, PREFIX.get(daemon, "")), run.part(daemon) if daemon in run.daemons else run
    calls_per_s = part.throughput()
    return used[CALLS] / calls_per_s or None if used and calls_per_s else None


def waits(run: Run) -> dict[str, float]:
    """What calls waited for in the target, each as a share of a time; empty where that was not sampled.

    Returns:
        `QUEUE`: of a call's time in the target, the wait for a handler. Of a NameNode also `LOCK`: of the time of busy
        handlers, the wait for the lock of the namespace; and `SYNC`: of all time, that in which the edit log was being
        synced. Of a ResourceManager `SCHEDULER`: of all time, that in which its scheduler worked on heartbeats of
        nodes, waits for its lock among it.
    """
    readings, prefix = Readings(run.steady_metrics), prefix_of(run)
    servers = [found[1] for found in map(_SERVER.fullmatch, readings.names) if found]
    lock, queue, handlers, response = (
        sum(_busy(readings, f"{server}{name}Time") for server in servers if server.startswith(prefix + "Rpc"))
        for name in ("LockWait", "Queue", "Processing", "Response")
    )
    if not handlers:
        return {}
    shares = {QUEUE: queue / (queue + handlers + response)}
    if prefix == MASTER:
        nodes = _busy(readings, f"{MASTER}CapacitySchedulerMetrics.NodeUpdate", 1e-9)
        return shares | {SCHEDULER: min(1.0, nodes)}
    return shares | {LOCK: lock / handlers, SYNC: min(1.0, _busy(readings, "NameNodeActivity.Syncs"))}


def thread_shares(run: Run) -> dict[str, float]:
    """Shares of one core that single threads of a ResourceManager used: `SCHEDULER`, `DISPATCHER` and `ALLOCATOR`.

    Empty where they were not sampled. A core is all that each of them can use, whatever the machine has.
    """
    readings = Readings(run.steady_metrics)
    rises = {name: _rise(readings, MASTER + counter) for name, counter in _SINGLE.items()}
    return {name: rise for name, rise in rises.items() if rise}


def call_queue_ms(run: Run) -> float | None:
    """Mean time for which a call waited for a handler, milliseconds; None where that was not sampled."""
    return Readings(run.steady_metrics).mean(_QUEUE_TIME)


def method_cpu_us(run: Run) -> dict[str, float]:
    """CPU time of the target for a call of each method, microseconds; empty where there is no base for it.

    There is none where the target's counts by method, or its handlers' CPU time, were not sampled, and where handlers
    waited for the lock for half of their time. Of a ResourceManager it is that of its handlers alone.
    """
    readings, shares, waited = Readings(run.steady_metrics), core_shares(run), waits(run)
    prefix = prefix_of(run)
    handlers = _rise(readings, prefix + threads.HANDLERS)
    found = [found for found in map(_METHOD.fullmatch, readings.names) if found and found[1] == prefix]
    rates = {each[0].removesuffix(_COUNT): _rise(readings, each[0]) or 0.0 for each in found}
    names = {each[0].removesuffix(_COUNT): method_name(each[2]) for each in found}
    times = {stem: _busy(readings, stem) for stem, rate in rates.items() if rate > 0}
    if not (handlers and shares and waited and sum(times.values())) or waited.get(LOCK, 0.0) >= _BLURRED:
        return {}
    split = handlers / sum(times.values())
    others = max(0.0, shares[CALLS] * run.target_cores - handlers) if prefix != MASTER else 0.0
    evenly = others / sum(rates.values())
    return {names[stem]: 1e6 * (time * split / rates[stem] + evenly) for stem, time in times.items()}


def prefix_of(run: Run) -> str:
    """How the names of the target's numbers begin, where one daemon was called."""
    return PREFIX.get(run.daemons[0], "") if len(run.daemons) == 1 else ""


def _used(run: Run, prefix: str) -> dict[str, float]:
    """Cores that a daemon used: by `COMPILER`, where it was sampled, `COLLECTOR` and `CALLS`, which is all else."""
    used = _rise(Readings(run.steady_metrics), prefix + CPU)
    if used is None:
        return {}
    compiler, collector = (
        thread_share(run.steady_metrics, each, prefix=prefix)
        for each in (threads.COMPILER, threads.COLLECTOR)
    )
    parts = {} if compiler is None else {COMPILER: compiler * used}
    parts[COLLECTOR] = (collector or 0.0) * used
    return {CALLS: max(0.0, used - sum(parts.values()))} | parts


def _rise(readings: Readings, name: str) -> float | None:
    """How much a counter rose in a second; None where it was not sampled over any time."""
    seen = readings.gauge(name)
    if len(seen) < 2 or seen[-1][0] <= seen[0][0]:
        return None
    return (seen[-1][1] - seen[0][1]) / (seen[-1][0] - seen[0][0])


def _busy(readings: Readings, stem: str, scale: float = 1e-3) -> float:
    """How many of an operation were under way at once, in the mean; its times are in milliseconds, or of that scale."""
    return mean_of(readings.busy(stem, scale)) or 0.0
