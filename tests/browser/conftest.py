"""A browser that opens reports; without one these tests are skipped and say why."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium without a window, as `make setup-system` installs it; its event loop ends with the module."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (make setup)")
    program = next((path for name in _NAMES if (path := shutil.which(name))), None)
    if program is None:
        pytest.skip("no Chromium on the PATH (make setup-system)")
    # the sandbox of Chromium cannot be had by root; the pages are our own
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=flags)
        yield opened
        opened.close()
