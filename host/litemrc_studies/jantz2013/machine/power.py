"""Power samples of ranks by the arithmetic of `litemrc.energy.model`."""

import numpy as np
from litemrc.energy.model import energy
from litemrc.ranks.activity import RankActivity
from numpy.typing import NDArray

from litemrc_studies.jantz2013.machine.hardware import Hardware
from litemrc_studies.jantz2013.machine.rank_visits import COUNTERS

_STATES = ("active_standby", "precharge_standby", "power_down", "self_refresh")


def rank_samples_mw(counters: NDArray[np.uint64], hardware: Hardware) -> NDArray[np.float64]:
    """Return the mean power of each rank in each sample.

    Parameters:
        counters: uint64[samples, ranks, counters], as in `RankVisits.counters`.

    Returns:
        float64[samples, ranks], mW; the last sample may be shorter.
    """
    use = hardware.operation
    mw = np.zeros(counters.shape[:2])
    known: dict[tuple[int, ...], float] = {}  # sleeping ranks have equal counters
    for sample, ranks in enumerate(counters.tolist()):
        for rank, row in enumerate(ranks):
            key = tuple(row)
            if key not in known:
                activity = rank_activity(key, hardware)
                seconds = activity.clocks / use.clock_hz
                known[key] = energy(hardware.part, activity, use).total / seconds if seconds else 0.0
            mw[sample, rank] = known[key]
    return mw


def rank_activity(row: tuple[int, ...], hardware: Hardware) -> RankActivity:
    """Return the activity of a rank; outside self-refresh it has one refresh per tREFI."""
    counted = dict(zip(COUNTERS, row, strict=True))
    awake = sum(counted[state] for state in _STATES if state != "self_refresh")
    refreshes = awake / hardware.clock_hz / (hardware.part.refi_ns * 1e-9)
    return RankActivity(**counted, refreshes=refreshes)


def sample_seconds(counters: NDArray[np.uint64], hardware: Hardware) -> NDArray[np.float64]:
    """Return float64[samples], the length of each sample in seconds."""
    states = [COUNTERS.index(state) for state in _STATES]
    return counters[:, 0, states].sum(axis=1) / hardware.clock_hz
