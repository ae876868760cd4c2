"""Certificates for tests."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from froude.rest.serving import Tls

needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not here")


def openssl(*words: str) -> None:
    """Run it."""
    subprocess.run(["openssl", *words], check=True, capture_output=True)


@pytest.fixture
def tls(tmp_path: Path) -> Tls:
    """A certificate of this machine's loopback address that signs itself."""
    certificate, key = tmp_path / "c.pem", tmp_path / "k.pem"
    words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test"]
    words += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    openssl(*words)
    return Tls(certificate=certificate, key=key)
