"""Memories under a replacement policy; equal to `golden.machines.replacement`, `.seq` and `.seq_adaptive`.

An `AddressBook` numbers the pages of one or more address spaces; memories take these numbers. Arguments are
not checked here; `litemrc.policies.replacement` and `litemrc.machines` check them.
"""

from litemrc.native._core import (
    MAX_OPT_REFERENCES,
    NO_PAGE,
    ROUND_ROBIN_DONE,
    ROUND_ROBIN_PAUSE,
    AddressBook,
    ClockMemory,
    LruMemory,
    Memory,
    OptTrace,
    RoundRobin,
    SeqAdaptiveMemory,
    SeqCounts,
    SeqMemory,
    SeqParameters,
)

__all__ = [
    "MAX_OPT_REFERENCES",
    "NO_PAGE",
    "ROUND_ROBIN_DONE",
    "ROUND_ROBIN_PAUSE",
    "AddressBook",
    "ClockMemory",
    "LruMemory",
    "Memory",
    "OptTrace",
    "RoundRobin",
    "SeqAdaptiveMemory",
    "SeqCounts",
    "SeqMemory",
    "SeqParameters",
]
