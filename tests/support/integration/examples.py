"""Which examples of the documentation start daemons, and which are for a person alone."""

from __future__ import annotations

SCALE, TUTORIAL, CI, DOWN = (
    "docs/howto/scale-a-namenode.md",
    "docs/tutorial/first-run.md",
    "docs/howto/run-in-ci.md",
    "docs/howto/write-an-experiment-down.md",
)
PAGES = ("README.md", SCALE, TUTORIAL, CI, DOWN)
"""Whose blocks are run here."""
IN_HELP = {
    "record",
    "mine",
    "extrapolate",
    "play",
    "run",
    "hadoop up",
    "hadoop down",
    "hadoop shell",
    "review",
    "trace diff",
}
"""Commands whose example in help stands in those pages, word by word."""
BY_HAND = {
    "cache disk": "serves until it is told to stop; tests of its own run it",
    "cache agent": "serves until it is told to stop; tests of its own run it",
    "cache serve": "serves until it is told to stop; tests of its own run it",
    "demo": "three minutes; `make demo` is run before a release",
    "hadoop fetch": "fetches; every test with a daemon needs what it fetches",
    "hadoop run": "takes a minute; a test of its own runs a job",
    "knee": "takes minutes; a test of its own runs it smaller",
    "sweep": "takes minutes; a test of its own runs it smaller",
    "capture proxy": "has a test of its own",
    "provision measure": "needs a disk to measure",
    "harvest collect": "asks a ResourceManager; tests of the command run it",
    "harvest apply": "changes a ResourceManager; a test of its own has a real one",
    "harvest place": "changes a NameNode; a test of its own has a real one",
    "harvest reimages": "asks a NameNode; tests of the command run it",
    "harvest serve": "changes a ResourceManager; a test of its own has a real one",
    "harvest submit": "asks a daemon; a test of its own has a real one",
    "harvest rollback": "changes a ResourceManager; a test of its own has a real one",
}
"""Commands whose example in help no test here or in `test_examples` runs by itself, and why."""
