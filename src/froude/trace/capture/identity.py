"""Ask targets who they are, before their traffic is recorded."""

from __future__ import annotations

from dataclasses import replace

from froude.base.errors import FroudeError
from froude.hadoop.rpc.identity import Identity, ask_identity
from froude.hadoop.rpc.target import Target, parse_address
from froude.messages.schema import Schema
from froude.trace.capture.settings import CaptureSettings

_TIMEOUT_S = 5.0


def with_identities(settings: CaptureSettings, schema: Schema) -> CaptureSettings:
    """The settings with the id of each target that tells it, and with the first one's release.

    A target of another kind, or one that wants a ticket for the question, stays as it is: the recorder still learns
    a NameNode's id when a DataNode asks for it.

    Args:
        settings: what was asked for; an id that is known there is not asked.
    """
    targets = dict.fromkeys(listener.target for listener in settings.listeners)
    known = {target: identity for target in targets if (identity := _asked(target, schema)) is not None}
    listeners = tuple(
        replace(listener, target=listener.target._replace(id=known[listener.target].id))
        if listener.target in known
        else listener
        for listener in settings.listeners
    )
    first = next(iter(known.values()), Identity(""))
    ids = (listener.target.id for listener in listeners if listener.target.id)
    return replace(
        settings,
        listeners=listeners,
        source_id=settings.source_id or next(ids, ""),
        release=settings.release or first.release,
    )


def _asked(target: Target, schema: Schema) -> Identity | None:
    """Who a target says it is; None where it is known, or does not say."""
    if target.id:
        return None
    try:
        address = parse_address(target.address, place="target")
        return ask_identity(target.service, address, schema, timeout_s=_TIMEOUT_S)
    except FroudeError:
        return None
