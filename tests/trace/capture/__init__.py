"""Tests of `froude.trace.capture`."""
