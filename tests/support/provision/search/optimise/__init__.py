"""Helpers of the tests of provision.search.optimise."""
