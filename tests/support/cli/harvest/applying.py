"""Configurations of a ResourceManager before labels, with and without capacities."""

from __future__ import annotations

from tests.support.harvest.live.managers import NEW, NODE

PLAIN = {**NEW, "nodes": {"nodes": {"node": [{**NODE, "nodeLabels": []}]}}, "get-node-labels": {}}
CAPACITIES = {"property": [{"name": "yarn.scheduler.capacity.root.queues", "value": ""}]}
