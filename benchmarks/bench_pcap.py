"""How fast a packet capture is read: 256 connections with one call in flight each, captured on Ethernet.

    python -m benchmarks.bench_pcap

The capture is made up: each call is a request and an answer of 200 bytes, each followed by an acknowledgement.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from froude.trace.capture.pcap import PcapSettings, capture_pcap
from testbed import wire
from testbed.packet_bytes import Talk, file_of

CONNECTIONS = 256
CALLS = 200
COMMAND = "python -m benchmarks.bench_pcap"


def _talk(number: int) -> list[Any]:
    talk = Talk(client=(f"10.0.{number}.7", 4000), next=[number * 10**7, 7]).open()
    talk.send(wire.PREAMBLE + wire.context())
    body = wire.message("EchoProto", text="x" * 100).SerializeToString()
    for call_id in range(CALLS):
        talk.send(wire.request(call_id, "echo", body, client=number.to_bytes(16, "big")))
        talk.answer(wire.response(call_id, body))
        talk.acknowledge()
    return talk.segments


def rows() -> Iterator[dict[str, Any]]:
    """Figures for the results: megabytes and calls a second, decoding and writing included."""
    talks = [_talk(number) for number in range(CONNECTIONS)]
    segments = [segment for together in zip(*talks, strict=True) for segment in together]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.pcap"
        path.write_bytes(file_of(segments))
        size = path.stat().st_size
        began = time.process_time()
        result = capture_pcap(PcapSettings(path, Path(folder) / "t"), wire.SCHEMA)
        took_s = time.process_time() - began
    assert result.capture.calls == CONNECTIONS * CALLS
    conditions = (
        f"{len(segments):,} packets of {CONNECTIONS} connections; seconds are CPU time of the one process"
    )
    measured = (
        ("packet capture read", size / took_s / 1e6, "MB/s"),
        ("calls read from a packet capture", result.capture.calls / took_s, "1/s"),
    )
    for measure, value, unit in measured:
        yield {
            "measure": measure,
            "value": round(value, 1),
            "unit": unit,
            "command": COMMAND,
            "conditions": conditions,
        }


if __name__ == "__main__":
    for figure in rows():
        print(figure)
