# SPDX-License-Identifier: BSD-2-Clause
"""The golden models of the stack engines: one row each."""

from collections.abc import Callable
from typing import NamedTuple

from litemrc.golden.monitor.bucket_stack import BucketStack
from litemrc.golden.monitor.group_stack import GroupStack
from litemrc.golden.monitor.positions import StackEngine


class Engine(NamedTuple):
    """A model of pages, groups and contexts, and the filter's default number of recent pages."""

    model: Callable[[int, int, int], StackEngine]
    recent_pages: int  # litemrc_gateware/stacks/engines.py gives the reason


ENGINES = {
    "group_stack": Engine(GroupStack, recent_pages=4),
    "bucket_stack": Engine(BucketStack, recent_pages=1),
}
