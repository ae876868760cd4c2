"""A ResourceManager's and history server's REST answers, as Hadoop 3.4 gives them."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

RUNNING, ENDED, OLD = "application_1_0003", "application_1_0002", "application_1_0001"
NOW = 1_700_000_000_000
APPS = [
    {"id": OLD, "state": "FINISHED", "finishedTime": NOW - 9_000_000, "elapsedTime": 5000},
    {
        "id": ENDED,
        "state": "FINISHED",
        "name": "sort",
        "finishedTime": NOW,
        "elapsedTime": 61_000,
        "progress": 100.0,
    },
    {
        "id": RUNNING,
        "state": "RUNNING",
        "applicationType": "MAPREDUCE",
        "progress": 35.5,
        "elapsedTime": 12_000,
    },
]
TASKS = f"/proxy/{RUNNING}/ws/v1/mapreduce/jobs/job_1_0003/tasks"
HISTORY = [{"id": "job_1_0002", "startTime": NOW - 58_500, "finishTime": NOW}]
ANSWERS: dict[str, Any] = {
    "/ws/v1/cluster/apps": {"apps": {"app": APPS}},
    TASKS: {"tasks": {"task": [{"id": "t1"}, {"id": "t2"}]}},
    f"{TASKS}/t1/attempts": {"taskAttempts": {"taskAttempt": [{"nodeHttpAddress": "10.0.0.4:8042"}]}},
    f"{TASKS}/t2/attempts": {"taskAttempts": {"taskAttempt": {"nodeHttpAddress": "10.0.0.5:8042"}}},
    "/ws/v1/history/mapreduce/jobs": {"jobs": {"job": HISTORY}},
}


class Cluster(ThreadingHTTPServer):
    """Answers by path, and counts who asks what."""

    def __init__(self, answers: dict[str, Any]) -> None:
        """Serve from now on."""
        self.asked: list[str] = []
        asked = self.asked

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path.partition("?")[0]
                asked.append(path)
                answer = answers.get(path)
                data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(200 if path in answers else 404)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                """Nothing."""

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def address(self) -> str:
        """Where it is."""
        return f"127.0.0.1:{self.server_address[1]}"
