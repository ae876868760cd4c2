"""Layouts of utilisation tables, each as it is published, with what is right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from froude.base.forms import Options
from froude.harvest.telemetry.layouts import LAYOUTS, OTHERS
from froude.harvest.telemetry.samples import read_samples


class Case(NamedTuple):
    """A file, and the samples in it."""

    layout: str
    name: str
    text: str
    servers: list[str]
    times: list[float]
    shares: list[float]


BITBRAINS = (
    "Timestamp [ms];\tCPU cores;\tCPU capacity provisioned [MHZ];\tCPU usage [MHZ];\tCPU usage [%];\tMemory usage [KB]\n"
    "1400000000;\t4;\t10000.0;\t500.0;\t5.0;\t7\n1400000300;\t0;\t0.0;\t0.0;\t106.0;\t7\n"
)
GOOGLE = (
    "start_time,end_time,collection_id,instance_index,machine_id,average_usage.cpus,average_usage.memory\n"
)
TASK = "{start},{end},3418309,0,{machine},{cpu},0.07,0.08,0.001,0.002,0.08,0.0001,0.0004,0.1,0,2.9,0.01,0,0,0.02\n"
PLANETLAB_S = [86400.0, 86700.0, 87000.0, 87300.0]
SERVERS_2017 = "39600,12,30.5,40,20,1,2,3\n39900,12,101,40,20,1,2,3\n"
MACHINES_2018 = "m_1,10,100,52,,,0.5,0.6,3\nm_1,20,-1,52,,,0.5,0.6,3\n"
TASK_2011 = TASK.format(start=600000000, end=900000000, machine=5, cpu=0.25)
INSTANCE_2019 = {
    "start_time": "300000000",
    "end_time": "600000000",
    "machine_id": "77",
    "average_usage": {"cpus": 0.125},
}
DICTIONARY_2019 = (
    "start_time,end_time,machine_id,average_usage\n"
    "300000000,600000000,77,\"{'cpus': 0.125, 'memory': 0.5}\"\n"
)
NOT_KNOWN = float("nan")
WEB_1, WEB_2 = "ip-10-0-0-1.us-west-2.acme.net", '{instance="web-2:9100"}'
GRAFANA = f'"Time","{WEB_1}","{WEB_2.replace(chr(34), chr(34) * 2)}"\n'
GRAFANA += "1970-01-01 00:01:00,10,20\n1970-01-01 00:02:00,,40\n"
STATISTICS = {
    "Label": "CPUUtilization",
    "Datapoints": [
        {"Timestamp": "1970-01-01T00:02:00+00:00", "Average": 0.5, "Unit": "Percent"},
        {"Timestamp": "1970-01-01T00:01:00Z", "Average": 12.5, "Unit": "Percent"},
    ],
}
METRIC_DATA = {
    "MetricDataResults": [
        {
            "Id": "m1",
            "Label": name,
            "Timestamps": ["1970-01-01T00:02:00Z", "1970-01-01T00:01:00Z"],
            "Values": values,
        }
        for name, values in (("i-1", [12.5, 2]), ("i-2", [5, 7]))
    ],
    "NextToken": "x",
}
AZURE_VM = "/subscriptions/x/virtualMachines/vm1/providers/Microsoft.Insights/metrics/Percentage CPU"
AZURE = {
    "timespan": "1970-01-01T00:01:00Z/1970-01-01T00:03:00Z",
    "value": [
        {
            "id": AZURE_VM,
            "name": {"value": "Percentage CPU"},
            "unit": "Percent",
            "timeseries": [
                {
                    "metadatavalues": [],
                    "data": [
                        {"timeStamp": "1970-01-01T00:01:00Z", "average": 12.5},
                        {"timeStamp": "1970-01-01T00:02:00Z"},
                    ],
                }
            ],
        }
    ],
}
GRAPHITE = [{"target": name, "datapoints": [[12.5, 60], [None, 120]]} for name in ("web.1.cpu", "web.2.cpu")]
SAR = """Linux 5.15.0-91-generic (web-1) \t01/02/1970 \t_x86_64_\t(4 CPU)

11:50:01 PM     CPU     %user     %nice   %system   %iowait    %steal     %idle
11:50:01 PM     all      9.00      0.00      1.20      2.00      0.00     87.80
12:00:01 AM     all     20.15      0.00      1.20      2.00      0.00     76.65
Average:        all     14.57      0.00      1.20      2.00      0.00     82.20

Linux 5.15.0-91-generic (web-2) \t01/03/1970 \t_x86_64_\t(4 CPU)

