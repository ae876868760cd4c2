"""What a figure holds for stands beside it."""

from __future__ import annotations

from froude.emulation.run.run import TARGET
from froude.experiment.figures.environment import (
    facts_table,
    limit_words,
    scale_text,
    server_of,
    settings_of,
    when,
)
from tests.support.experiment.main_jobs import a_run


def test_facts_are_rows_and_empty_ones_are_none() -> None:
    """A value that is not known is not shown as a blank."""
    assert facts_table({"Heap": "1 GB", "Flags": ""}, "c").rows == [("Heap", "1 GB")]


def test_settings_of_a_run() -> None:
    """Speed is told where it was changed."""
    run = a_run(scale={"datanodes": "3", "files": "4"}, speed=2.0)
    settings = settings_of(run)
    assert settings["Scale"] == scale_text(run) == "datanodes=3, files=4"
    assert settings["Pacing"] == "closed, 2 times as fast"
    assert settings_of(a_run())["Pacing"] == "closed"
    assert settings["Played at"] == when(0.0) == "1970-01-01 00:00 UTC"


def test_the_limit_is_named() -> None:
    """By the daemon that it was; else by all that were played against."""
    both = {"Hadoop": "3.5.0", TARGET: "ResourceManager and NameNode"}
    assert server_of({"Hadoop": "3.5.0"}) == "NameNode"
    assert server_of(both) == "ResourceManager and NameNode"
    assert limit_words("target", both, "resourcemanager")[0] == "ResourceManager"
    assert limit_words("neither", both)[1] == "ResourceManager and NameNode and player had CPU left"


def test_what_keeps_a_load_up_is_among_the_settings() -> None:
    """Of a load that is played once there is nothing to show."""
    run = a_run()
    assert "Load kept up by" not in settings_of(run)
    run.mode = "population"
    assert settings_of(run)["Load kept up by"] == "population"
