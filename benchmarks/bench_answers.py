"""What a played call costs the player, beside a ready-made stream of calls on the same NameNode.

    python benchmarks/bench_answers.py

The mined jobs of `testbed/workloads` are played closed and a hundred times as fast as they were recorded, until the
NameNode's compiler has done its work, then measured: CPU of the player's process, DataNodes' calls among the calls. An
audit log is replayed as fast as it goes, of reads alone, and of files that are written, moved and deleted.
"""

from __future__ import annotations

import json
import os
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.bench_player import ours
from froude.emulation.run.run import Run
from froude.experiment.play.play import play
from froude.experiment.scenario.options import Load, PlayOptions
from froude.experiment.session import Hadoop
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.rpc.connection import Connection, current_user
from froude.workload.plan import Plan
from froude.workload.types import NodeType
from froude.workload.yaml_file import read_workload
from froude.workload.extrapolate import extrapolate
from froude.workload.scale import Scale
from testbed.workloads import WORKLOADS
