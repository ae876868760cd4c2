"""Helpers of the tests of provision.figures."""
