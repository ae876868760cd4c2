"""Helpers of the tests of trace.audit."""
