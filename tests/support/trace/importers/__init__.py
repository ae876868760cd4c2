"""Helpers of the tests of trace.importers."""
