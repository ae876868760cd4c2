"""Helpers of the tests of hadoop.fsimage."""
