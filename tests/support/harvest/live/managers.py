"""A web server that answers as a ResourceManager of either release did; for forms and for faults."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = {"nodePhysicalMemoryMB": 4000, "nodeCPUUsage": 1.0, "aggregatedContainersPhysicalMemoryMB": 1000}
NODE = {
    "id": "n:1",
    "nodeHostName": "n",
    "state": "RUNNING",
    "numContainers": 2,
    "memUtilization": 25.0,
    "cpuUtilization": 50.0,
    "resourceUtilization": {**USAGE, "containersCPUUsage": 1.0},
    "totalResource": {"memory": 8192, "vCores": 4},
    "nodeLabels": ["a"],
}
GPU = {"prefix": "nm.yarn.io", "name": "gpu", "type": "STRING", "value": "a100"}
CLASS = {"prefix": "rm.yarn.io", "name": "harvest-class", "type": "STRING", "value": "c"}
OLD: dict[str, Any] = {
    "info": {"clusterInfo": {"id": 7}},
    "nodes": {"nodes": {"node": {**NODE, "nodeAttributesInfo": {"nodeAttributeInfo": CLASS}}}},
    "get-node-labels": {"nodeLabelInfo": {"name": "a", "exclusivity": "false"}},
    "scheduler-conf": {"property": {"name": "x", "value": "5"}},
}
"""Up to 3.4: lone elements are objects, truths are texts."""
NEW: dict[str, Any] = {
    "info": {"clusterInfo": {"id": 7}},
    "nodes": {"nodes": {"node": [{**NODE, "nodeAttributesInfo": {"nodeAttributeInfo": [GPU, CLASS]}}]}},
    "get-node-labels": {"nodeLabelInfo": [{"name": "a", "exclusivity": False}]},
    "scheduler-conf": {"property": [{"name": "x", "value": "5"}]},
}
"""From 3.5 on."""


@contextmanager
def serving(answers: dict[str, Any]) -> Iterator[tuple[int, list[tuple[str, str, Any]]]]:
    """A server on a port, and what it was sent: method, path and body; what it has no answer for it refuses."""
    sent: list[tuple[str, str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            path = self.path.removeprefix("/ws/v1/cluster/")
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if self.command != "GET":
                sent.append((self.command, path, json.loads(body)))
            answer = answers.get(path.partition("?")[0], None if self.command == "GET" else "")
            self.send_response(404 if answer is None else 200)
            self.end_headers()
            refused = {"RemoteException": {"message": "not here"}}
            data = answer if isinstance(answer, str) else json.dumps(refused if answer is None else answer)
            self.wfile.write(data.encode())

        do_GET = do_POST = do_PUT = _answer  # noqa: N815 - http.server's names

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server.server_address[1], sent
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
