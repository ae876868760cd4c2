"""The jobs that Froude brings along can be extrapolated at all."""

import pytest

from froude.experiment.record.jobs import ARCHIVE, DEMO, JobDefinition


@pytest.mark.parametrize("job", [DEMO, ARCHIVE], ids=lambda job: job.name)
def test_scales_can_be_told_apart(job: JobDefinition) -> None:
    """Every variable varies in training, and the held-out and played sizes lie outside of it."""
    for name in job.held_out:
        values = {scale[name] for scale in job.train}
        assert len(values) >= 2, name
        assert job.held_out[name] not in values
        assert set(job.play) == set(job.held_out)
