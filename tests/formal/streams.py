# SPDX-License-Identifier: BSD-2-Clause
"""Proofs of the rule of streams, of units whose other promises are compared with golden models elsewhere."""

from unittest.mock import patch

import litemrc_gateware.stacks.bucket.answers as bucket_answers
import litemrc_gateware.stacks.bucket.bucket_stack as bucket_stack
from litemrc_gateware.filter.page_numbers import PageNumbers
from litemrc_gateware.refs.ref_counters import RefCounters
from litemrc_gateware.stacks.group.group_stack import GroupStack

from tests.formal.proof import Effort, Proof


class PageNumbersStreams(Proof):
    """Three registers of a pipeline."""

    parameters = "8 frames, 4 pages, 2 contexts"

    def __init__(self, unit_class=PageNumbers) -> None:
        super().__init__()
        self.unit = unit = unit_class(8, 4, 2)
        for name in ("lower", "upper", "sampling"):
            setting = getattr(unit, name)  # they may change while no operation is in progress
            self.comb += setting.eq(self.any_constant(len(setting), name))
        self.assume_stream("sink", unit.sink)
        self.prove_stream("source", unit.source)


class GroupStackStreams(Proof):
    """The exact engine."""

    parameters = "4 frames, 2 groups, 2 contexts"

    def __init__(self, unit_class=GroupStack) -> None:
        super().__init__()
        self.unit = unit = unit_class(4, 2, 2)
        self.prove_stream("source", unit.source)


class BucketStackStreams(Proof):
    """The engine of one operation a cycle; its answers wait in a FIFO of 8 in place of 32."""

    parameters = "4 frames, 2 groups, 1 context, 8 answers"

    def __init__(self, unit_class=bucket_stack.BucketStack) -> None:
        super().__init__()
        with patch.object(bucket_stack, "ANSWERS", 8), patch.object(bucket_answers, "ANSWERS", 8):
            self.unit = unit = unit_class(4, 2, 1)
        self.constants = [unit.answers.answers.fifo.replace]
        # After reset it clears both generations of 32 ids before it takes an operation.
        self.prove_stream("source", unit.source, effort=Effort(within=100))


class RefCountersStreams(Proof):
    """The events of the reference counters; requests have no `ready`."""

    parameters = "16 pages, 1 master, 1 context, 2-bit counters, queue of 2"

    def __init__(self, unit_class=RefCounters) -> None:
        super().__init__()
        self.unit = unit = unit_class(16, 1, 1, 2, 2)
        self.prove_stream("events", unit.events)
