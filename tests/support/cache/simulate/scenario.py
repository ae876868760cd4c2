"""A small scenario of a cache as a document."""

from __future__ import annotations

SMALL = """froude: cache-scenario/1
hypervisors: [{name: h1, vms: [a, b]}, {name: h2, vms: [c]}]
clusters: [{name: c1, master: a, vms: [a, b, c]}]
groups: [{c1: scan}, {c1: kmeans}]
space: 2 MB
data: 2 MB
chunk: 16 KiB
passes: 1
window: 1 s
"""
