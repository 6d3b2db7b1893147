"""How long work may go on without a tick."""

import pytest

from webapp.platform.jobs import heartbeat, kinds
from webapp.platform.jobs.claims import ClaimLost


def test_work_that_ends_early_is_not_waited_for_long():
    """An error within long work left three hours of patience for all that followed it."""
    beat = heartbeat.Heartbeat(kinds.TRAIN, 1, 1)
    with pytest.raises(ClaimLost), beat.long():
        assert beat.patience == heartbeat.LONG_PATIENCE
        raise ClaimLost
    assert beat.patience == heartbeat.PATIENCE
