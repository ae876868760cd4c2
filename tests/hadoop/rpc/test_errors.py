"""The kinds of error."""

from __future__ import annotations

import pickle

from froude.base.errors import TargetError
from froude.hadoop.rpc.errors import LocalProtocolError, RemoteException, RemoteProtocolError


def test_only_the_peer_s_errors_are_target_errors() -> None:
    """A peer's error is stated to the user, our own is a bug."""
    assert issubclass(RemoteProtocolError, TargetError)
    assert not issubclass(LocalProtocolError, TargetError)


def test_a_remote_exception_keeps_its_parts() -> None:
    """Class, message and peer are in the text, and survive pickling (players run in other processes)."""
    error = pickle.loads(
        pickle.dumps(RemoteException("java.io.IOException", "no", detail=1, fatal=True, peer="h:1"))
    )
    assert str(error) == "h:1: answered java.io.IOException: no"
    assert (error.error_class, error.error_message, error.detail, error.fatal) == (
        "java.io.IOException",
        "no",
        1,
        True,
    )


def test_what_a_secure_or_a_standby_daemon_answers_has_a_way_out() -> None:
    """Both refuse every call."""
    secure = "SIMPLE authentication is not enabled.  Available:[TOKEN, KERBEROS]"
    for name, message, remedy in (
        ("org.apache.hadoop.security.AccessControlException", secure, "no Kerberos yet"),
        (
            "org.apache.hadoop.ipc.StandbyException",
            "Operation category READ is not supported",
            "the active one",
        ),
    ):
        error = pickle.loads(pickle.dumps(RemoteException(name, message)))
        assert remedy in str(error)
    assert RemoteException("java.io.IOException", "no").remedy is None
