"""Replays of an audit log or a Trace on an image, with growth."""
