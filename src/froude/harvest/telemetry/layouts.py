"""Layouts of utilisation tables, by the columns that are wanted of each.

Sources: the traces' own descriptions (GWA-T-12 Bitbrains; PlanetLab as of CloudSim; Alibaba cluster-trace v2017, v2018
and gpu-v2020; AzurePublicDataset V1 and V2; Google ClusterData 2011-2 and 2019); Prometheus' HTTP API, "Range queries";
Amazon CloudWatch's API, GetMetricStatistics; sar(1), sadf(1), vmstat(8); Telegraf's plugin cpu; InfluxDB,
"Annotated CSV".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from froude.base.columns import Column, Kind
from froude.base.forms import Form

TIMES = (
    "time", "timestamp", "time_s", "t", "datetime", "date", "time_stamp", "ts", "epoch", "clock", "@timestamp",
    "time_generated",
)  # fmt: skip
SERVERS = (
    "server", "series", "machine", "host", "hostname", "node", "instance", "machine_id", "vm", "vm_id", "server_id",
    "instance_id", "server_name", "host_name", "machine_name", "node_name", "vm_name", "instance_name", "computer",
    "computer_name", "entity", "pod", "pod_name", "container", "container_name",
)  # fmt: skip
"""What a server is called: in headers, labels and inventories."""
ADDRESSES = ("ip", "ip_address", "address")
"""Likewise, where it has no name."""
METRICS = (
    "metric", "metric_name", "metric_id", "measurement", "field", "counter", "counter_name", "parameter", "kpi",
)  # fmt: skip
"""Columns that name what a value is; of a table they have one value."""
KINDS = (
    "name", "item", "item_id", "key", "type", "label", "object", "service", "sensor", "check", "dimension", "statistic",
    "mode", "state",
)  # fmt: skip
"""Columns that may do so, or describe a server: of each they have one value."""
SHARES = (
    "cpu", "utilisation", "utilization", "cpu_util", "cpu_percent", "cpu_util_percent", "cpu_usage", "cpu_utilisation",
    "cpu_utilization", "percentage_cpu", "value", "average", "counter_value",
    "cpu_pct", "cpu_usage_percent", "cpu_usage_pct", "cpu_load", "cpu_load_pct", "cpu_load_percent", "avg_cpu",
    "cpu_avg", "cpu_busy", "average_cpu", "cpu_average", "mean_cpu", "cpu_mean",
    "cpu_util_pct", "utilization_pct", "utilization_percent",
    "load_pct", "load_percent",
)  # fmt: skip
USAGES = ("usage_user", "usage_system", "usage_idle")
"""Columns of parts of it."""
_INVALID = 101.0
"""The largest that published traces write where a value is invalid."""


def _time(*names: str, unit: float = 1.0) -> Column:
    return Column("time", names, Kind.TIME, unit=unit)


def _cpu(*names: str, most: float = _INVALID) -> Column:
    return Column("cpu", names, Kind.NUMBER, empty=True, least=-_INVALID, most=most)


_BITBRAINS = Column("cpu", ("CPU usage [%]",), Kind.NUMBER, empty=True)
_NAME = Column("server", ("machine_id", "vm id"))
_CONTAINER = Column("server", ("container_id",))
_GPU = Column("server", ("machine",))
_NUMBERED = Column("server", ("machine_id",), numbered=True)
_GOOGLE = (
    _time("start_time", unit=1e-6),
    Column("end", ("end_time",), Kind.TIME, unit=1e-6),
    _NUMBERED,
    Column(
        "cpu",
        ("average_usage.cpus", "average_usage_cpus", "average_usage"),
        Kind.NUMBER,
        empty=True,
        within=r"cpus\W+(?P<value>[0-9.eE+-]+)",
        least=0.0,
        most=1e3,
    ),
)
_LOWEST = Column("lowest", ("min cpu",), Kind.NUMBER, empty=True)
_HIGHEST = Column("highest", ("max cpu",), Kind.NUMBER, empty=True)
_PLAIN = (
    replace(_time(*TIMES), titled=True),
    Column("server", SERVERS, needed=False, numbered=True, lesser=ADDRESSES),
    Column("cpu", SHARES, Kind.NUMBER, empty=True),
    *(Column(name, needed=False, empty=True, numbered=True) for name in (*METRICS, *KINDS)),
    Column("unit", ("unit", "units", "uom"), needed=False, empty=True),
    Column("zone", ("tz", "timezone", "time_zone", "utc_offset"), needed=False, empty=True, numbered=True),
)
_SERVER = Column("server", numbered=True)
_NUMBER = r"[0-9]+[.,]?[0-9]*"
_IDLE, _IOWAIT = (
    Column(name, kind=Kind.NUMBER, least=-0.1, most=100.1, needed=name == "idle", empty=name != "idle")
    for name in ("idle", "iowait")
)
_DAY, _HOUR, _TITLES = (Column(name, empty=True, numbered=True) for name in ("day", "hour", "titles"))
_PROCESSOR = Column("processor", ("cpu",), needed=False, empty=True, numbered=True)
_SAR = (
    r"Linux \S+ \((?P<server>[^)]+)\)\s+(?P<day>\S+)\s.*|"
    r"(?P<hour>[0-9:]{8}(?: [AP]M)?)\s+(?:(?P<processor>all|[0-9]{1,4})"
    rf"(?:\s+{_NUMBER}){{3}}\s+(?P<iowait>{_NUMBER})(?:\s+{_NUMBER})+\s+(?P<idle>{_NUMBER})\s*|(?P<titles>[A-Za-z%].*))"
)
_VMSTAT = (
    r"\s*(?:[0-9]+\s+){14}(?P<idle>[0-9]+)\s+(?P<iowait>[0-9]+)\s+[0-9]+\s+(?:[0-9]+\s+)?"
    r"(?P<time>[0-9]{4}-[0-9-]+ [0-9:]+)\s*"
)
_TAGS = r"(?:[^ \\]|\\.)*"
_INFLUX = (
    rf"cpu,(?:{_TAGS},)?cpu=(?P<processor>[^, ]+),(?:{_TAGS},)?host=(?P<server>(?:[^, \\]|\\.)+)(?:,{_TAGS})? "
    r"(?:\S*usage_iowait=(?P<before>[0-9.eE+-]+)\S*,)?(?:\S*,)?"
    r"usage_idle=(?P<idle>[0-9.eE+-]+)(?:\S*,usage_iowait=(?P<iowait>[0-9.eE+-]+))?\S* (?P<time>[0-9]{19})\s*"
)
# What each position holds; a published header may precede it, in which the names count instead.
_TASKS = ("time", "end", "", "", "server", "cpu", *[""] * 14)
_SERVER_USAGE = ("time", "server", "cpu", "", "", "", "", "")
_MACHINE_USAGE = ("server", "time", "cpu", "", "", "", "", "", "")
_CONTAINERS = ("server", "", "time", "cpu", "", "", "", "", "", "", "")
_METRIC = ("", "server", "time", "", "", "", "", "", "", "", "", "cpu")
_READINGS = ("time", "server", "lowest", "highest", "cpu")


@dataclass(frozen=True, slots=True)
class Layout:
    """A form, and what its values are."""

    form: Form
    percent: bool | None = None
    """Whether utilisation counts to 100, not to 1; None where the values show it, or a person says it."""
    marked: bool = False
    """Whether a value below 0 or above 100 stands for an invalid one."""
    step_s: float = 0.0
    """Seconds from one line to the next, where lines have no time."""
    added: bool = False
    """Whether records with begin and end add up to the use of a machine."""


def _layout(
    name: str,
    *columns: Column,
    percent: bool | None = None,
    marked: bool = False,
    step_s: float = 0.0,
    added: bool = False,
    **form: Any,
) -> Layout:
    return Layout(Form(name, columns, **form), percent, marked, step_s, added)


_published = partial(_layout, percent=True, marked=True)
_percent = partial(_layout, percent=True)
_google = partial(_layout, percent=False, added=True)
LAYOUTS = {
    layout.form.name: layout
    for layout in (
        _percent("bitbrains", _time("Timestamp [ms]"), _BITBRAINS),
        _google("google2019", *_GOOGLE),
        _google("google2019-json", *_GOOGLE, lines=True),
        _google("google2011", *_GOOGLE, order=_TASKS, header=False),
        _published("alibaba2017", _time("timestamp"), _NUMBERED, _cpu("used percent of cpus(%)"), order=_SERVER_USAGE),
        _published(
            "alibaba2018-containers", _time("time_stamp"), _CONTAINER, _cpu("cpu_util_percent", most=1e4),
            order=_CONTAINERS,
        ),
        _published("alibaba2018", _time("time_stamp"), _NAME, _cpu("cpu_util_percent"), order=_MACHINE_USAGE),
        _published("alibaba2020", _time("start_time"), _GPU, _cpu("machine_cpu"), order=_METRIC),
        _published("azure", _time("timestamp"), _NAME, _LOWEST, _HIGHEST, _cpu("avg cpu"), order=_READINGS),
        _percent("planetlab", _cpu(), order=("cpu",), header=False, separator="\t", step_s=300.0),
        _percent(
            "sar", _DAY, _HOUR, _TITLES, _PROCESSOR, replace(_SERVER, empty=True), replace(_IDLE, empty=True), _IOWAIT,
            pattern=_SAR, ignored=r"[0-9:]{8} .*|\S[^:]*:\s.*",
        ),
        _percent(
            "vmstat", _time(), _IDLE, _IOWAIT, pattern=_VMSTAT, ignored=r"\W*procs\W.*|.* st +(?:gu +)?UTC"
        ),
        _percent(
            "influx-line", _time(unit=1e-9), _SERVER, _PROCESSOR, _IDLE, _IOWAIT, replace(_IOWAIT, what="before"),
            pattern=_INFLUX, ignored=r"#.*|(?:[a-z_]*[a-bd-z_][a-z_]*|c),.*",
        ),
        _percent(
            "telegraf", _time("_time", *TIMES), _PLAIN[1], _PROCESSOR,
            *(replace(each, names=(f"usage_{each.what}",)) for each in (_IDLE, _IOWAIT)), ignored="#.*",
        ),
        _layout(
            "influx-csv", _time("_time"), replace(_PLAIN[1], names=("host",)),
            Column("cpu", ("_value",), Kind.NUMBER, empty=True), *_PLAIN[3:], _PROCESSOR,
            *(Column(each, empty=True, numbered=True) for each in ("result", "table")), ignored="#.*",
        ),
        _percent(
            "sadf", _time("timestamp"), replace(_SERVER, names=("hostname",)), Column("interval"), _PROCESSOR, _IDLE,
            _IOWAIT, separator=";",
        ),
        _layout("json", *_PLAIN, lines=True),
        _layout("csv", *_PLAIN),
    )
}  # fmt: skip
"""By name, the more special first. In the 2020 trace of Alibaba it is the machine's use while a worker ran."""
WIDE = _layout("wide")
"""A column a server, known once the header is read."""
PROMETHEUS, GRAPHITE = _layout("prometheus"), _layout("graphite-json")
CLOUDWATCH, AZURE = _percent("cloudwatch-json"), _percent("azure-json")
"""JSON answers, which are read by a reader of their own."""
OTHERS = {layout.form.name: layout for layout in (WIDE, PROMETHEUS, CLOUDWATCH, AZURE, GRAPHITE)}
"""Those that are not found by the columns of a form."""
OLDER_NAMES = {"alibaba": "alibaba2018", "cloudwatch": "csv"}