12:10:01 AM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
12:10:01 AM  all    9.00    0.00    1.20    0.00    0.00    0.00    0.00    0.00    0.00   89.80
12:10:01 AM    0    7.00    0.00    1.20    0.00    0.00    0.00    0.00    0.00    0.00   91.80
"""
VMSTAT = """procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 UTC
 1  0      0 123456  12345 123456    0    0     1     2   10   20 11  1 87  1  0 1970-01-01 00:01:00
"""
INFLUX_LINE = (
    "mem,host=a used=5 60000000000\ncpu,cpu=cpu0,host=a usage_idle=5 1500000060000000000\n"
    "cpu,cpu=cpu-total,host=a usage_user=9,usage_idle=85,usage_nice=0,usage_iowait=5 1500000060000000000\n"
    "cpu,cpu=cpu-total,host=b,rack=7 usage_iowait=1,usage_idle=85.5 1500000060000000000\n"
)
INFLUX_CSV = "".join(
    "#datatype,string,long,dateTime:RFC3339,dateTime:RFC3339,double,string,string,string\n#group,false,false,true,false,"
    "false,true,true,true\n#default,_result,,,,,,,\n,result,table,_start,_time,_value,_field,cpu,host\n"
    f",,0,1970-01-01T00:00:00Z,1970-01-01T00:01:00Z,87.5,usage_idle,cpu-total,{host}\n\n"
    for host in "ab"
)
SADF = (
    "# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle\n"
    "a;600;1970-01-01 00:01:00 UTC;-1;20.15;0.00;1.20;2.00;0.00;76.65\n"
    "a;600;1970-01-01 00:01:00 UTC;0;9;0.00;1.20;2.00;0.00;87.8\n"
)
CONSOLE = """"Full label","AWS/EC2, i-1, CPUUtilization","AWS/EC2, i-2, CPUUtilization"
"Label","i-1","i-2"
"Unit","Percent","Percent"
"1970-01-01 00:01:00",12.5,42.5
"""
GOOGLE_CONSOLE = """TimeSeries ID,"project_id: p, instance_id: 1234","project_id: p, instance_id: 3456"
project_id,p,p
instance_id,1234,3456
Thu Jan 01 1970 01:01:00 GMT+0100 (Central European Standard Time),12.5,42.5
"""
CASES = [
    Case("csv", "a.csv", "time,server,cpu\n0,x,10\n60,x,20\n", ["x"], [0, 60], [0.1, 0.2]),
    Case("csv", "a.csv", "Date/Time,server,ip,cpu_pct\n0,x,7,10\n60,x,8,20\n", ["x"], [0, 60], [0.1, 0.2]),
    Case("csv", "a.csv", "time,ip,cpu_busy\n0,x,10\n60,x,20\n", ["x"], [0, 60], [0.1, 0.2]),
    Case("json", "a", '{"t": 0, "vm": "x", "cpu": 10}\n{"t": 60, "vm": "x", "cpu": 20}', ["x"], [0, 60], [0.1, 0.2]),
    Case("json", "a", '{"timestamp": 0, "tags": {"host": "x"}, "cpu": 10}\n', ["x"], [0], [0.1]),
    Case("csv", "a.csv", "[Data]\ntime,server,cpu\n0,x,10\n", ["x"], [0], [0.1]),
    Case("json", "a.json", ' [{"time": 0, "cpu": 10},\n {"time": 60, "cpu": 20}]', ["a"], [0, 60], [0.1, 0.2]),
    Case("csv", "vm.1.csv", "timestamp,value\n1970-01-01 00:01:00,5\n", ["vm.1"], [60], [0.05]),
    Case("csv", "a.csv", "Time;Machine;CPU_Util\n0;x;10,5\n60;x;7,25\n", ["x"], [0, 60], [0.105, 0.0725]),
    Case("csv", "a.csv", "sep=;\ntime;host;cpu\n0;x;10\n", ["x"], [0], [0.1]),
    Case("csv", "a.tsv", '# of May\n"time"\t"server"\t"cpu"\n0\t"a, b"\t10\n', ["a, b"], [0], [0.1]),
    Case("bitbrains", "7.csv", BITBRAINS, ["7"], [1400000000, 1400000300], [0.05, 1.06]),
    Case("planetlab", "19700102/vm_a", "12\n0\n\n100\n\n\n", ["vm_a"], PLANETLAB_S, [0.12, 0, NOT_KNOWN, 1]),
    Case("alibaba2017", "u.csv", SERVERS_2017, ["12"], [39600, 39900], [0.305, NOT_KNOWN]),
    Case("alibaba2018", "u.csv", MACHINES_2018, ["m_1"], [10, 20], [1.0, NOT_KNOWN]),
    Case(
        "alibaba2018",
        "u.csv",
        "machine_id,time_stamp,cpu_util_percent,mem_util_percent,mem_gps,mkpi,net_in,net_out,disk_io_percent\n"
        "m_1,10,7,52,,,0.5,0.6,3\n",
        ["m_1"],
        [10],
        [0.07],
    ),
    Case("alibaba2018-containers", "u.csv", "c_1,m_7,10,7,52,1,2,3,0.5,0.6,3\n", ["c_1"], [10], [0.07]),
    Case(
        "alibaba2018-containers",
        "u.csv",
        "container_id,machine_id,time_stamp,cpu_util_percent,mem_util_percent,cpi,mem_gps,mpki,net_in,net_out,disk_io_percent\n"
        "c_1,m_7,10,7,52,1,2,3,0.5,0.6,3\nc_2,m_7,20,9,52,1,2,3,0.5,0.6,3\n",
        ["c_1", "c_2"],
        [10, 20],
        [0.07, 0.09],
    ),
    Case("alibaba2020", "u.csv", "w1,m1,60.5,90.0,0.1,2,3,0,4,5,1,25.5\n", ["m1"], [60.5], [0.255]),
    Case("azure", "u.csv", "0,ab+/c=,1,9,5\n300,ab+/c=,1,9,7\n", ["ab+/c="], [0, 300], [0.05, 0.07]),
    Case("azure", "u.csv", "0,ab+/c=,1,9,5,\n300,ab+/c=,1,9,7,\n", ["ab+/c="], [0, 300], [0.05, 0.07]),
    Case("azure", "u.csv", "timestamp,vm id,min cpu,max cpu,avg cpu\n0,ab,1,9,5\n", ["ab"], [0], [0.05]),
    Case("google2011", "part-0.csv", TASK_2011, ["5"], [600], [0.25]),
    Case("bitbrains", "7.csv", BITBRAINS.replace(";\t", ","), ["7"], [1400000000, 1400000300], [0.05, 1.06]),
    Case("csv", "a.txt", "time   server  cpu\n0 x 10\n60\tx  20\n", ["x"], [0, 60], [0.1, 0.2]),
    Case("csv", "a.csv", '"Series";"Time";"Value"\n"x";1970-01-01 00:01:00 UTC;10\n', ["x"], [60], [0.1]),
    Case("google2019", "u.csv", DICTIONARY_2019, ["77"], [300], [0.125]),
    Case("google2019", "u.csv", f"{GOOGLE}300000000,600000000,1,0,77,0.125,0.1\n", ["77"], [300], [0.125]),
    Case(
        "google2019-json",
        "u.json",
        json.dumps(INSTANCE_2019) + "\n",
        ["77"],
        [300],
        [0.125],
    ),
    Case(
        "prometheus",
        "u.json",
        json.dumps(
            {
                "status": "success",
                "data": {
                    "resultType": "matrix",
                    "result": [
                        {"metric": {"instance": "b:9100"}, "values": [[60, "12.5"], [120, "NaN"]]},
                        {"metric": {"instance": "a:9100"}, "values": [[60, "7"]]},
                    ],
                },
            }
        ),
        ["a:9100", "b:9100"],
        [60, 120, 60],
        [0.125, NOT_KNOWN, 0.07],
    ),
    Case("prometheus", "u.jsonl", "".join(json.dumps({"metric": {"instance": name}, "values": [value, 9],
         "timestamps": [1500000060000, 1500000120500]}) + "\n" for name, value in (("a", 12.5), ("b", 7))), ["a", "b"],
         [1500000060, 1500000120.5] * 2, [0.125, 0.09, 0.07, 0.09]),
    Case("influx-line", "a.txt", "cpu,az=x\\ y,cpu=cpu-total,host=web\\ 1,os=a\\,b usage_idle=85 1500000060000000000\n",
         ["web 1"], [1500000060], [0.15]),
    Case("influx-line", "a.txt", "cpu,cpu=cpu-total,host=a usage_idle=7.5e+01,usage_iowait=5e-06 1500000060000000000\n"
         "cpu,cpu=cpu-total,host=a usage_iowait=-1e-06,usage_idle=85 1500000120000000000\n", ["a"],
         [1500000060, 1500000120], [0.25, 0.15]),
    Case("wide", "g.csv", GRAFANA, [WEB_1, WEB_2], [60, 120, 60, 120], [0.1, NOT_KNOWN, 0.2, 0.4]),
    Case("wide", "g.csv", "sep=;\nn1;Time;n2\n15,5;60;7\n",
         ["n1", "n2"], [60, 60], [0.155, 0.07]),
    Case("csv", "a.csv", "time,server,cpu\n0,x,0.5%\n60,x,0.25 %\n", ["x"], [0, 60], [0.005, 0.0025]),
    Case("wide", "g.csv", "Time (ms),n1,n2\n60000,5,7\n", ["n1", "n2"], [60, 60], [0.05, 0.07]),
    Case("wide", "g.csv", "Time,n1,n2\n0,0.5%,0.25%\n", ["n1", "n2"], [0, 0], [0.005, 0.0025]),
    Case("cloudwatch-json", "i-1.json", json.dumps(STATISTICS, indent=4), ["i-1"], [120, 60], [0.005, 0.125]),
    Case("cloudwatch-json", "m.json", json.dumps(METRIC_DATA), ["i-1", "i-2"], [120, 60, 120, 60],
         [0.125, 0.02, 0.05, 0.07]),
    Case("azure-json", "m.json", json.dumps(AZURE), ["vm1"], [60, 120], [0.125, NOT_KNOWN]),
    Case("graphite-json", "m.json", json.dumps(GRAPHITE), ["web.1.cpu", "web.2.cpu"], [60, 120] * 2,
         [0.125, NOT_KNOWN] * 2),
    Case("sar", "sar.txt", SAR, ["web-1", "web-2"], [172201, 172801, 173401], [0.102, 0.2135, 0.102]),
    Case("vmstat", "a.txt", VMSTAT, ["a"], [60], [0.12]),
    Case("influx-line", "a.txt", INFLUX_LINE, ["a", "b"], [1500000060] * 2, [0.1, 0.135]),
    Case("influx-csv", "a.csv", INFLUX_CSV, ["a", "b"], [60, 60], [0.125, 0.125]),
    Case("telegraf", "a.csv", "#datatype,x\n,result,table,_time,cpu,host,usage_idle,usage_user\n"
         ",,0,1970-01-01T00:01:00Z,cpu-total,a,87.5,1\n,,0,1970-01-01T00:01:00Z,cpu0,a,7,1\n", ["a"], [60], [0.125]),
    Case("telegraf", "a.csv", "time,name,cpu,host,usage_idle,usage_iowait\n60,cpu,cpu-total,a,87.5,0.5\n", ["a"], [60],
         [0.12]),
    Case("sadf", "a.csv", SADF, ["a"], [60], [0.2135]),
    Case("wide", "a.csv", CONSOLE, ["i-1", "i-2"], [60, 60], [0.125, 0.425]),
    Case("wide", "a.csv", GOOGLE_CONSOLE, ["1234", "3456"], [60, 60], [0.125, 0.425]),
    Case("csv", "a.csv", "clock,itemid,value\n0,7,10\n60,7,20\n", ["a"], [0, 60], [0.1, 0.2]),
    Case("csv", "a.csv", '"MetricId","Timestamp","Value","Unit","Entity"\n"cpu.usage.average",60,5,"%",x\n', ["x"], [60],
         [0.05]),
    Case("csv", "a.csv", "time,host,service,cpu_pct\n60,x,memcached swap,5\n", ["x"], [60], [0.05]),
    Case("csv", "a.csv", "sep=,\nTimestamp (UTC),Percentage CPU (Avg)\n60,5\n", ["a"], [60], [0.05]),
    Case("csv", "a.csv", "timestamp_ms,host,cpu\n1500000060000,x,10\n1500000120500,x,20\n", ["x"],
         [1500000060, 1500000120.5], [0.1, 0.2]),
    Case("csv", "a.csv", "Time (us),host,cpu\n0,x,10\n60000000,x,20\n", ["x"], [0, 60], [0.1, 0.2]),
    Case("json", "a", '{"epoch_millis": 60000, "vm": "x", "cpu": 10}\n', ["x"], [60], [0.1]),
    Case("csv", "a.csv", "load.time,load.host,load.cpu\n0,x,10\n60,x,20\n", ["x"], [0, 60], [0.1, 0.2]),
    Case("csv", "a.csv", "Timestamp,VM ID,Maximum CPU,Average CPU\n0,x,90,10\n", ["x"], [0], [0.1]),
    Case("csv", "a.csv", "Timestamp,Computer,Average\n0,x,10\n60,x,20\n", ["x"], [0, 60], [0.1, 0.2]),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=[f"{number}-{case.layout}" for number, case in enumerate(CASES)])
@pytest.mark.parametrize("named", [False, True])
def test_each_layout_is_read_as_published(case: Case, named: bool, tmp_path: Path) -> None:
    """The layout is found, and read in the same way where it is named."""
    path = tmp_path / case.name
    path.parent.mkdir(exist_ok=True)
    path.write_text(case.text)
    found = read_samples([path], Options(layout=case.layout if named else ""))
    assert found.understood.split(" (")[0] == case.layout
    assert found.servers == case.servers
    assert found.time_s.tolist() == case.times
    assert np.allclose(found.share, case.shares, equal_nan=True)
    assert found.dropped.total == 0


def test_every_layout_has_a_case() -> None:
    """So that none is declared and never read."""
    assert {case.layout for case in CASES} == {*LAYOUTS, *OTHERS}
