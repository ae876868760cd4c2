"""Helpers of the tests of cache.disk."""
