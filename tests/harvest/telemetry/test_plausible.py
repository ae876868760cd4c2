"""Whether samples are the utilisation of servers."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest

from froude.base.errors import InputError
from froude.harvest.telemetry.plausible import (
    in_shares,
    marks,
    refuse_metric,
    refuse_names,
    refuse_odd,
    shares_factor,
)

FILE = "t.csv"
STEADY = np.full(200, 0.5)


@pytest.mark.parametrize(
    ("odd", "count", "message"),
    [
        (1.1, 100, ""),
        (7.8, 4, ""),
        (7.8, 5, r"5 of 205 values above 120%, up to 780%.*--scale; or divide .* cores by their number"),
    ],
)
def test_values_far_above_1(odd: float, count: int, message: str) -> None:
    """Slightly above is a fast clock, a few are mistakes; many are of several cores, or of another column."""
    share = np.append(STEADY, [odd] * count)
    for percent, values in ((False, share), (True, share * 100), (None, share * 100)):
        with pytest.raises(InputError, match=message) if message else nullcontext():
            shares_factor(FILE, values, percent, plain=True)
    shares_factor(FILE, share, False, plain=False)


def test_one_value_above_1_does_not_make_shares_percent() -> None:
    """It is asked about, by the flag that the command has."""
    with pytest.raises(InputError, match=r"found no value above 0\.5\. Say which it is: --scale share"):
        shares_factor(FILE, STEADY, None, plain=True)
    with pytest.raises(InputError, match=r"or shares; found 1 of 201 values above 1, no value above 1\.03"):
        shares_factor(FILE, np.append(STEADY, 1.03), None, plain=True)
    with pytest.raises(InputError, match=r"found 200 of 400 values above 1, no value above 3\.5"):
        shares_factor(FILE, np.append(STEADY, STEADY + 3), None, plain=True)
    cores = np.linspace(0.4, 2.4, 200)
    for scale in (1, 4, 100 / 2.5):
        with pytest.raises(InputError, match="percent, cores or shares") if scale < 5 else nullcontext():
            shares_factor(FILE, cores * scale, None, plain=True)
    assert shares_factor(FILE, np.arange(8.0), None, plain=True) == 0.01
    assert shares_factor(FILE, np.append(STEADY, [30] * 9), None, plain=True) == 0.01


def test_values_below_0() -> None:
    """A few are mistakes."""
    server, time = np.zeros(200, np.int32), np.arange(200.0)
    refuse_odd(FILE, server, time, STEADY - (time < 20))
    with pytest.raises(
        InputError, match="another column for its utilisation; found 21 of 200 samples below 0"
    ):
        refuse_odd(FILE, server, time, STEADY - (time < 21))


def test_several_values_at_one_time() -> None:
    """Of processors or metrics; the same value twice is a copy, and one is a mistake."""
    server, time = np.repeat([0, 1], 100).astype(np.int32), np.repeat(np.arange(100.0), 2)
    refuse_odd(FILE, server, time, STEADY)
    other = np.where(np.arange(200) % 2 > 0, 0.7, STEADY)
    refuse_odd(FILE, server[:2], time[:2], other[:2])
    with pytest.raises(InputError, match="found 100 of 200 samples at the time of another one, with another"):
        refuse_odd(FILE, server, time, other)


def test_samples_in_other_units_than_seconds() -> None:
    """Of a recording, by the time between them; with dates it is how they were taken."""
    server, time = np.zeros(200, np.int32), np.arange(200.0) * 300_000
    for apart in (1, 5, 30):
        with pytest.raises(InputError, match=r"a sample every [0-9]+0,000 s\..*--date-format ms"):
            refuse_odd(FILE, server, time / apart, STEADY)
    refuse_odd(FILE, server, time / 1000, STEADY)
    refuse_odd(FILE, server, time * 86400 / 300_000, STEADY)
    refuse_odd(FILE, server, time + 1.7e9, STEADY)


def test_counters() -> None:
    """What only grows, in any order of its samples, but for resets; what falls now and then is a load."""
    server, time = np.zeros(2000, np.int32), np.arange(2000.0)[::-1]
    refuse_odd(FILE, server, time, time % 100)
    refuse_odd(FILE, server, time, time // 9)
    with pytest.raises(InputError, match=r"only grow; found 1,998 of 1,999 steps up, 1 down\. Take the diff"):
        refuse_odd(FILE, server, time, time % 1500)


@pytest.mark.parametrize(
    ("name", "refused"),
    [
        ("%idle", True),
        ("cpu_idle", True),
        ("id", True),
        ("system.cpu.util[,iowait]", True),
        ("mem_used_percent", True),
        ("MemoryUtilization", True),
        ("node_load15", True),
        ("servers.a.loadavg.01", True),
        ("servers.a.df.root.used_pct", True),
        ("CPUCreditBalance", True),
        ("CPUCreditBalance i-0a", True),
        ("df-1 of credit", False),
        ("usage_user", True),
        ("usage_softirq", True),
        ("system.cpu.user", True),
        ("system.cpu.util[,user,avg1]", True),
        ("CPU user time", True),
        ("system.cpu.util[,,avg1]", False),
        ("system.cpu.total.norm.pct", False),
        ("acme.net.cpu.util", False),
        ("cpu_util_over_all_vcpus", False),
        ("container.cpu.cores.usage.ratio", False),
        ("cpu_cores_used", True),
        ("100 - (avg by(instance)(rate(node_cpu_seconds_total{mode='idle'}[5m])))", False),
        ("cpu_nonidle", False),
        ("host-id-7", False),
        ("cpu load pct", False),
        ("frames", False),
    ],
)
def test_names_of_what_is_not_utilisation(name: str, refused: bool) -> None:
    """Idle time, memory and the like are refused; what is left of idle time is not."""
    with (
        pytest.raises(InputError, match=r"utilisation of CPUs|mode of a processor")
        if refused
        else nullcontext()
    ):
        refuse_metric(FILE, name, may_describe=True)


@pytest.mark.parametrize(
    ("servers", "refused"),
    [
        ("sys1 sys2", False),
        ("user1 system-1 guest01 nice1 wait-1", False),
        ("user system", True),
        ("web1 usage_user", True),
        ("web1 cpu0.user", True),
        ("web1 system.cpu.util[,user,avg1]", True),
    ],
)
def test_modes_of_a_processor_are_not_servers(servers: str, refused: bool) -> None:
    """With a number behind it, a mode is the name of a server."""
    with pytest.raises(InputError, match="modes of a processor") if refused else nullcontext():
        refuse_names(FILE, servers.split())


def test_servers_in_shares_among_percent() -> None:
    """Those whose values are up to 1, with fractions; whole percent are of a server with nothing to do."""
    low, high = np.array([0, 0.1, 0.1, 0, np.nan]), np.array([1, 1, 0.5, 40, np.nan])
    assert "'b' and 1 other server is above 1" in in_shares("abcde", low, high)
    assert in_shares("abcde", low, high + 1) == ""


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([5, -1, 7, -1, 9, 8], [-1]),
        ([5, 999, 7, 999, 9, 8], [999]),
        ([5, 400, 7, 400, 9, 8], []),
        ([5, 999, 7, 9, 9, 8], []),
    ],
)
def test_marks_of_missing_values(values: list[float], expected: list[float]) -> None:
    """Four busy processors are no mark, and neither is one value alone."""
    assert marks(np.array(values, float)).tolist() == expected
