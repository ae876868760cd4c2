"""Helpers of the tests of storage."""
