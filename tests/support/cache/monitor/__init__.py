"""Helpers of the tests of cache.monitor."""
