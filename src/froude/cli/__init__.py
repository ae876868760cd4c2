"""The command line: one file per command group, no logic."""
