"""Nodes as both releases of the ResourceManager's REST API show them."""

from __future__ import annotations

from froude.harvest.live.types import Node, Resource

SEEN = Node(
    "n:1",
    "n",
    "RUNNING",
    Resource(memory_mb=8192, vcores=4),
    containers=2,
    label="a",
    cpu_share=0.5,
    containers_vcores=1.0,
    memory_used_mb=4000,
    machine_mb=16000,
    containers_memory_mb=1000,
    attribute="c",
)
