"""The schema gives message classes by the names that travel on the wire."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from froude.base.errors import InputError
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.rpc import headers
from froude.messages.schema import Schema, UnknownMethodError, default_cache
from tests.support.hadoop.class_writer import class_file, jar, outer_class, ping_descriptor, ping_jar

PING = "org.example.PingProtocol"
CLIENT = "org.apache.hadoop.hdfs.protocol.ClientProtocol"


@pytest.fixture
def ping(tmp_path: Path) -> Schema:
    """The schema of one synthetic protocol."""
    return Schema.from_jars([ping_jar(tmp_path / "hadoop-ping.jar")], tmp_path / "cache")


def test_a_method_gives_its_message_classes(ping: Schema) -> None:
    """Protocol and method lead to request and response classes that work."""
    method = ping.method(PING, "ping")
    assert method.request(src="/a").SerializeToString() == b"\x0a\x02/a"
    assert method.response.DESCRIPTOR.full_name == "test.ping.PingResponse"
    assert ping.method(PING, "ping") is method
    assert (ping.protocols, ping.methods(PING)) == (("org.example.HeirProtocolPB", PING), ("ping",))
    assert ping.message("test.ping.PingResponse.Inner")() is not None


@pytest.mark.parametrize(
    ("protocol", "method"), [("org.apache.hadoop.mapred.TaskUmbilicalProtocol", "ping"), (PING, "pong")]
)
def test_unknown_names_are_a_typed_error(ping: Schema, protocol: str, method: str) -> None:
    """An unknown protocol or method raises UnknownMethodError, which is a KeyError and an InputError."""
    with pytest.raises(UnknownMethodError) as caught:
        ping.method(protocol, method)
    assert isinstance(caught.value, KeyError)
    assert (method if protocol == PING else protocol) in str(caught.value)
    with pytest.raises(UnknownMethodError):
        ping.message("test.ping.Nothing")


def test_services_by_habit_of_naming(tmp_path: Path) -> None:
    """Without the protocol's interface the service is found by Hadoop's naming."""
    path = jar(
        tmp_path / "a.jar", {"x/proto/PingProtos": outer_class("x/proto/PingProtos", ping_descriptor())}
    )
    bare = Schema.from_jars([path], tmp_path)
    assert bare.protocols == ()
    assert bare.method("org.example.PingPB", "ping").name == "ping"


def test_the_byte_form_round_trips_and_is_a_descriptor_set(ping: Schema) -> None:
    """to_bytes and from_bytes are inverse, keep the digest, and others can read the bytes."""
    again = Schema.from_bytes(ping.to_bytes())
    assert again == ping
    assert (again.digest, again.files, again.protocols) == (ping.digest, ping.files, ping.protocols)
    assert [file.name for file in FileDescriptorSet.FromString(ping.to_bytes()).file] == ["Ping.proto"]
    assert pickle.loads(pickle.dumps(ping)) == ping
    assert len({ping, again}) == 1


def test_every_cut_of_the_byte_form_is_stated(ping: Schema) -> None:
    """A cut schema is refused or misses something; nothing but InputError escapes."""
    whole = ping.to_bytes()
    for size in range(len(whole)):
        try:
            Schema.from_bytes(whole[:size]).method(PING, "ping")
        except InputError:
            continue


def test_decoding_states_what_is_wrong(ping: Schema) -> None:
    """Absent and malformed payloads are InputErrors that name the message."""
    assert ping.decode_request(PING, "ping", b"\x0a\x01/").src == "/"  # type: ignore[attr-defined]
    for payload in (None, b"\x0a\xff"):
        with pytest.raises(InputError, match=r"test\.ping\.PingResponse"):
            ping.decode_response(PING, "ping", payload)


def test_the_cache_is_used_and_survives_damage(tmp_path: Path) -> None:
    """A second reading comes from the cache; a damaged or unwritable cache is done without."""
    path, cache = ping_jar(tmp_path / "a.jar"), tmp_path / "cache"
    first = Schema.from_jars([path], cache)
    (kept,) = cache.iterdir()
    assert Schema.from_bytes(kept.read_bytes()[32:]) == first
    for damaged in (b"", b"\xff" * 9, kept.read_bytes()[:-1]):
        kept.write_bytes(damaged)
        assert Schema.from_jars([tmp_path], cache) == first
    (tmp_path / "file").write_bytes(b"")
    assert Schema.from_jars([path], tmp_path / "file") == first


def test_the_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """FROUDE_CACHE wins, then XDG_CACHE_HOME."""
    monkeypatch.setenv("FROUDE_CACHE", str(tmp_path))
    assert default_cache() == tmp_path / "schema"
    monkeypatch.delenv("FROUDE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache() == tmp_path / "froude" / "schema"


def test_jars_without_descriptors_are_refused(tmp_path: Path) -> None:
    """No jar, or none with a descriptor, is an InputError."""
    path = jar(tmp_path / "empty.jar", {"x/A": class_file("x/A")})
    with pytest.raises(InputError, match=r"empty\.jar: hold no protobuf descriptor"):
        Schema.from_jars([path], tmp_path / "cache")


def test_a_long_chain_of_imports_is_refused() -> None:
    """A schema file made to exhaust the stack is an InputError, and so is one that names an absent file."""
    files = {}
    for number in range(2000):
        file = ping_descriptor(f"{number}.proto", f"p{number}")
        file.dependency.append(f"{number + 1}.proto")
        files[file.name] = file.SerializeToString()
    with pytest.raises(InputError, match="too deep"):
        Schema(files, {PING: ("0.proto", "PingService")}).method(PING, "ping")
    with pytest.raises(UnknownMethodError):
        Schema({}, {PING: ("0.proto", "PingService")}).method(PING, "ping")


def test_imports_that_miss_or_circle_are_stated() -> None:
    """A file that imports an absent one, or itself, is refused when it is needed, not before."""
    file = ping_descriptor()
    for other in ("Absent.proto", "Ping.proto"):
        del file.dependency[:]
        file.dependency.append(other)
        schema = Schema({"Ping.proto": file.SerializeToString()}, {PING: ("Ping.proto", "PingService")})
        with pytest.raises(InputError, match=f"found {other}"):
            schema.method(PING, "ping")


def test_a_subset_decodes_its_protocols_alone(hadoop: Hadoop) -> None:
    """A subset holds what its protocols import and no more, and gives equal messages."""
    whole = hadoop.schema()
    part = whole.subset([CLIENT])
    assert part.protocols == (CLIENT,)
    assert set(part.files) < set(whole.files)
    message = part.method(CLIENT, "mkdirs").request(src="/a", createParent=True)
    message.masked.perm = 0o755
    assert whole.decode_request(CLIENT, "mkdirs", message.SerializeToString()).src == "/a"
    with pytest.raises(UnknownMethodError):
        part.method("org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol", "sendHeartbeat")


def test_every_method_of_a_real_release_has_its_messages(hadoop: Hadoop) -> None:
    """All files of a release link, each in its own pool, and every protocol's methods resolve."""
    schema = hadoop.schema()
    methods = [schema.method(p, m) for p in schema.protocols for m in schema.methods(p)]
    assert len(methods) > 150
    assert {
        CLIENT,
        "org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol",
        "org.apache.hadoop.ha.HAServiceProtocol",
    } < set(schema.protocols)


def test_our_header_fields_are_those_of_the_release(hadoop: Hadoop) -> None:
    """The header messages written down in `rpc.headers` agree with Hadoop's own: number, name and kind."""
    schema = hadoop.schema()
    pairs = {
        "RpcRequestHeaderProto": headers.RequestHeader,
        "RpcResponseHeaderProto": headers.ResponseHeader,
        "RequestHeaderProto": headers.MethodHeader,
        "IpcConnectionContextProto": headers.ConnectionContext,
        "RpcSaslProto": headers.SaslMessage,
    }
    alike = {"string": "bytes", "enum": "int32"}
    kinds = {9: "string", 12: "bytes", 14: "enum", 5: "int32"}
    for name, ours in pairs.items():
        theirs = schema.message(f"hadoop.common.{name}").DESCRIPTOR.fields_by_number
        for number, field in ours.DESCRIPTOR.fields_by_number.items():
            their = theirs[number]
            assert their.name == field.name
            one, other = (kinds.get(f.type, str(f.type)) for f in (their, field))
            assert alike.get(one, one) == other, field.full_name
