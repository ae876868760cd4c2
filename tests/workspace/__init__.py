"""Tests of `froude.workspace`."""
