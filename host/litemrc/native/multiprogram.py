"""Several processes on one CPU with one memory and one disk; equal to `golden.machines.multiprogram`.

Arguments are not checked here; `litemrc.machines.multiprogram.machine` checks them.
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
    Reclaim,
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
    "Reclaim",
]
