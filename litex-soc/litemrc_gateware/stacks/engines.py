# SPDX-License-Identifier: BSD-2-Clause
"""The stack engines of the monitor: one row each. Firmware, driver and host read them from exported files."""

from dataclasses import dataclass

from litex.gen import LiteXModule

from litemrc_gateware.stacks.bucket.bucket_stack import BucketStack
from litemrc_gateware.stacks.group.group_stack import GroupStack


@dataclass(frozen=True)
class Engine:
    """A stack engine.

    Attributes
    ----------
    number
        in the register `capabilities` and on the serial link, 1 to 15; 3 is the operating system's tracker.
    unit
        the class in Migen, of frames, groups and contexts. ``hls/`` has it by the engine's name.
    recent_pages
        default number of recent pages in the filter, at most those of a group.
    answers_depth
        answers that may be due in the filter, with those of accesses absorbed while the engine is busy.
    exact
        whether hits are counted in exactly their group of pages.
    reports_moves
        whether it can be built ``with_moves``, which the rank meter needs.
    """

    number: int
    unit: type[LiteXModule]
    recent_pages: int
    answers_depth: int = 64
    exact: bool = False
    reports_moves: bool = False


ENGINES = {
    # Each access that the filter absorbs saves group_stack up to groups + 12 cycles; restoring the order of
    # recent pages costs a cycle each, up to 0.75 an access with 4 of them.
    "group_stack": Engine(1, GroupStack, recent_pages=4, exact=True, reports_moves=True),
    # It takes an access every cycle, so that cost would be a loss: a single recent page, the repeats of the
    # last one, is never out of order. An answer is due for about 20 cycles.
    "bucket_stack": Engine(2, BucketStack, recent_pages=1, answers_depth=32),
}
WITH_MOVES = tuple(name for name, engine in ENGINES.items() if engine.reports_moves)
DEFAULT_ENGINE, DEFAULT_WITH_MOVES = "bucket_stack", "group_stack"


def default_engine(domains=None):
    """Return the default engine of a monitor with a rank meter of n domains, or without one."""
    return DEFAULT_WITH_MOVES if domains else DEFAULT_ENGINE
