"""Memories under a replacement policy; equal to `golden.machines.replacement` and `.seq`.

An `AddressBook` numbers the pages of one or more address spaces; memories take these numbers. Arguments are
not checked here; `litemrc.policies.replacement` and `litemrc.machines` check them.
"""

from litemrc.native._core import (
    MAX_OPT_REFERENCES,
    ROUND_ROBIN_DONE,
    ROUND_ROBIN_PAUSE,
    AddressBook,
    ClockMemory,
    LruMemory,
    Memory,
    OptTrace,
    RoundRobin,
    SeqMemory,
    SeqParameters,
)

__all__ = [
    "MAX_OPT_REFERENCES",
    "ROUND_ROBIN_DONE",
    "ROUND_ROBIN_PAUSE",
    "AddressBook",
    "ClockMemory",
    "LruMemory",
    "Memory",
    "OptTrace",
    "RoundRobin",
    "SeqMemory",
    "SeqParameters",
]
