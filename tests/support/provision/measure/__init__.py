"""Helpers of the tests of provision.measure."""
