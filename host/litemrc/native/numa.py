"""Processors that share memory by pages; equal to `litemrc.golden.machines.numa`.

Arguments are not checked here; `litemrc.machines.numa.machine` checks them. Pages are numbered densely from
0.
"""

from litemrc.native._core import (
    FIRST_TOUCH,
    NumaCosts,
    NumaCounts,
    PairRuns,
    run_fixed_counters,
    run_invalidate,
    run_self_tuned,
)

__all__ = [
    "FIRST_TOUCH",
    "NumaCosts",
    "NumaCounts",
    "PairRuns",
    "run_fixed_counters",
    "run_invalidate",
    "run_self_tuned",
]
