"""Helpers of the tests of hadoop.rpc."""
