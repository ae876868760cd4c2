"""What goes on in a play, for Prometheus: counts, latencies, lateness, the player, and the target's own numbers.

Who asks over HTTP gets what a play told last (`live`). Nothing is asked of player or target for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from froude.emulation.engine import Status
from froude.emulation.run.tally import IntervalRow
from froude.experiment.play.live import Live, Phase
from froude.hadoop.metrics.jmx import Sampler
from froude.hadoop.rpc.target import is_loopback
from froude.rest.exposition import exposed
from froude.rest.serving import listener

_QUANTILES = (("0.5", "p50_ms"), ("0.9", "p90_ms"), ("0.99", "p99_ms"), ("1", "max_ms"))


class Served(NamedTuple):
    """An endpoint."""

    live: Live
    """What a play tells it."""
    url: str
    """Such as `http://127.0.0.1:9100/metrics`."""
    readers: str
    """Who can read them there, for the user."""


class Metrics(Collector):
    """What a play told last, as Prometheus asks for it."""

    def __init__(self, live: Live) -> None:
        """Of one experiment."""
        self._live = live

    def collect(self) -> Iterable[Metric]:
        """Everything, as Prometheus asks for it."""
        live = self._live
        status, sampler = live.status, live.sampler  # which the experiment may change meanwhile
        yield _gauge(
            "phase", "1 for where the experiment is", "phase", {p.value: p is live.phase for p in Phase}
        )
        yield CounterMetricFamily("froude_plays", "Plays that have begun", value=live.plays)
        if status is not None:
            yield from _calls(status)
            yield from _player(status)
        if sampler is not None:
            yield from _target(sampler)


@contextmanager
def served(listen: str) -> Iterator[Served]:
    """Answer Prometheus while the block runs.

    Args:
        listen: `PORT`, 0 for a free one; or `HOST:PORT` for another address than this machine's own.

    Raises:
        InputError: another form, somebody else listens there, or it is not an address of this machine.
    """
    live, registry = Live(watched=True), CollectorRegistry()
    registry.register(Metrics(live))
    bound = listener(listen if ":" in listen else f"127.0.0.1:{listen}", place="--metrics-port")
    readers = "everybody who reaches this address can read them, without a password and unencrypted"
    if is_loopback("{}:{}".format(*bound.socket.getsockname())):
        readers = "every user of this machine can read them"
    with exposed(registry, bound):
        yield Served(live, f"{bound.url}/metrics", readers)


def _calls(status: Status) -> Iterator[Metric]:
    sent = CounterMetricFamily("froude_calls_sent", "Calls sent", labels=["method"])
    answered = CounterMetricFamily(
        "froude_calls_answered", "Calls answered, with errors too", labels=["method"]
    )
    for method, (out, back) in sorted(status.counts.items()):
        sent.add_metric([method], out)
        answered.add_metric([method], back)
    errors = CounterMetricFamily(
        "froude_errors",
        "Error answers and lost calls, also those that were recorded",
        labels=["method", "error"],
    )
    for (method, error), times in sorted(status.errors_by_kind.items()):
        errors.add_metric([method, error], times)
    latency = GaugeMetricFamily(
        "froude_latency_seconds",
        "Latency of the calls answered in the last second, from when they were due; quantile 1 is the longest",
        labels=["method", "quantile"],
    )
    for row in status.rows:
        for quantile, value_s in _quantiles(row) if row.answered else ():
            latency.add_metric([row.method, quantile], value_s)
    yield from (sent, answered, errors, latency)
    if status.lateness:
        late = {f"{quantile:g}": value_ms / 1e3 for quantile, value_ms in status.lateness.items()}
        yield _gauge("lateness_seconds", "How much later than due calls were sent, so far", "quantile", late)


def _quantiles(of: IntervalRow) -> Iterator[tuple[str, float]]:
    return ((quantile, getattr(of, name) / 1e3) for quantile, name in _QUANTILES)


def _player(status: Status) -> Iterator[Metric]:
    load = status.load
    for name, what, value in (
        ("play_seconds", "Since the play began", load.time_s),
        ("calls_in_flight", "Calls without an answer yet", load.in_flight),
        ("nodes", "Emulated nodes that have begun", load.nodes),
        ("player_cpu_share", "Of one core, by all players in the last second", load.cpu_share),
        ("player_resident_bytes", "Memory of the player", load.rss_bytes),
        ("machine_cpu_share", "Of all cores together, by whomever", load.machine_share),
    ):
        if value is not None:
            yield GaugeMetricFamily(f"froude_{name}", what, value=value)


def _target(sampler: Sampler) -> Iterator[Metric]:
    """Every number that was read last, under its own name: `bean="JvmMetrics", attribute="GcCount"`."""
    readings = GaugeMetricFamily(
        "froude_target", "What the target said of itself last", labels=["bean", "attribute"]
    )
    for name, value in sampler.samples[-1].values.items() if sampler.samples else ():
        bean, _, attribute = name.partition(".")
        readings.add_metric([bean, attribute], value)
    yield readings
    missed = CounterMetricFamily(
        "froude_target_missed", "How often the target did not answer", value=sampler.missed
    )
    yield missed


def _gauge(name: str, what: str, label: str, values: Mapping[str, float]) -> Metric:
    family = GaugeMetricFamily(f"froude_{name}", what, labels=[label])
    for each, value in values.items():
        family.add_metric([each], float(value))
    return family
