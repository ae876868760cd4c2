"""Frames of Hadoop RPC, written by hand."""

from __future__ import annotations

from froude.hadoop.rpc import headers
from froude.hadoop.rpc.frames import delimited, frame
from tests.support.hadoop.rpc.exchange import CLIENT_ID


def response(call_id: int, status: int, *parts: bytes, **fields: object) -> bytes:
    """A server's frame without its length."""
    header = headers.ResponseHeader(callId=call_id & 0xFFFFFFFF, status=status, **fields)
    return frame(header.SerializeToString(), *parts)[4:]


def writable(call_id: int, protocol: bytes, method: bytes, rest: bytes) -> bytes:
    """A Writable call without its length."""
    header = headers.RequestHeader(rpcKind=1, rpcOp=0, callId=call_id, clientId=CLIENT_ID, retryCount=0)
    names = b"".join(len(name).to_bytes(2, "big") + name for name in (protocol, method))
    return delimited(header.SerializeToString()) + bytes(8) + names + rest
