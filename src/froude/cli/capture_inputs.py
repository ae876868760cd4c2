"""What commands that record or import calls are told alike: which daemon, and of which release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from froude.base.errors import InputError

if TYPE_CHECKING:
    from froude.cli.settings import Settings
    from froude.hadoop.rpc.target import Target
    from froude.messages.schema import Schema


def target_of(text: str, place: str) -> Target:
    """The daemon that `[SERVICE=]HOST:PORT` names.

    Raises:
        InputError: another form, or no such service.
    """
    from froude.hadoop.rpc.target import SERVICES, parse_address, target_at

    service, equals, address = text.rpartition("=")
    if equals and service not in SERVICES.values():
        allowed = ", ".join(dict.fromkeys(SERVICES.values()))
        raise InputError("is no service", place=place, found=service, allowed=allowed)
    return target_at(service, parse_address(address, place=place), "")


def schema_of(hadoop: str | None, settings: Settings) -> tuple[Schema, str]:
    """The schema of the release named, or found in a folder of jars; and the release, where named.

    Args:
        hadoop: a release such as `3.5.0`, or a folder of jars; None for the one that is found here.

    Raises:
        InputError: the folder holds no jar, or one that is broken.
        MissingError: no such release, no network and no cache, or no Java that runs it.
    """
    from froude.messages.schema import Schema

    if hadoop and Path(hadoop).is_dir():
        jars = sorted(path for path in Path(hadoop).rglob("*.jar") if path.is_file())
        if not jars:
            raise InputError("holds no jar", file=hadoop, allowed="a folder of a Hadoop release's jars")
        return Schema.from_jars(jars), ""
    from froude.hadoop.release.distribution import Hadoop

    distribution = Hadoop.find(hadoop, progress=settings.progress())
    return Schema.from_jars(distribution.jars), distribution.version if hadoop else ""
