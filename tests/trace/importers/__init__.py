"""Tests of `froude.trace.importers`."""
