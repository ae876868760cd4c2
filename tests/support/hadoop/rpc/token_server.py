"""A server that takes tokens: the other half of `DigestMd5Client`, and a connection that asks for it."""

from __future__ import annotations

import base64
import hmac
from collections.abc import Callable

from froude.hadoop.rpc.errors import RemoteProtocolError
from froude.hadoop.rpc.events import Sasl, SaslAuth
from froude.hadoop.rpc.headers import SaslState
from froude.hadoop.rpc.sasl import REALM, digest, parse_directives, session_key
from froude.hadoop.rpc.server import ServerConnection
from froude.hadoop.rpc.states import Trigger


class DigestMd5Server:
    """TOKEN authentication, the server's half.

    Args:
        password_of: a token identifier's password, or None when it is not known.
        nonce: fresh for each connection.
    """

    def __init__(self, password_of: Callable[[bytes], bytes | None], nonce: bytes) -> None:
        self._password_of = password_of
        self._nonce = base64.b64encode(nonce).decode()

    @property
    def offer(self) -> SaslAuth:
        """What is offered, with the challenge in it, as Hadoop does to spare a round trip."""
        challenge = f'realm="{REALM}",nonce="{self._nonce}",qop="auth",charset=utf-8,algorithm=md5-sess'
        return SaslAuth("TOKEN", "DIGEST-MD5", "", REALM, challenge.encode())

    def check(self, response: bytes) -> tuple[bytes, bytes]:
        """Check a response.

        Returns:
            The token's identifier, and the `rspauth` that goes with SUCCESS.

        Raises:
            RemoteProtocolError: it is malformed, or does not match.
        """
        given = parse_directives(response)
        user, cnonce, uri = (given.get(key, "") for key in ("username", "cnonce", "digest-uri"))
        try:
            identifier = base64.b64decode(user, validate=True)
        except ValueError as error:
            raise RemoteProtocolError("sent a user name that is not base64") from error
        password = self._password_of(identifier)
        if password is None or given.get("nonce") != self._nonce or given.get("nc") != "00000001":
            raise RemoteProtocolError("sent a token that is not known here")
        secret = base64.b64encode(password).decode()
        key = session_key(user, given.get("realm", ""), secret, self._nonce, cnonce)
        expected = digest(key, self._nonce, cnonce, "AUTHENTICATE", uri)
        if not hmac.compare_digest(expected.encode(), given.get("response", "").encode()):
            raise RemoteProtocolError("sent a digest that does not match its token")
        return identifier, f"rspauth={digest(key, self._nonce, cnonce, '', uri)}".encode()


class TokenServer(ServerConnection):
    """Takes clients with a token, as a ResourceManager's scheduler port does; others too where it is `simple`."""

    def __init__(self, token: DigestMd5Server, *, simple: bool = False) -> None:
        super().__init__()
        self.identifier: bytes | None = None
        """The token's identifier, once the client has proved that it has the token."""
        self._token = token
        self._offers = (token.offer, *([SaslAuth("SIMPLE", "")] if simple else []))

    def _move(self, trigger: Trigger) -> None:
        if trigger in {Trigger.OPEN_PLAIN, Trigger.CHOOSE_SIMPLE} and len(self._offers) == 1:
            self._refuse("SIMPLE authentication is not enabled.  Available:[TOKEN]")
        super()._move(trigger)

    def _step(self, event: Sasl) -> None:
        chosen = event.auths[0].method if len(event.auths) == 1 else ""
        if event.state is SaslState.NEGOTIATE:
            self._move(Trigger.OFFER)
            self._say(SaslState.NEGOTIATE, auths=self._offers)
        elif event.state is SaslState.INITIATE and chosen == "TOKEN":
            self._move(Trigger.CHOOSE)
            if event.token:
                self._check(event.token)
            else:
                self._say(SaslState.CHALLENGE, self._token.offer.challenge)
        elif event.state is SaslState.RESPONSE:
            self._move(Trigger.STEP)
            self._check(event.token)
        else:
            super()._step(event)

    def _check(self, response: bytes) -> None:
        try:
            self.identifier, proof = self._token.check(response)
        except RemoteProtocolError as error:
            self._refuse(error.message)
        self._move(Trigger.SUCCESS)
        self._say(SaslState.SUCCESS, proof)
