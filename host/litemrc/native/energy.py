"""Programs whose memory chips sleep; equal to `litemrc.golden.machines.chip_energy` and `.chip_prediction`.

Arguments are not checked here; `litemrc.machines.chips.machine` checks them. Times are whole femtoseconds,
powers microwatts.
"""

from litemrc.native._core import (
    MOST_CHIP_STATES,
    NEVER_FS,
    ChipPower,
    ChipRun,
    ChipTrace,
    MrcParameters,
    PredictiveParameters,
    run_chips,
    run_oracle,
    run_predictive,
)

__all__ = [
    "MOST_CHIP_STATES",
    "NEVER_FS",
    "ChipPower",
    "ChipRun",
    "ChipTrace",
    "MrcParameters",
    "PredictiveParameters",
    "run_chips",
    "run_oracle",
    "run_predictive",
]
