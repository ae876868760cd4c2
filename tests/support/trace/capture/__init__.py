"""Helpers of the tests of trace.capture."""
