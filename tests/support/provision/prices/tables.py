"""Small tables in the layouts of the price lists that the importer reads, with invented figures."""

from __future__ import annotations

from pathlib import Path

_HEAD = (
    "instance_type,od_usd_h,category,family,generation,arch,cpu,cpu_manufacturer,cpu_sustained_clock_speed_mhz,"
    "memory,local_nvme,network_bandwidth,ebs_bandwidth,gpu_name,gpu_count,hypervisor\n"
)
EC2 = (
    _HEAD
    + """m9.large,0.1,m,m9,9,amd64,2,intel,3000,8192,,1000,4000,,,nitro
m9.xlarge,0.2,m,m9,9,amd64,4,intel,3000,16384,,2000,4000,,,nitro
m9.2xlarge,0.4,m,m9,9,amd64,8,intel,3000,32768,,4000,8000,,,nitro
m9.metal,0.4,m,m9,9,amd64,8,intel,3000,32768,,4000,8000,,,
i9.large,0.2,i,i9,9,arm64,2,aws,2500,16384,468,1500,2000,,,nitro
i9.xlarge,0.4,i,i9,9,arm64,4,aws,2500,32768,937,3000,5000,,,nitro
i9.4xlarge,1.6,i,i9,9,arm64,16,aws,2500,131072,3750,12000,20000,,,nitro
t3.large,0.08,t,t3,3,amd64,2,intel,2500,8192,,500,2500,,,nitro
t3.nano,0.005,t,t3,3,amd64,2,intel,2500,512,,32,2000,,,nitro
g9.xlarge,1.0,g,g9,9,amd64,4,amd,2800,16384,250,2500,3500,a9,1,nitro
c3.large,0.105,c,c3,3,amd64,2,intel,2800,3840,32,,,,,xen
p9.large,,p,p9,9,amd64,2,intel,2800,8192,,1000,1000,,,nitro
"""
)
GCP = """class,gcp_type,region,usd_per_gib_month,month_1y,month_3y,month_spot
balanced,pd-balanced,here,0.1073741824,,,
balanced,pd-balanced,there,0.2,,,
local,pd-local,here,0.08,,,
ssd,pd-ssd,here,0.17,,,
snapshot,pd-snapshot,here,0.03,,,
"""
DISKS = """model,price
st16000,160.00
st8000,90
"""
RATES = """froude: rates/2
volume_slots: 20
memory: {rateR: 10GBps, gapR: 100ns, rateW: 10GBps, gapW: 100ns, BW_per_cpu: 2GBps}
nvme:
  - {types: i9.*, disk: 468GB, rateR: 700MBps, gapR: 80us, rateW: 300MBps, gapW: 30us}
volume:
  - {class: balanced, min_size: 10GiB, max_size: 64TiB, sizes: 100GiB 1TiB, IOPS: 2000, BW: 240MBps}
type:
  - {type: t3.*, baseline: 1.2}
"""


def written(folder: Path, **texts: str) -> list[Path]:
    """Files of these names, with `_` for `.`, in their order."""
    paths = []
    for name, text in texts.items():
        path = folder / name.replace("__", "-").replace("_csv", ".csv").replace("_yaml", ".yaml")
        path.write_text(text)
        paths.append(path)
    return paths
