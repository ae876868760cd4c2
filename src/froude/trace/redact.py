"""Secrets out of messages, before anything is kept.

What is a secret is said by message type and field name, from the descriptors; a *plan* per message type
says once whether a secret can be reached from it, so that messages without any (nearly all calls) are never
decoded. A secret is replaced by a keyed hash of its own length, with a key that is drawn for one capture
and thrown away: equal secrets stay equal, so the flow of a token from one call to another can still be
mined, and nothing else.

Of a message that may hold a secret only what the schema accounts for is kept, no field that it does not know.
What cannot be encoded again after that is an error and is left out, never kept as it was.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Any, cast

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError, EncodeError, Message

from froude.base.errors import InputError
from froude.messages.schema import Schema

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
OPEN_VARIABLES = frozenset(
    {
        *("SHELL", "LANG", "PATH", "PWD", "CLASSPATH", "LD_LIBRARY_PATH", "JAVA_HOME"),
        *(
            "HADOOP_COMMON_HOME",
            "HADOOP_HDFS_HOME",
            "HADOOP_YARN_HOME",
            "HADOOP_MAPRED_HOME",
            "HADOOP_CONF_DIR",
        ),
    }
)
"""Variables of an environment that name programs and folders: no secret, and the same in every run."""
_OPEN_VALUE = re.compile(r"[\x20-\x7e]*")
"""What such a variable holds; a damaged length that reaches into what follows brings a control character along."""
_SUSPECT = re.compile(r"passw|secret|private_?key|credential", re.IGNORECASE)
_NO_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
"""What no name or path holds, but every token that a damaged length has pulled into a text."""
_SHORTEST = 16
"""Bytes of a replacement at least, so that two short secrets do not meet by chance."""


@dataclass(slots=True, eq=False)
class RedactionPlan:
    """How to redact one message type; each field by its name and whether it is repeated."""

    secrets: tuple[tuple[str, bool, bool], ...] = ()
    """Texts and byte strings to replace, and whether they are byte strings."""
    below: tuple[tuple[str, bool, RedactionPlan], ...] = ()
    """Messages under which secrets may lie, and their plan."""
    variable: bool = False
    """Whether it is an entry of a map, of which the key may say that it holds no secret."""
    texts: tuple[tuple[str, bool, str], ...] = ()
    """When strict, texts beside them, into which damage could have moved a secret, and their full name."""

    @property
    def empty(self) -> bool:
        """No secret can be reached."""
        return not self.secrets and not self.below


_Side = tuple[type[Message], RedactionPlan]


class Redactor:
    """Redacts requests and responses of one capture.

    Args:
        key: 16 to 64 random bytes; whoever made it forgets it when the capture ends.
        keep_unknown: whether methods and fields that the schema does not know are kept as they are.
        strict: whether to expect damage, as in a file: messages without a secret are looked at, too, for an
            answer may have come under another call's number, and text must be text, for a length may have
            grown over a token.
    """

    def __init__(
        self, schema: Schema, key: bytes, *, keep_unknown: bool = False, strict: bool = False
    ) -> None:
        if not 16 <= len(key) <= 64:
            raise ValueError(f"the key must have 16 to 64 bytes, got {len(key)}")
        self._schema = schema
        self._key = key
        self._keep_unknown = keep_unknown
        self._strict = strict
        self._plans: dict[tuple[str, bool], RedactionPlan] = {}
        self._methods: dict[tuple[str, str], tuple[_Side | None, _Side | None]] = {}

    def request(self, protocol: str, method: str, body: bytes) -> bytes | None:
        """A request's bytes without secrets; None where the schema cannot tell.

        Args:
            protocol: declared protocol, by its Java name.

        Raises:
            InputError: the bytes do not decode as the schema says, or are not a whole message.
        """
        return self._side(self._sides(protocol, method)[0], body)

    def response(self, protocol: str, method: str, body: bytes) -> bytes | None:
        """A response's bytes without secrets; as `request`.

        Args:
            protocol: declared protocol, by its Java name.
        """
        return self._side(self._sides(protocol, method)[1], body)

    def plan(self, descriptor: Descriptor) -> RedactionPlan:
        """How to redact a message type; worked out once."""
        return self._plan(descriptor, everything=False)

    def hashed(self, secret: bytes) -> bytes:
        """What stands for a secret: the same for the same, and as long, but never under 16 bytes."""
        size = max(len(secret), _SHORTEST)
        seed = hashlib.blake2b(secret, key=self._key).digest()
        return hashlib.shake_256(seed).digest(size)

    def _sides(self, protocol: str, method: str) -> tuple[_Side | None, _Side | None]:
        try:
            return self._methods[protocol, method]
        except KeyError:
            sides = self._methods[protocol, method] = self._find(protocol, method)
            return sides

    def _find(self, protocol: str, method: str) -> tuple[_Side | None, _Side | None]:
        try:
            kinds = self._schema.method(protocol, method)
        except InputError:
            return None, None
        request, response = kinds.request, kinds.response
        sides = [(kind, self.plan(cast("Descriptor", kind.DESCRIPTOR))) for kind in (request, response)]
        return sides[0], sides[1]

    def _side(self, side: _Side | None, body: bytes) -> bytes | None:
        if side is None:
            return body if self._keep_unknown else None
        kind, plan = side
        if plan.empty and not self._strict:
            return body
        try:
            message = kind.FromString(body)
        except DecodeError as error:
            place = kind.DESCRIPTOR.full_name
            raise InputError("a message does not decode", place=place, found=str(error)) from error
        if not self._keep_unknown:
            message.DiscardUnknownFields()
        self._apply(message, plan)
        try:
            return message.SerializeToString()  # also without a secret: what was unknown is gone
        except EncodeError as error:
            place = kind.DESCRIPTOR.full_name
            raise InputError("a message is not whole", place=place, found=str(error)) from error

    def _plan(self, descriptor: Descriptor, *, everything: bool) -> RedactionPlan:
        key = (f"{descriptor.file.name}:{descriptor.full_name}", everything)
        if key not in self._plans:
            self._plans[key] = RedactionPlan()  # stands while we are below it: types may contain themselves
            self._fill(self._plans[key], descriptor, everything)
        return self._plans[key]

    def _fill(self, plan: RedactionPlan, descriptor: Descriptor, everything: bool) -> None:
        named = SECRET_FIELDS.get(descriptor.full_name, frozenset())
        secrets: list[tuple[str, bool, bool]] = []
        below: list[tuple[str, bool, RedactionPlan]] = []
        texts: list[tuple[str, bool, str]] = []
        for field in descriptor.fields:
            name, repeated, inner = field.name, field.is_repeated, field.message_type
            secret = everything or name in named or _is_suspect(field)
            if everything and name == "key" and descriptor.name.endswith("MapProto"):
                plan.variable = True
                continue  # the names of a map's entries are no secret: HADOOP_CLASSPATH, mapreduce_shuffle
            if inner is not None:
                if secret or self._strict or _reaches(inner):
                    below.append((name, repeated, self._plan(inner, everything=secret)))
            elif secret and _is_text(field):
                secrets.append((name, repeated, field.type == field.TYPE_BYTES))
            elif self._strict and field.type == field.TYPE_STRING:
                texts.append((name, repeated, field.full_name))
        plan.secrets, plan.below, plan.texts = tuple(secrets), tuple(below), tuple(texts)

    def _apply(self, message: Any, plan: RedactionPlan) -> None:
        """Replace the secrets of a message.

        Raises:
            InputError: a text beside them is none.
        """
        if plan.variable and _is_open(message):
            return
        for name, repeated, binary in plan.secrets:
            self._replace(message, name, repeated, binary)
        for name, repeated, inner in plan.below:
            if repeated:
                for each in getattr(message, name):
                    self._apply(each, inner)
            elif message.HasField(name):
                self._apply(getattr(message, name), inner)
        for name, repeated, place in plan.texts:
            value = getattr(message, name)
            for text in value if repeated else (value,):
                if isinstance(text, bytes) or _NO_TEXT.search(text):  # bytes where they are not UTF-8
                    raise InputError("a message's text is damaged", place=place)

    def _replace(self, message: Any, name: str, repeated: bool, binary: bool) -> None:
        value = getattr(message, name)
        if not value:
            return
        if repeated:
            replaced = [self._stand_in(each, binary) for each in value]
            del value[:]
            value.extend(replaced)
        else:
            setattr(message, name, self._stand_in(value, binary))

    def _stand_in(self, value: str | bytes, binary: bool) -> str | bytes:
        raw = value.encode() if isinstance(value, str) else value  # damaged text comes as bytes
        if binary or not raw:
            return self.hashed(raw) if raw else value
        return self.hashed(raw).hex()[: max(len(value), _SHORTEST)]


def _is_open(entry: Any) -> bool:
    """Whether a map's entry is a variable that holds no secret."""
    value = getattr(entry, "value", None)
    return entry.key in OPEN_VARIABLES and isinstance(value, str) and _OPEN_VALUE.fullmatch(value) is not None


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
        message_type = todo.pop()
        if message_type.full_name in seen:
            continue
        seen.add(message_type.full_name)
        named = SECRET_FIELDS.get(message_type.full_name, frozenset())
        for field in message_type.fields:
            if field.name in named or _is_suspect(field):
                return True
            if field.message_type is not None:
                todo.append(field.message_type)
    return False
