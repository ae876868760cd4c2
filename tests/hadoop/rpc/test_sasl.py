"""DIGEST-MD5 against the example of RFC 2831 and against a server half of our own."""

from __future__ import annotations

import base64

import pytest

from froude.hadoop.rpc.errors import RemoteProtocolError
from froude.hadoop.rpc.events import SaslAuth
from froude.hadoop.rpc.sasl import (
    DigestMd5Client,
    Token,
    digest,
    parse_directives,
    quoted,
    session_key,
)
from tests.support.hadoop.rpc.token_server import DigestMd5Server

TOKEN = Token(b"identifier\0\xff", b"secret\x01")


def test_the_example_of_rfc_2831() -> None:
    """Section 4: user chris, password secret, an IMAP server."""
    key = session_key("chris", "elwood.innosoft.com", "secret", "OA6MG9tEQGm2hh", "OA6MHXh6VqTrRk")
    ask = ("OA6MG9tEQGm2hh", "OA6MHXh6VqTrRk")
    uri = "imap/elwood.innosoft.com"
    assert digest(key, *ask, "AUTHENTICATE", uri) == "d388dad90d4bbd760a152321f2143af7"
    assert digest(key, *ask, "", uri) == "ea40f60335c427b5527b84dbabcdfffd"


def test_both_halves_agree() -> None:
    """A client with the token convinces the server, and the server the client."""
    server = DigestMd5Server({TOKEN.identifier: TOKEN.password}.get, b"n" * 16)
    client = DigestMd5Client(TOKEN, b"c" * 16)
    answer = client.start(server.offer)
    assert b'digest-uri="/default"' in answer
    assert base64.b64encode(TOKEN.identifier) in answer
    assert TOKEN.password not in answer
    identifier, proof = server.check(answer)
    client.finish(proof)
    assert identifier == TOKEN.identifier


def test_a_challenge_may_come_later() -> None:
    """Without a challenge in the offer the first token is empty and the step answers."""
    server = DigestMd5Server(lambda _: TOKEN.password, b"n" * 16)
    client = DigestMd5Client(TOKEN, b"c" * 16)
    assert client.start(SaslAuth("TOKEN", "DIGEST-MD5", "", "default")) == b""
    server.check(client.step(server.offer.challenge))


def test_a_wrong_password_and_an_unknown_token_are_refused() -> None:
    """The server refuses a token that it does not know or whose password differs."""
    for known in ({}, {TOKEN.identifier: b"other"}):
        server = DigestMd5Server(known.get, b"n" * 16)
        with pytest.raises(RemoteProtocolError):
            server.check(DigestMd5Client(TOKEN, b"c" * 16).start(server.offer))


@pytest.mark.parametrize("proof", [b"", b"rspauth=00", b"rspauth", b'rspauth="\xff"'])
def test_a_server_without_the_password_is_refused(proof: bytes) -> None:
    """The client checks rspauth."""
    client = DigestMd5Client(TOKEN, b"c" * 16)
    client.start(DigestMd5Server(lambda _: None, b"n" * 16).offer)
    with pytest.raises(RemoteProtocolError):
        client.finish(proof)


@pytest.mark.parametrize(
    "challenge",
    [
        b'nonce="x",qop="auth-conf",algorithm=md5-sess',
        b'nonce="x",algorithm=md5',
        b'qop="auth",algorithm=md5-sess',
        b'nonce="x",nonce="y",algorithm=md5-sess',
        b'nonce="x',
        b"=",
        b"a" * 5000,
    ],
)
def test_challenges_that_are_not_spoken_here_are_refused(challenge: bytes) -> None:
    """Other qualities of protection, missing nonces and malformed text are the peer's fault."""
    with pytest.raises(RemoteProtocolError):
        DigestMd5Client(TOKEN, b"c" * 16).step(challenge)


def test_directives_and_their_quotes() -> None:
    """Quoted strings may hold commas and escapes; blanks and empty elements are passed over."""
    assert parse_directives(b' a=1, B="x,\\"y\\\\" ,, c-d=""') == {"a": "1", "b": 'x,"y\\', "c-d": ""}
    odd = 'a"b\\c'
    assert parse_directives(b"k=" + quoted(odd).encode()) == {"k": odd}
    assert "secret" not in repr(TOKEN)
