"""Where the `froude` command begins: nothing is imported before an interrupt has its handler."""

from __future__ import annotations

import signal
import sys

_INTERRUPTED = 130


def main() -> None:
    """Run the command line that was typed, and exit with its code; Ctrl-C while modules load ends with 130."""
    try:
        from froude.cli import app

        app.main()
    except KeyboardInterrupt:
        for name in (signal.SIGINT, signal.SIGTERM):  # a second one would be the exit code
            signal.signal(name, signal.SIG_IGN)
        print("froude: interrupted", file=sys.stderr)
        sys.exit(_INTERRUPTED)
