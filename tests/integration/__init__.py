"""Tests; a package, so that two modules may have one name."""
