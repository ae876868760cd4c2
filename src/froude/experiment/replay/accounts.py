"""Who the users of a replayed log are to a NameNode that Froude starts: their groups, and who may stand in for whom.

A log names users and no groups. Each user is put into the group of its own name and into every group that it owns
something with, in the image or in the log; the owner of `/` in the image is a superuser, as it was. Permissions are
checked, as in production.

Source: org.apache.hadoop.security.Groups (`hadoop.user.group.static.mapping.overrides`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

import numpy as np

from froude.emulation.programs.audit.lines import Client
from froude.hadoop.fsimage.namespace import ROOT_ID, Namespace

_SUPERUSERS = "supergroup"
_SEPARATORS = frozenset(";,= \t\n")
_MODE_BITS = 16


def account_properties(
    clients: Iterable[Client], groups: Mapping[str, Set[str]], superusers: Iterable[str] = ()
) -> dict[str, str]:
    """The properties of a NameNode that knows the users of a log.

    Args:
        groups: by user, as far as they are known.
        superusers: users that may do everything.
    """
    clients = list(clients)
    members = {client.user: {client.user} for client in clients}
    for user, known in groups.items():
        members.setdefault(user, {user}).update(known)
    for user in superusers:
        members.setdefault(user, {user}).add(_SUPERUSERS)
    mapping = ";".join(
        f"{user}={','.join(sorted(filter(_plain, names)))}"
        for user, names in sorted(members.items())
        if _plain(user)
    )
    real_users = {client.real_user for client in clients if client.real_user is not None}
    proxies = {
        f"hadoop.proxyuser.{user}.{what}": "*" for user in sorted(real_users) for what in ("hosts", "groups")
    }
    return {
        "hadoop.user.group.static.mapping.overrides": mapping,
        "dfs.permissions.superusergroup": _SUPERUSERS,
        **proxies,
    }


def owners(namespace: Namespace) -> tuple[dict[str, set[str]], str]:
    """Of an image: by user, the groups that it owns something with; and who owns `/`. O(inodes)."""
    permissions = namespace.column("permission").astype(np.uint64)
    groups: dict[str, set[str]] = {}
    for permission in np.unique(permissions >> np.uint64(_MODE_BITS)).tolist():
        whole = permission << _MODE_BITS
        groups.setdefault(namespace.strings.user(whole), set()).add(namespace.strings.group(whole))
    root = int(np.flatnonzero(namespace.column("id") == ROOT_ID)[0])
    return groups, namespace.strings.user(int(permissions[root]))


def _plain(name: str) -> bool:
    """Whether the mapping can say a name."""
    return bool(name) and not _SEPARATORS & set(name)
