"""From values back to elements, so that either form can be written; what equals its default is left out."""

from __future__ import annotations

from froude.provision.inputs.hardware import CATALOG
from froude.provision.inputs.read import Parts
from froude.provision.inputs.requirements import APPLICATION, BATCH, GROWTH, OPTIONS, RE_REPLICATION, TARGET
from froude.provision.inputs.tree import Element
from froude.provision.inputs.xml_file import dump_xml
from froude.provision.inputs.yaml_form import dump_yaml
from froude.provision.types import Options, Sla


def to_xml(parts: Parts) -> str:
    """Everything that was found, as one XML file."""
    return dump_xml(elements(parts))


def to_yaml(parts: Parts) -> str:
    """Everything that was found, as one YAML file."""
    return dump_yaml(elements(parts))


def elements(parts: Parts) -> list[Element]:
    """The top elements of what was found."""
    sla = parts.sla or Sla()
    top = [TARGET.write(target) for target in sla.targets]
    top += [] if sla.batch is None else [BATCH.write(sla.batch)]
    top += [] if sla.growth is None else [GROWTH.write(sla.growth)]
    top += [] if sla.re_replication is None else [RE_REPLICATION.write(sla.re_replication)]
    top += [] if parts.catalog is None else [CATALOG.write(parts.catalog)]
    top += [] if parts.application is None else [APPLICATION.write(parts.application)]
    return top + ([] if parts.options == Options() else [OPTIONS.write(parts.options)])
