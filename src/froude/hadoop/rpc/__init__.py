"""Hadoop RPC version 9, sans-IO: bytes in, events out, for the client, the server and the one who listens."""
