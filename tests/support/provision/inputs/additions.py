"""One file with every field beyond the paper, one of a batch job, and what reading a change of one comes to."""

from __future__ import annotations

from froude.provision.inputs.read import Parts, parse, parts_of
from froude.provision.inputs.tree import Flaws

TEXT = """froude: provision/1
sla:
  - {task: view, rate: 10, latency: 20ms, quantile: 0.99}
growth: {load: 0.4, data: 0.2, lead_time: 180d}
resources:
  prices_as_of: 2026-07
  diversity: 500
  storage_unit:
    - {name: NVMe, capacity: 1TB, bus: pcie, rateR: 3GBps, gapR: 80us, rateW: 1GBps, gapW: 20us,
       volatile: 0, price: 90, power: 9W, idle_power: 3W, discount: [{count: 10, price: 80}, {count: 100, price: 70}]}
    - {name: volume, capacity: 16TB, bus: volume, rateR: 250MBps, gapR: 1ms, rateW: 250MBps, gapW: 1ms,
       volatile: 0, price_per_GB_month: 0.08}
    - {name: objects, service: 1, rateR: 100MBps, gapR: 30ms, rateW: 100MBps, gapW: 60ms,
       price_per_GB_month: 0.02, price_per_read: 4e-7, price_per_write: 5e-6}
    - {name: DRAM, capacity: 4GiB, bus: memory, rateR: 20GBps, gapR: 1ns, rateW: 20GBps, gapW: 1ns,
       volatile: 1, price: 0, owned: 0}
  cpu:
    - {name: x86, price: 0}
    - {name: arm, price: 0, power: 3W, idle_power: 1W}
  server:
    - name: i9.large
      price: 5000
      cpus: 4
      BW: 10Gbps
      cpu: arm
      bus:
        - {name: pcie, slots: 2, BW: 8GBps}
        - {name: memory, slots: 4, BW: 40GBps}
        - {name: volume, slots: 20, BW: 5Gbps, IOPS: 20K}
      bundle: {cores: 4, included: [{unit: NVMe, count: 2}, {unit: DRAM, count: 4}]}
  energy: {pue: 1.3, load: 0.4}
application:
  dataset:
    - {name: photos, size: 1TB, persistent: 1, remote: 1, replication: 3, host_time: 10us}
    - {name: tags, size: 1GB, persistent: 1, remote: 1, erasure: 6+3}
  task:
    - name: view
      phase: serve
      memory: 1GB
      operations:
        - compute: {time: 3ms, on: [{cpu: arm, time: 4ms}]}
        - io: {op: R, dataset: photos, num_records: 1, record_size: 200KB}
options: {peak_fill: 0.8, survive_hosts: 2}
"""
BATCH = """froude: provision/1
batch:
  time: 10min
  job: [{task: m, executions: 10}, {task: r, executions: 10}]
application:
  task:
    - {name: m, phase: map, memory: 1GB}
    - {name: r, phase: reduce, memory: 1GB}
"""


def read(text: str) -> tuple[Parts, list[str]]:
    """The parts, and the flaws in words."""
    flaws = Flaws()
    parts = parts_of(parse(text.encode(), "f", flaws), flaws)
    return parts, [str(flaw) for flaw in flaws.found()]


def flaws_of(old: str, new: str) -> list[str]:
    """The flaws after one replacement; each says the file and its line."""
    assert old in TEXT
    _, flaws = read(TEXT.replace(old, new, 1))
    assert all(flaw.startswith("f:") for flaw in flaws)
    return flaws
