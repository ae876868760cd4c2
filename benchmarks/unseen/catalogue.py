"""All unseen jobs."""

from __future__ import annotations

from benchmarks.unseen.hdfs_ingest import COLLECTOR, LANDING, UPLOADS
from benchmarks.unseen.hdfs_queue import QUEUE
from benchmarks.unseen.hdfs_scripts import BACKUP, PUT_AND_MOVE, TEAMS
from benchmarks.unseen.hdfs_warehouse import COMPACTOR, ETL, HIVE
from benchmarks.unseen.yarn import AGAIN, CONTAINERS, COPY, JOIN, NIGHTLY, PI, SEARCH, SORT, TWO, WORDS

FROZEN = "4c212542"
"""The commit that they were written at: up to it, nobody who worked on the miner had seen them."""
HDFS = (LANDING, ETL, COLLECTOR, BACKUP, COMPACTOR, QUEUE, HIVE, UPLOADS, TEAMS, PUT_AND_MOVE)
YARN = (WORDS, SEARCH, SORT, PI, NIGHTLY, TWO, AGAIN, JOIN, COPY, CONTAINERS)
JOBS = (*HDFS, *YARN)
