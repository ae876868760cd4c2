"""Every number of the inputs by a path."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.provision.analyses.inputs import all_inputs, find_input, main_inputs
from froude.provision.inputs.units import Dimension
from testbed.problems import random_problem
from tests.support.provision.clusters import photoshare


def test_paths_name_the_values() -> None:
    """Names with dots, nested parts, operations by task and dataset, the SLA and the options."""
    problem = photoshare()
    expected = {
        "dataset.photos.size": 200e9,
        "unit.7.2KDisk.price": 200,
        "server.Server1.buses.SAS.slots": 4,
        "io.photoview.photos.record_size": 200e3,
        "io.photoview.photos.amplification": 2,
        "compute.upload.time": 0.025,
        "target.tagview.rate": 100,
        "options.peak_utilization": 1,
        "application.host_cores": 2,
    }
    assert {path: find_input(problem, path).value for path in expected} == expected


def test_a_path_is_read_as_files_write_it() -> None:
    """Letter case and underscores do not count."""
    assert find_input(photoshare(), "unit.SSD.rateR").path == "unit.SSD.rate_r"


def test_an_unknown_path_names_the_nearest() -> None:
    """As every name of the inputs does."""
    with pytest.raises(InputError, match=r"unit\.SSD\.price"):
        find_input(photoshare(), "unit.SSD.pric")


def test_a_path_may_name_several_numbers() -> None:
    """All operations on a dataset change in proportion, and so do paths joined by a plus."""
    problem = photoshare()
    input_ = find_input(problem, "io.*.photos.record_size+dataset.photos.size+dataset.photos.cache_size")
    assert len(input_.places) == 4
    for value, share in ((100e3, 0.5), (400e3, 2.0)):
        changed = input_.set(problem, value)
        photos = changed.application.dataset("photos")
        assert (photos.size, photos.cache_size) == (200e9 * share, 70e9 * share)
        sizes = {
            find_input(changed, f"io.{task}.photos.record_size").value for task in ("upload", "photoview")
        }
        assert sizes == {value}


def test_reads_and_writes_are_told_apart() -> None:
    """`R` and `W` stand between dataset and field."""
    problem = photoshare()
    changed = find_input(problem, "io.upload.tags.W.num_records").set(problem, 5)
    assert find_input(changed, "io.upload.tags.R.num_records").value == 10


def test_counts_take_whole_values() -> None:
    """Slots are counts, prices are not."""
    problem = photoshare()
    slots = find_input(problem, "server.Server1.buses.SAS.slots")
    assert slots.whole
    assert slots.dimension is Dimension.COUNT
    server = slots.set(problem, 5.4).catalog.servers[0]
    assert server.buses[0].slots == 5
    assert not find_input(problem, "server.Server1.price").whole


def test_a_value_that_may_not_be_is_refused() -> None:
    """By the values themselves."""
    problem = photoshare()
    with pytest.raises(ValueError, match="cache_size"):
        find_input(problem, "dataset.photos.size").set(problem, 1e9)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 60), st.data())
def test_setting_a_value_changes_nothing_else(seed: int, data: st.DataObject) -> None:
    """An input set to its own value leaves the problem as it was; any path finds its value again."""
    problem = random_problem(seed)
    known = all_inputs(problem)
    input_ = known[data.draw(st.sampled_from(sorted(known)))]
    assert input_.set(problem, input_.value) == problem
    assert find_input(problem, input_.path) == input_


def test_main_inputs_are_positive_and_known() -> None:
    """Something for every dataset and unit."""
    problem = photoshare()
    paths = {input_.path for input_ in main_inputs(problem)}
    assert {f"dataset.{d.name}.size" for d in problem.application.datasets} <= paths
    assert {f"unit.{u.name}.price" for u in problem.catalog.units} <= paths
    assert "io.*.photos.record_size" in paths
