"""Helpers of the tests of cache.agents."""
