"""What Prometheus is answered while something is played."""

from __future__ import annotations

import socket

import pytest

from froude.base.errors import InputError
from froude.emulation.engine import Status
from froude.emulation.run.bottleneck import Load
from froude.emulation.run.tally import IntervalRow
from froude.experiment.play.prometheus import served
from froude.hadoop.metrics.jmx import Sampler
from testbed.virtual_clock import VirtualClock
from tests.support.experiment.prometheus import scraped

STATUS = Status(
    Load(3.0, 0.25, 1000, 7, 4, 0.5),
    False,
    9.0,
    2.0,
    "create",
    1,
    {"create": (9, 8), "open": (2, 2)},
    {("create", "java.io.IOException"): 1},
    [IntervalRow(3.0, "create", 3, 3, 0, 1.0, 2.0, 3.0, 4.0), IntervalRow(3.0, "open", 1, 0, 0, 0, 0, 0, 0)],
    {0.5: 1.0, 1.0: 5.0},
)


def test_what_was_told_is_answered() -> None:
    """Counts, errors, latencies of the last second, lateness, the player, the target, and the phase."""
    sampler = Sampler(lambda: {"JvmMetrics.GcCount": 5.0, "process.heap_used_bytes": 6.0}, VirtualClock())
    sampler.take()
    with served("0") as endpoint:
        before = scraped(endpoint.url)
        with endpoint.live.play(sampler):
            endpoint.live.tell(STATUS, "")
            values = scraped(endpoint.url)
        assert scraped(endpoint.url)["froude_phase", "ended"] == 1
    assert (before["froude_phase", "starting"], before["froude_plays_total",]) == (1, 0)
    assert "froude_nodes" not in {name for name, *_ in before}
    wanted = {
        ("froude_phase", "playing"): 1,
        ("froude_phase", "waiting for safe mode"): 0,
        ("froude_plays_total",): 1,
        ("froude_calls_sent_total", "create"): 9,
        ("froude_calls_answered_total", "create"): 8,
        ("froude_errors_total", "java.io.IOException", "create"): 1,
        ("froude_latency_seconds", "create", "0.99"): 0.003,
        ("froude_latency_seconds", "create", "1"): 0.004,
        ("froude_lateness_seconds", "0.5"): 0.001,
        ("froude_lateness_seconds", "1"): 0.005,
        ("froude_calls_in_flight",): 4,
        ("froude_nodes",): 7,
        ("froude_player_cpu_share",): 0.25,
        ("froude_machine_cpu_share",): 0.5,
        ("froude_target", "GcCount", "JvmMetrics"): 5,
        ("froude_target", "heap_used_bytes", "process"): 6,
    }
    assert {name: values.get(name) for name in wanted} == wanted
    assert ("froude_latency_seconds", "open", "0.99") not in values


def test_what_nobody_knows_is_left_out() -> None:
    """Of a target that nobody samples, and a machine at which nobody looked."""
    with served("0") as endpoint, endpoint.live.play(None):
        endpoint.live.tell(STATUS._replace(load=Load(1.0, 0.1, 1, 1, 0), lateness={}), "")
        names = {name for name, *_ in scraped(endpoint.url)}
    assert not names & {"froude_target", "froude_machine_cpu_share", "froude_lateness_seconds"}


def test_a_port_that_is_taken_is_one_error() -> None:
    """Before anything is started; another is chosen by who asked."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with (
            pytest.raises(InputError, match=rf"--metrics-port: .*found 127\.0\.0\.1:{port}"),
            served(str(port)),
        ):
            pass  # pragma: no cover


@pytest.mark.parametrize("host", ["no such host", "203.0.113.7"])
def test_an_address_of_another_machine_is_one_error(host: str) -> None:
    """Also one that there is not."""
    with pytest.raises(InputError, match="--metrics-port: "), served(f"{host}:0"):
        pass  # pragma: no cover


@pytest.mark.parametrize(
    ("listen", "readers"),
    [
        ("0", "every user of this machine"),
        ("localhost:0", "every user of this machine"),
        ("0.0.0.0:0", "everybody who reaches this address"),
    ],
)
def test_who_can_read_is_stated(listen: str, readers: str) -> None:
    """Beyond loopback everybody can, under the name of this machine."""
    with served(listen) as endpoint:
        assert endpoint.readers.startswith(readers)
        assert "0.0.0.0" not in endpoint.url


@pytest.mark.parametrize("text", ["", "x", ":9100", "65536", "h:", "-1", "٣", "9" * 5000])
def test_what_is_no_port_is_refused(text: str) -> None:
    """With what may be there."""
    with (
        pytest.raises(InputError, match="--metrics-port"),
        served(text),
    ):
        pass  # pragma: no cover
