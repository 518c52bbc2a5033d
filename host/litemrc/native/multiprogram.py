"""Several processes on one CPU, with one paging disk, in one memory; equal to `litemrc.golden.multiprogram`.

Machine and policies trust their arguments: `litemrc.replay.multiprogram` checks them.
"""

from litemrc.native._core import (
    MACHINE_DONE,
    MACHINE_PAUSE,
    ClockFrames,
    FramePolicy,
    GlobalLruFrames,
    Machine,
    MachineSettings,
    MrcFrames,
    PartitionFrames,
    ProcessSettings,
)

__all__ = [
    "MACHINE_DONE",
    "MACHINE_PAUSE",
    "ClockFrames",
    "FramePolicy",
    "GlobalLruFrames",
    "Machine",
    "MachineSettings",
    "MrcFrames",
    "PartitionFrames",
    "ProcessSettings",
]
