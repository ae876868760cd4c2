"""Secrets out of messages, before anything is kept.

What is a secret is said by message type and field name, from the descriptors; a *plan* per message type
says once whether a secret can be reached from it, so that messages without any (nearly all calls) are never
decoded. A secret is replaced by a keyed hash of its own length, with a key that is drawn for one capture
and thrown away: equal secrets stay equal, so the flow of a token from one call to another can still be
mined, and nothing else.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Any, cast

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError, Message

from froude.base.errors import InputError
from froude.hadoop.schema import Schema

SECRET_FIELDS: dict[str, frozenset[str]] = {
    # Tokens: the identifier is signed by the password, and both together open a connection as their owner.
    "hadoop.common.TokenProto": frozenset({"identifier", "password"}),
    "hadoop.common.CredentialsKVProto": frozenset({"secret"}),
    "hadoop.common.CredentialsProto": frozenset({"secrets"}),
    # A launch: serialised credentials, the job token in service_data, passwords in the environment.
    "hadoop.yarn.ContainerLaunchContextProto": frozenset(
        {"tokens", "tokens_conf", "service_data", "environment"}
    ),
    "hadoop.yarn.SystemCredentialsForAppsProto": frozenset({"credentialsForApp"}),
    # Keys with which masters sign.
    "hadoop.yarn.MasterKeyProto": frozenset({"bytes"}),
    "hadoop.yarn.RegisterApplicationMasterResponseProto": frozenset({"client_to_am_token_master_key"}),
    "hadoop.yarn.RouterMasterKeyProto": frozenset({"key_bytes"}),
    "hadoop.yarn.RouterStoreTokenProto": frozenset({"token_info"}),
    "hadoop.yarn.ApplicationAttemptStateDataProto": frozenset({"app_attempt_tokens"}),
    "hadoop.hdfs.BlockKeyProto": frozenset({"keyBytes"}),
    # Edit logs carry the delegation tokens' master keys.
    "hadoop.hdfs.JournalRequestProto": frozenset({"records"}),
    "hadoop.hdfs.qjournal.JournalRequestProto": frozenset({"records"}),
    "hadoop.hdfs.qjournal.GetJournaledEditsResponseProto": frozenset({"editLog"}),
    # Keys that encrypt data.
    "hadoop.hdfs.DataEncryptionKeyProto": frozenset({"nonce", "encryptionKey"}),
    "hadoop.hdfs.FileEncryptionInfoProto": frozenset({"key", "iv"}),
    "hadoop.hdfs.PerFileEncryptionInfoProto": frozenset({"key", "iv"}),
    "hadoop.hdfs.CipherOptionProto": frozenset({"inKey", "inIv", "outKey", "outIv"}),
    "hadoop.fs.FileStatusProto": frozenset({"encryption_data"}),
    "hadoop.hdfs.XAttrProto": frozenset({"value"}),
    "hadoop.common.RpcSaslProto": frozenset({"token"}),
    "hadoop.common.RpcSaslProto.SaslAuth": frozenset({"challenge"}),
}
"""Message type -> fields whose value, or every text and byte string below, is a secret."""
_SUSPECT = re.compile(r"passw|secret|private_?key|credential", re.IGNORECASE)
_SHORTEST = 16
"""Bytes of a replacement at least, so that two short secrets do not meet by chance."""


@dataclass(slots=True, eq=False)
class Plan:
    """How to redact one message type."""

    secrets: tuple[tuple[FieldDescriptor, Plan | None], ...] = ()
    """Fields to replace; messages below one by their own plan, which replaces everything."""
    below: tuple[tuple[FieldDescriptor, Plan], ...] = ()
    """Fields under which secrets may lie."""

    @property
    def empty(self) -> bool:
        """No secret can be reached."""
        return not self.secrets and not self.below


_Side = tuple[type[Message], Plan]


class Redactor:
    """Redacts requests and responses of one capture.

    Args:
        schema: the messages' descriptors.
        key: 16 to 64 random bytes; whoever made it forgets it when the capture ends.
        keep_unknown: whether bodies of methods that the schema does not know are kept as they are.
    """

    def __init__(self, schema: Schema, key: bytes, *, keep_unknown: bool = False) -> None:
        if not 16 <= len(key) <= 64:
            raise ValueError(f"the key must have 16 to 64 bytes, got {len(key)}")
        self._schema = schema
        self._key = key
        self._keep_unknown = keep_unknown
        self._plans: dict[tuple[str, bool], Plan] = {}
        self._methods: dict[tuple[str, str], tuple[_Side, _Side] | None] = {}

    def request(self, protocol: str, method: str, body: bytes) -> bytes | None:
        """A request's bytes without secrets; None where the schema cannot tell.

        Raises:
            InputError: the bytes do not decode as the schema says.
        """
        sides = self._sides(protocol, method)
        return self._side(sides and sides[0], body)

    def response(self, protocol: str, method: str, body: bytes) -> bytes | None:
        """A response's bytes without secrets; as `request`."""
        sides = self._sides(protocol, method)
        return self._side(sides and sides[1], body)

    def message(self, message: Message) -> bool:
        """Replace the secrets of a message in place; tells whether there were any."""
        return self._apply(message, self.plan(cast("Descriptor", message.DESCRIPTOR)))

    def plan(self, descriptor: Descriptor) -> Plan:
        """How to redact a message type; worked out once."""
        return self._plan(descriptor, everything=False)

    def hashed(self, secret: bytes) -> bytes:
        """What stands for a secret: the same for the same, and as long, but never under 16 bytes."""
        size = max(len(secret), _SHORTEST)
        seed = hashlib.blake2b(secret, key=self._key).digest()
        return hashlib.shake_256(seed).digest(size)

    def _sides(self, protocol: str, method: str) -> tuple[_Side, _Side] | None:
        try:
            return self._methods[protocol, method]
        except KeyError:
            made = self._methods[protocol, method] = self._find(protocol, method)
            return made

    def _find(self, protocol: str, method: str) -> tuple[_Side, _Side] | None:
        try:
            kinds = self._schema.method(protocol, method)
        except InputError:
            return None
        request, response = kinds.request, kinds.response
        sides = [(kind, self.plan(cast("Descriptor", kind.DESCRIPTOR))) for kind in (request, response)]
        return sides[0], sides[1]

    def _side(self, side: _Side | None, body: bytes) -> bytes | None:
        if side is None:
            return body if self._keep_unknown else None
        kind, plan = side
        if plan.empty:
            return body
        try:
            message = kind.FromString(body)
        except DecodeError as error:
            place = kind.DESCRIPTOR.full_name
            raise InputError("a message does not decode", place=place, found=str(error)) from error
        return message.SerializeToString() if self._apply(message, plan) else body

    def _plan(self, descriptor: Descriptor, *, everything: bool) -> Plan:
        key = (f"{descriptor.file.name}:{descriptor.full_name}", everything)
        if key not in self._plans:
            self._plans[key] = Plan()  # stands while we are below it: types may contain themselves
            self._fill(self._plans[key], descriptor, everything)
        return self._plans[key]

    def _fill(self, plan: Plan, descriptor: Descriptor, everything: bool) -> None:
        named = SECRET_FIELDS.get(descriptor.full_name, frozenset())
        secrets: list[tuple[FieldDescriptor, Plan | None]] = []
        below: list[tuple[FieldDescriptor, Plan]] = []
        for field in descriptor.fields:
            secret = everything or field.name in named or _is_suspect(field)
            if everything and field.name == "key" and descriptor.name.endswith("MapProto"):
                continue  # the names of a map's entries are no secret: HADOOP_CLASSPATH, mapreduce_shuffle
            inner = field.message_type
            if inner is not None:
                if secret:
                    secrets.append((field, self._plan(inner, everything=True)))
                elif _reaches(inner):
                    below.append((field, self._plan(inner, everything=False)))
            elif secret and _is_text(field):
                secrets.append((field, None))
        plan.secrets, plan.below = tuple(secrets), tuple(below)

    def _apply(self, message: Any, plan: Plan) -> bool:
        changed = False
        for field, inner in plan.secrets:
            if inner is not None:
                changed |= self._each(message, field, inner)
            else:
                changed |= self._replace(message, field)
        for field, inner in plan.below:
            changed |= self._each(message, field, inner)
        return changed

    def _each(self, message: Any, field: FieldDescriptor, plan: Plan) -> bool:
        if field.is_repeated:
            changed = False
            for one in getattr(message, field.name):
                changed |= self._apply(one, plan)
            return changed
        return message.HasField(field.name) and self._apply(getattr(message, field.name), plan)

    def _replace(self, message: Any, field: FieldDescriptor) -> bool:
        value = getattr(message, field.name)
        if not value:
            return False
        if field.is_repeated:
            replaced = [self._of_kind(one) for one in value]
            del value[:]
            value.extend(replaced)
        else:
            setattr(message, field.name, self._of_kind(value))
        return True

    def _of_kind(self, value: str | bytes) -> str | bytes:
        if isinstance(value, bytes):
            return self.hashed(value) if value else value
        return self.hashed(value.encode()).hex()[: max(len(value), _SHORTEST)] if value else value


def _is_text(field: FieldDescriptor) -> bool:
    return field.type in {FieldDescriptor.TYPE_BYTES, FieldDescriptor.TYPE_STRING}


def _is_suspect(field: FieldDescriptor) -> bool:
    """Fields of any type, also a vendor's, whose name says that they hold a secret."""
    return _is_text(field) and _SUSPECT.search(field.name) is not None


def _reaches(descriptor: Descriptor) -> bool:
    """Whether any secret lies below a message type; walks the graph of types once, cycles included."""
    seen: set[str] = set()
    todo = [descriptor]
    while todo:
        one = todo.pop()
        if one.full_name in seen:
            continue
        seen.add(one.full_name)
        named = SECRET_FIELDS.get(one.full_name, frozenset())
        for field in one.fields:
            if field.name in named or _is_suspect(field):
                return True
            if field.message_type is not None:
                todo.append(field.message_type)
    return False
