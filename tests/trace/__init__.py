"""Tests of `froude.trace`."""
