"""Helpers of the tests of integration."""
