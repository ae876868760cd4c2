"""A Run for the terminal: the verdict first, then what it rests on."""

from __future__ import annotations

from collections.abc import Sequence

from froude.base.summary import counted
from froude.base.units import seconds_text
from froude.emulation.run.bottleneck import RESOURCEMANAGER
from froude.emulation.run.readings import Readings
from froude.emulation.run.run import Latency, Run
from froude.emulation.settings import Mode
from froude.hadoop.rpc.target import daemon_name
from froude.trace.failures import Failure

_MOST_FAILURES = 12


def run_text(run: Run) -> str:
    """What `froude play` prints."""
    blocks = [
        _verdict(run),
        _load(run),
        _methods(run),
        failures_text(run.failures, "see `run.json`"),
        _known(run),
        _rest(run),
    ]
    return "\n\n".join(block for block in blocks if block)


def _verdict(run: Run) -> str:
    verdict = run.verdict
    lines = [
        f"{verdict.colour.value.upper()}: {verdict.reasons[0]}",
        *(f"  {r}" for r in verdict.reasons[1:]),
    ]
    if run.left_out:
        most = sorted(run.left_out.items(), key=lambda pair: -pair[1])[:_MOST_FAILURES]
        lines += [f"{times:>10,}  {what}" for what, times in most]
    lines += [f"  {result.text}" for result in run.limits if result.held]
    return "\n".join(lines)


def _load(run: Run) -> str:
    ramp = sum(sent for sent, _ in run.tally.ramp.counts.values())
    lines = [f"Limited by {run.bottleneck}"]
    once = run.mode == Mode.ONCE.value
    if run.steady_from_s:
        name, calls = "Ramp" if once else "Warm-up", counted(ramp, "call")
        lines.append(f"{name}: {run.steady_from_s:.1f} s, {calls}, not among the figures below")
    figures = f"{run.steady_s:.1f} s, {counted(run.answered(), 'call')}, {run.throughput():,.0f} calls/s"
    lines.append(f"{'Steady' if once else 'Measured'}: {figures}")
    allocation = run.allocation
    if allocation.count:
        p50, p99 = (seconds_text(ms / 1e3) for ms in (allocation.p50_ms, allocation.p99_ms))
        lines.append(
            f"Containers: {run.containers_per_s:,.1f} granted a second, after {p50} (p50) and {p99} (p99)"
        )
        pending = run.most("QueueMetrics.PendingContainers", RESOURCEMANAGER)
        shares = Readings(run.steady_metrics).queue_shares()
        lines += [f"Waiting containers: at most {pending:,.0f}"] if pending is not None else []
        lines += (
            [f"Queues: {', '.join(f'{name} {share:.0%}' for name, share in shares.items())}"]
            if shares
            else []
        )
    lines += [f"{daemon_name(daemon)}: {_part(part)}" for daemon, part in run.parts.items()]
    return "\n".join(lines)


def _part(part: Run) -> str:
    """What was one of several daemons'."""
    verdict, share = part.verdict, part.bottleneck.target_share
    cpu = "its CPU was not seen" if share is None else f"{share:.0%} of a core"
    return f"{verdict.colour.value}, {part.rate_text}, {cpu}"


def _methods(run: Run) -> str:
    closed = run.main_latency is Latency.SERVICE
    lines = [f"{run.pacing.capitalize()} pacing; p50 and p99 of the {run.main_latency.value}"]
    if closed:
        lines.append(
            "p99c: corrected for the calls that slow ones kept from being made (coordinated omission)"
        )
    head = f"{'method':<26}{'answered':>10}{'p50 ms':>10}{'p99 ms':>10}"
    lines.append(head + f"{'p99c ms' if closed else 'service':>10}{'failed':>8}")
    for daemon, part in (run.parts or {"": run}).items():
        lines += [_row(daemon_name(daemon), part, None)] if daemon else []
        lines += [_row(f"{'  ' * bool(daemon)}{method}", part, method) for method in part.counts]
    return "\n".join(lines)


def _row(title: str, run: Run, method: str | None) -> str:
    """One method of the table, or, without one, all of a daemon."""
    main = run.latency(method)
    closed = run.main_latency is Latency.SERVICE
    other = run.latency(method, Latency.CORRECTED if closed else Latency.SERVICE)
    seconds = (main.seconds("p50_ms"), main.seconds("p99_ms"), other.seconds("p99_ms"))
    times = "".join(f"{'-':>10}" if each is None else f"{1e3 * each:>10.2f}" for each in seconds)
    failed = run.failed.total() if method is None else run.failed[method]
    return f"{title:<26}{run.answered(method):>10,}{times}{failed:>8,}"


def failures_text(failures: Sequence[Failure], rest: str) -> str:
    """Failed calls by class, method and message: number, first and last time, and the first message.

    Args:
        failures: most frequent first; beyond a dozen they are only counted.
    """
    if not failures:
        return ""
    lines = [f"{'errors':>8}  {'first':>8}  {'last':>8}  method, class and the first message"]
    for group in failures[:_MOST_FAILURES]:
        error = group.error.rpartition(".")[2]
        times = f"{group.first_s:>6.1f} s  {group.last_s:>6.1f} s"
        lines.append(f"{group.count:>8,}  {times}  {group.method} {error}: {group.example or group.message}")
        if group.path is not None and group.path not in group.example:
            lines.append(f"{'':>30}such as {group.path}")
    if len(failures) > _MOST_FAILURES:
        lines.append(f"{sum(g.count for g in failures[_MOST_FAILURES:]):>8,}  others: {rest}")
    return "\n".join(lines)


def _known(run: Run) -> str:
    """That some of the errors are no news."""
    known = sum(sum(classes.values()) for classes in run.errors.values()) - run.failed.total()
    verb = "is" if known == 1 else "are"
    return (
        f"Of these errors {known:,} {verb} as recorded, or made again: not counted as failed."
        if known
        else ""
    )


def _rest(run: Run) -> str:
    lines = list(run.remarks)
    if run.differences is not None:
        lines += [f"{d.method}: sent {d.sent}, the target counted {d.counted}" for d in run.differences] or [
            "The target counted every call once."
        ]
    return "\n".join([*lines, f"Run written to {run.folder}; as a page: froude report {run.folder}"])
