"""Tests of `froude.trace`."""  # noqa: A005 - named as what it tests
