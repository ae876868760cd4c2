"""Jobs that are run, with servers that are made up; a real one is in `tests/integration/test_harvest.py`."""

from __future__ import annotations

import json
import socket
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from froude.base.errors import InputError, TargetError
from froude.harvest.live.serving import Places, access
from froude.harvest.live.submitter import Remote, run_application, run_commands
from froude.harvest.live.submitting import Target
from froude.rest.calls import JsonCalls
from froude.rest.serving import Tls
from testbed.virtual_clock import VirtualClock
from tests.support.harvest.live.api import ASKED, Memory, api_of
from tests.support.harvest.live.managers import serving
from tests.support.rest.certificates import needs_openssl
from tests.support.rest.certificates import tls as tls

HERE = Target("a", "a", "", 1)
ID = "application_7_0001"


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]"])
def test_the_daemon_is_found_by_its_folder(host: str, tmp_path: Path) -> None:
    """Address and token stand there; without the file it does not run."""
    if ":" in host and not socket.has_dualstack_ipv6():
        pytest.skip("no IPv6 here")
    memory = Memory()
    with api_of(memory, host) as url, access(Places(tmp_path), url, "secret"):
        for path in (tmp_path, tmp_path / "access.json"):
            assert Remote(path).select(ASKED)["label"] == "periodic-01"
        Remote(tmp_path).ran({"job": "q", "seconds": 2.0})
    assert [job for job, _ in memory.ran] == ["q"]
    with pytest.raises(InputError, match="is not there"):
        Remote(tmp_path)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"froude": "other/1"}, "is not a harvest-access"),
        ({"froude": "harvest-access/1"}, "is not a harvest-access of this release"),
        ({"address": "127.0.0.1:5"}, "is no address of a daemon; found 127.0.0.1:5"),
        ({"address": "hdfs://127.0.0.1:5"}, r"access\.json: address: "),
        ({"address": "https://u:p@127.0.0.1:5"}, r"access\.json: address: "),
        ({"address": "http://127.0.0.1/x?y=:5"}, r"access\.json: address: "),
        ({"address": "http://127.0.0.1"}, "is not an address"),
        ({"token": "\u4e00"}, "is no token"),
    ],
)
def test_what_says_wrongly_where_the_daemon_is(changed: dict[str, str], message: str, tmp_path: Path) -> None:
    """Is refused before anything is sent."""
    told = {"froude": "harvest-access/2", "address": "http://127.0.0.1:5", "token": "secret"}
    (tmp_path / "access.json").write_text(json.dumps(told))
    Remote(tmp_path)
    (tmp_path / "access.json").write_text(json.dumps({**told, **changed}))
    with pytest.raises(InputError, match=message):
        Remote(tmp_path)


@needs_openssl
def test_the_daemon_speaks_tls(tls: Tls, tmp_path: Path) -> None:
    """To who knows who signed its certificate; a file that holds none is told as such."""
    with api_of(Memory(), tls=tls) as url, access(Places(tmp_path), url, "secret"):
        assert url.startswith("https://")
        assert Remote(tmp_path, tls.certificate).select(ASKED)["label"] == "periodic-01"
        with pytest.raises(TargetError, match=r"(?i)certificate"):
            Remote(tmp_path).select(ASKED)
        with pytest.raises(InputError, match=r"access\.json: holds no certificate"):
            Remote(tmp_path, tmp_path / "access.json")


def test_the_secret_goes_nowhere_else(tmp_path: Path) -> None:
    """Who answers in the daemon's place and sends requests on gets neither token nor job."""
    memory = Memory()
    with api_of(memory) as elsewhere:

        class Sends(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.send_response(307)
                self.send_header("Location", f"{elsewhere}/v1/select")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        with ThreadingHTTPServer(("127.0.0.1", 0), Sends) as server:
            thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
            thread.start()
            between = f"http://127.0.0.1:{server.server_port}"
            try:
                with (
                    access(Places(tmp_path), between, "secret"),
                    pytest.raises(TargetError, match="refuses select"),
                ):
                    Remote(tmp_path).select(ASKED)
            finally:
                server.shutdown()
                thread.join()
    assert not memory.asked


def test_commands_run_side_by_side_to_their_ends(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Each waits for the other here; output may be kept off ours; one that is no program starts none."""
    meet = (
        "import sys, pathlib, time; mine, other = map(pathlib.Path, sys.argv[1:3]); mine.touch()\n"
        "sys.stdout.write('met\\n')\n"
        "while not other.exists(): time.sleep(0.01)\nsys.exit(int(sys.argv[3]))"
    )
    a, b = str(tmp_path / "a"), str(tmp_path / "b")
    commands = [[sys.executable, "-c", meet, a, b, "0"], [sys.executable, "-c", meet, b, a, "3"]]
    assert run_commands(commands, quiet_output=True) == [0, 3]
    said = capfd.readouterr()
    assert (said.out, said.err.split()) == ("", ["met", "met"])
    with pytest.raises(InputError, match="no-such-program: "):
        run_commands([[sys.executable, "-c", "print('begun')"], ["no-such-program"]])
    assert not capfd.readouterr().out


@pytest.mark.parametrize("status", ["SUCCEEDED", "FAILED"])
def test_an_application_is_posted_and_waited_for(status: str) -> None:
    """With its id and labels; numbers may be texts; one that fails says why."""
    ended = {
        "state": "FINISHED",
        "finalStatus": status,
        "elapsedTime": "61500",
        "diagnostics": "Out of\nmemory",
    }
    answers = {"apps/new-application": {"application-id": ID}, "apps": "", f"apps/{ID}": {"app": ended}}
    with serving(answers) as (port, sent):
        calls = JsonCalls(f"127.0.0.1:{port}", "ws/v1/cluster/")
        if status == "SUCCEEDED":
            assert run_application(calls, {"application-name": "x"}, HERE, VirtualClock()) == (ID, 61.5)
        else:
            with pytest.raises(TargetError, match="did not succeed; found Out of memory"):
                run_application(calls, {"application-name": "x"}, HERE, VirtualClock())
    assert sent[1][2]["application-id"] == ID
    assert sent[1][2]["app-node-label-expression"] == "a"


@pytest.mark.parametrize("elapsed", [float("inf"), 10**400, -1])
def test_an_answer_of_another_form(elapsed: float) -> None:
    """Is one error, and so is a time that cannot be."""
    ended = {"state": "FINISHED", "finalStatus": "SUCCEEDED", "elapsedTime": elapsed}
    whole = {"apps/new-application": {"application-id": ID}, "apps": "", f"apps/{ID}": {"app": ended}}
    for answers in ({"apps/new-application": {}}, whole):
        with serving(answers) as (port, _), pytest.raises(TargetError, match="not known"):
            run_application(JsonCalls(f"127.0.0.1:{port}", "ws/v1/cluster/"), {}, HERE, VirtualClock())
