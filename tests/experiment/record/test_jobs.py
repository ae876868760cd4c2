"""The job that Froude brings along can be extrapolated at all."""

from froude.experiment.record.jobs import DEMO


def test_scales_can_be_told_apart() -> None:
    """Every variable varies in training, and the held-out and played sizes lie outside of it."""
    for name in DEMO.held_out:
        values = {scale[name] for scale in DEMO.train}
        assert len(values) >= 2, name
        assert DEMO.held_out[name] not in values
        assert set(DEMO.play) == set(DEMO.held_out)
