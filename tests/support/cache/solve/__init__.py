"""Helpers of the tests of cache.solve."""
