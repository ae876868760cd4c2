"""Hadoop's `*-site.xml`: read, written, and stripped of everything that points at a production cluster."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lxml import etree

from froude.base.errors import InputError
from froude.base.files import atomic_write_text, read_bounded

_LARGEST_BYTES = 16 << 20

_PRODUCTION = re.compile(
    r"""
    ^(
      dfs\.nameservices | dfs\.nameservice\.id | dfs\.internal\.nameservices
    | dfs\.ha\..* | ha\..* | dfs\.journalnode\..*
    | dfs\.namenode\.shared\.edits\.dir(\..*)?
    | .*\.keytab(\..*)? | .*\.keytab | .*kerberos.* | .*\.principal(\..*)?
    | dfs\.hosts(\..*)? | .*\.hosts\.(include|exclude) | .*\.(include|exclude)-path
    | .*[.-]address(\..*)? | .*\.hostname(\..*)? | .*\.bind-host(\..*)? | .*\.quorum(\..*)?
    | fs\.default(FS|\.name) | .*\.(zk|zookeeper)[.-].* | .*zk-address | hadoop\.registry\..*
    | .*\.(name|data|edits|checkpoint|tmp)\.dir(\..*)? | .*\.(local|log)-dirs
    | hadoop\.security\.(authentication|authorization|group\.mapping.*)
    | .*\.(credential|key)\.provider\.(path|uri)
    | dfs\.(encryption|http\.policy|https)\..* | dfs\.http\.policy | dfs\.encrypt\.data\.transfer.*
    | .*\.(password|secret)(\..*)? | ssl\..* | .*ssl\.(server|client)\..*
    | dfs\.net\.interface.* | net\.topology\.(script|table)\..* | dfs\.block\.access\.token\.enable
    | dfs\.namenode\.(plugins|inode\.attributes\.provider\.class|audit\.loggers) | dfs\.datanode\.plugins
    | dfs\.domain\.socket\.path
    )$
    """,
    re.VERBOSE,
)
"""Addresses, credentials, folders, failover, plug-ins: what must not reach a scale model. Ours."""


def parse_xml(data: bytes, *, name: str) -> Any:
    """The root element of an XML document that declares no entities and asks for nothing.

    Raises:
        InputError: no XML, or a document type, which could name files or grow without bound.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        line = error.lineno or None
        raise InputError(f"is no XML ({error.msg})", file=name, place=line) from error
    docinfo: Any = root.getroottree().docinfo
    if docinfo.doctype:
        raise InputError(
            "declares a document type", file=name, allowed="plain XML without DOCTYPE or entities"
        )
    return root


def parse_site(data: bytes, *, name: str = "site.xml") -> dict[str, str]:
    """The properties of a `*-site.xml`; of two with one name the later counts, as in Hadoop.

    Raises:
        InputError: no XML, another root element, or a property without a name.
    """
    root = parse_xml(data, name=name)
    if root.tag != "configuration":
        raise InputError(
            "is no Hadoop configuration", file=name, found=f"<{root.tag}>", allowed="<configuration>"
        )
    result: dict[str, str] = {}
    final: set[str] = set()
    for element in root.iter("property"):
        key = (element.findtext("name") or "").strip()
        if not key:
            raise InputError("a property has no name", file=name, place=element.sourceline)
        if key not in final:
            result[key] = (element.findtext("value") or "").strip()
        if (element.findtext("final") or "").strip() == "true":
            final.add(key)
    return result


def read_site(path: Path) -> dict[str, str]:
    """`parse_site` of a file.

    Raises:
        InputError: absent, over 16 MiB, or not a configuration.
    """
    return parse_site(read_bounded(path, limit_bytes=_LARGEST_BYTES), name=str(path))


def format_site(properties: Mapping[str, str]) -> str:
    """A `*-site.xml` of these properties, sorted by name so that two can be compared."""
    root = etree.Element("configuration")
    for key in sorted(properties):
        element = etree.SubElement(root, "property")
        etree.SubElement(element, "name").text = key
        etree.SubElement(element, "value").text = properties[key]
    body: bytes = etree.tostring(root, pretty_print=True, xml_declaration=True, encoding="UTF-8")
    return body.decode()


def write_site(path: Path, properties: Mapping[str, str]) -> None:
    """Write `format_site` to a file, whole or not at all.

    Raises:
        InputError: what stands there is no regular file.
        MissingError: no space, or no right to write there.
    """
    atomic_write_text(path, format_site(properties))


def edited(data: bytes, changes: Mapping[str, str | None], *, name: str = "site.xml") -> bytes:
    """A `*-site.xml` with some properties set or taken out, and everything else as it was, comments included.

    Args:
        data: the document; empty for none yet.
        changes: values by name; None takes a property out.

    Raises:
        InputError: it is no configuration.
    """
    if not data.strip():
        return format_site({key: value for key, value in changes.items() if value is not None}).encode()
    parse_site(data, name=name)
    root = parse_xml(data, name=name)
    for key, value in changes.items():
        there = [each for each in root.iter("property") if (each.findtext("name") or "").strip() == key]
        final = [each for each in there if (each.findtext("final") or "").strip() == "true"]
        kept = (final[:1] or there[-1:] or [None])[0] if value is not None else None
        for element in there:
            if element is not kept:
                element.getparent().remove(element)
        if value is None:
            continue
        if kept is None:
            kept = etree.SubElement(root, "property")
            kept.tail = "\n"
            etree.SubElement(kept, "name").text = key
        place = kept.find("value")
        (etree.SubElement(kept, "value") if place is None else place).text = value
    body: bytes = etree.tostring(root.getroottree(), xml_declaration=True, encoding="UTF-8")
    return body + b"\n"


def strip_production(properties: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Part a production configuration into what shapes behaviour and what points at the cluster.

    Returns:
        What may be used for a scale model, and what was taken out: addresses, name services, credentials,
        host lists, folders, plug-ins.
    """
    removed = {key: value for key, value in properties.items() if _PRODUCTION.match(key)}
    return {key: value for key, value in properties.items() if key not in removed}, removed
