"""SASL mechanisms of Hadoop RPC: the seam (`Mechanism`) and TOKEN by DIGEST-MD5.

Hadoop's use of DIGEST-MD5: the user name is base64 of the token's identifier, the password base64 of its
password, the realm and server id are `default`, the protocol is empty, so that digest-uri is `/default`. Only
qop=auth is spoken: the payload stays in clear. GSSAPI would be one more class with this seam.

Source: RFC 2831 (2.1.1 challenge, 2.1.2 response, 2.1.3 rspauth); org.apache.hadoop.security.SaslRpcServer.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from dataclasses import dataclass, field
from typing import Protocol

from froude.hadoop.rpc.errors import RemoteProtocolError
from froude.hadoop.rpc.events import SaslAuth

# RFC 2831 2.1.1: a challenge is shorter than 2,048 bytes, a response than 4,096.
_DIRECTIVES_LIMIT_BYTES = 4096
_DIRECTIVE = re.compile(r'[\s,]*([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^",\s]*))\s*(?=,|$)', re.DOTALL)
REALM = "default"


@dataclass(frozen=True, slots=True)
class Token:
    """What a Hadoop token proves itself with; its secrets are not shown."""

    identifier: bytes = field(repr=False)
    password: bytes = field(repr=False)


class Mechanism(Protocol):
    """The client half of one way of authentication."""

    @property
    def method(self) -> str:
        """Hadoop's name of the method it serves: `TOKEN`, `KERBEROS`."""

    @property
    def mechanism(self) -> str:
        """SASL's name: `DIGEST-MD5`, `GSSAPI`."""

    def start(self, offer: SaslAuth) -> bytes:
        """The token of INITIATE; the offer may carry the first challenge already."""

    def step(self, challenge: bytes) -> bytes:
        """The answer to a CHALLENGE."""

    def finish(self, token: bytes) -> None:
        """Check what came with SUCCESS.

        Raises:
            RemoteProtocolError: the server could not prove itself.
        """


class DigestMd5Client:
    """TOKEN authentication, the client's half.

    Args:
        cnonce: at least 64 bits of entropy, fresh for each connection.
    """

    method = "TOKEN"
    mechanism = "DIGEST-MD5"

    def __init__(self, token: Token, cnonce: bytes) -> None:
        self._user = base64.b64encode(token.identifier).decode()
        self._password = base64.b64encode(token.password).decode()
        self._cnonce = base64.b64encode(cnonce).decode()
        self._uri = ""
        self._proof = ""

    def start(self, offer: SaslAuth) -> bytes:
        """The answer to the challenge in the offer, or nothing when that comes later."""
        self._uri = f"{offer.protocol or ''}/{offer.server_id or ''}"
        return self.step(offer.challenge) if offer.challenge else b""

    def step(self, challenge: bytes) -> bytes:
        """The digest response.

        Raises:
            RemoteProtocolError: the challenge is malformed or asks for what is not spoken here.
        """
        asked = parse_directives(challenge)
        nonce, realm = asked.get("nonce", ""), asked.get("realm", REALM)
        offered = {q.strip() for q in asked.get("qop", "auth").split(",")}
        if not nonce or asked.get("algorithm") != "md5-sess" or "auth" not in offered:
            found = {key: asked.get(key) for key in ("algorithm", "qop")}
            raise RemoteProtocolError(
                "asks for a DIGEST-MD5 that is not spoken here", found=found, allowed="auth"
            )
        key = session_key(self._user, realm, self._password, nonce, self._cnonce)
        self._proof = digest(key, nonce, self._cnonce, "", self._uri)
        fields = {
            "charset": "utf-8",
            "username": quoted(self._user),
            "realm": quoted(realm),
            "nonce": quoted(nonce),
            "nc": "00000001",
            "cnonce": quoted(self._cnonce),
            "digest-uri": quoted(self._uri),
            "maxbuf": "65536",
            "response": digest(key, nonce, self._cnonce, "AUTHENTICATE", self._uri),
            "qop": "auth",
        }
        return ",".join(f"{key}={value}" for key, value in fields.items()).encode()

    def finish(self, token: bytes) -> None:
        """Check `rspauth`: the server knows the password too.

        Raises:
            RemoteProtocolError: it does not.
        """
        proof = parse_directives(token).get("rspauth", "")
        if not self._proof or not hmac.compare_digest(proof.encode(), self._proof.encode()):
            raise RemoteProtocolError("did not prove that it knows the token's password")


def parse_directives(raw: bytes) -> dict[str, str]:
    """The `key=value` list of a challenge or response; keys in lower case.

    Raises:
        RemoteProtocolError: over the limit, malformed, or a key twice (but `realm`, whose first counts).
    """
    if len(raw) > _DIRECTIVES_LIMIT_BYTES:
        allowed = f"at most {_DIRECTIVES_LIMIT_BYTES} bytes"
        raise RemoteProtocolError(
            "sent an oversize DIGEST-MD5 message", found=f"{len(raw)} bytes", allowed=allowed
        )
    text = raw.decode("utf-8", "replace").rstrip(", \r\n\t")
    result: dict[str, str] = {}
    at = 0
    while at < len(text):
        match = _DIRECTIVE.match(text, at)
        if match is None:
            raise RemoteProtocolError("sent a malformed DIGEST-MD5 message", place=at)
        key = match[1].lower()
        value = match[3] if match[2] is None else re.sub(r"\\(.)", r"\1", match[2], flags=re.DOTALL)
        if key in result and key != "realm":
            raise RemoteProtocolError("sent a DIGEST-MD5 directive twice", found=key)
        result.setdefault(key, value)
        at = match.end()
    return result


def quoted(value: str) -> str:
    """A quoted-string with its escapes (RFC 2831 section 7.2)."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def session_key(user: str, realm: str, password: str, nonce: str, cnonce: str) -> str:
    """HEX(H(A1)) of md5-sess (RFC 2831 2.1.2.1); Latin-1 where the text allows, as the RFC asks.

    Args:
        user: user name, base64 of a token's identifier.
        realm: as the server's challenge names it; Hadoop's is `default`.
        password: base64 of the token's password.
        nonce: the server's, as its challenge gives it.

    Returns:
        32 hexadecimal digits.
    """
    secret = f"{user}:{realm}:{password}"
    try:
        raw = secret.encode("latin-1")
    except UnicodeEncodeError:
        raw = secret.encode()
    first = hashlib.md5(raw, usedforsecurity=False).digest()
    return hashlib.md5(first + f":{nonce}:{cnonce}".encode(), usedforsecurity=False).hexdigest()


def digest(key: str, nonce: str, cnonce: str, verb: str, uri: str) -> str:
    """`response` (verb `AUTHENTICATE`) or `rspauth` (no verb) for qop=auth and a nonce's first use.

    Args:
        nonce: the server's, as its challenge gives it.
        verb: `AUTHENTICATE`, or empty for the server's proof.
        uri: the digest-uri, such as `/default`.

    Returns:
        32 hexadecimal digits.
    """
    a2 = hashlib.md5(f"{verb}:{uri}".encode(), usedforsecurity=False).hexdigest()
    text = f"{key}:{nonce}:00000001:{cnonce}:auth:{a2}"
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
