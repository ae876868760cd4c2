"""What racks, their loss and the time to re-replicate ask of the other parts."""

from __future__ import annotations

from collections.abc import Sequence

from froude.provision.inputs.tree import Element, Flaws
from froude.provision.types import (
    Application,
    Catalog,
    Dataset,
    Lost,
    Options,
    Persistence,
    RackLoss,
    Scope,
    Sla,
)


def check_racks(elements: Sequence[Element], flaws: Flaws, catalog: Catalog, options: Options) -> None:
    """A lost rack needs racks.

    Args:
        elements: of all files, those inside others too.
        flaws: takes what is wrong.
        catalog: with racks or without.
        options: whether a rack may be lost.
    """
    if not _racks(elements, catalog) and options.survive_rack is not RackLoss.NONE:
        at = _first(elements, "options")
        flaws.add(
            at, "asks for racks, and resources has none", name="survive_rack", allowed="an element rack"
        )


def check_re_replication(elements: Sequence[Element], flaws: Flaws, catalog: Catalog, sla: Sla) -> None:
    """What is lost and re-replicated is there.

    Args:
        elements: of all files, those inside others too.
        flaws: takes what is wrong.
        catalog: with racks or without.
        sla: with a re_replication or without.
    """
    re_replication = sla.re_replication
    if not _racks(elements, catalog) and re_replication is not None and re_replication.of is Lost.RACK:
        at = _first(elements, "re_replication")
        flaws.add(at, "is of racks, and resources has none", name="of", allowed="server, or an element rack")


def check_lost_rack(
    elements: Sequence[Element], flaws: Flaws, options: Options, application: Application
) -> None:
    """What must outlive a rack has pieces in others.

    Args:
        elements: of all files, those inside others too.
        flaws: takes what is wrong.
        options: whether a rack may be lost.
        application: its persistent datasets must have replicas or fragments, or stand beside tasks that do.
    """
    if options.survive_rack is RackLoss.NONE:
        return
    for dataset in application.datasets:
        if dataset.persistent is Persistence.REQUIRED and not _outlives(dataset, options.survive_rack):
            at = _first(elements, "dataset", dataset.name)
            allowed = "replication of 2 or more, or erasure"
            if not dataset.remote:
                allowed = "scope replicated with survive_rack service, or remote with replication"
            flaws.add(
                at,
                "is persistent and does not outlive survive_rack",
                name="replication" if dataset.remote else "scope",
                found=f"survive_rack {options.survive_rack.value}",
                allowed=allowed,
            )


def _racks(elements: Sequence[Element], catalog: Catalog) -> bool:
    """Whether there are racks, or one that is wrong, which is said of it already."""
    return catalog.rack is not None or any(element.tag == "rack" for element in elements)


def _outlives(dataset: Dataset, loss: RackLoss) -> bool:
    if not dataset.remote:
        return dataset.scope is Scope.REPLICATED and loss is RackLoss.SERVICE
    return dataset.replication > 1 or dataset.erasure is not None


def _first(elements: Sequence[Element], tag: str, name: str | None = None) -> Element:
    def fits(element: Element) -> bool:
        title = element.fields.get("name")
        return element.tag == tag and (name is None or (title is not None and title.text.strip() == name))

    return next(element for element in elements if fits(element))
