"""Which calls fetch what a container needs."""

from __future__ import annotations

from froude.emulation.programs.yarn.localisation import Fetch, Localised
from froude.emulation.programs.yarn.protocols import PRIVATE, PUBLIC
from tests.support.emulation.programs.yarn.localisation import resource


def test_files_of_an_application_are_fetched_once_on_a_node() -> None:
    """One process fetches all, and asks for the file system's defaults after its first."""
    localised = Localised()
    assert localised.fetch([resource("/s/job.jar"), resource("/s/job.xml")], 1) == [
        Fetch("getFileInfo", "/s/job.jar"),
        Fetch("getBlockLocations", "/s/job.jar"),
        Fetch("getServerDefaults", ""),
        Fetch("getFileInfo", "/s/job.xml"),
        Fetch("getBlockLocations", "/s/job.xml"),
    ]
    assert localised.fetch([resource("/s/job.jar"), resource("/s/more")], 1) == [
        Fetch("getFileInfo", "/s/more"),
        Fetch("getBlockLocations", "/s/more"),
        Fetch("getServerDefaults", ""),
    ]


def test_folders_above_a_public_file_are_looked_at() -> None:
    """Nearest first, up to the root, before the file is read; the NodeManager fetches it apart from the others."""
    assert [*Localised().fetch([resource("/own"), resource("/tera/out/p", PUBLIC)], 1)][:6] == [
        Fetch("getFileInfo", "/tera/out/p"),
        Fetch("getFileInfo", "/tera/out"),
        Fetch("getFileInfo", "/tera"),
        Fetch("getFileInfo", "/"),
        Fetch("getBlockLocations", "/tera/out/p"),
        Fetch("getServerDefaults", ""),
    ]


def test_what_is_an_applications_own_goes_with_it() -> None:
    """Another application fetches its own; what is public or a user's stays for all."""
    localised = Localised()
    shared = [resource("/p", PUBLIC), resource("/u", PRIVATE)]
    localised.fetch([*shared, resource("/a")], 1)
    assert {each.path for each in localised.fetch([*shared, resource("/a")], 2)} == {"/a", ""}
    localised.forget(1)
    assert {each.path for each in localised.fetch([*shared, resource("/a")], 1)} == {"/a", ""}


def test_a_file_that_was_changed_is_another_file() -> None:
    """By its time; and what lies in no HDFS is none of this."""
    localised = Localised()
    localised.fetch([resource("/p", PUBLIC)], 1)
    assert localised.fetch([resource("/p", PUBLIC, timestamp=2)], 1)
    assert localised.fetch([resource("/p", scheme="file")], 1) == []
