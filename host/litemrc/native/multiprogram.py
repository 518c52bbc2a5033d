"""Several processes on one CPU, with one paging disk, in one memory; equal to `golden.machines.multiprogram`.

Machine and policies trust their arguments: `litemrc.machines.multiprogram.machine` checks them.
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
