# SPDX-License-Identifier: BSD-2-Clause
"""All proofs, in the order of the table."""

from tests.formal.answer_merge import AnswerMergeProof
from tests.formal.command_queue import CommandQueueProof
from tests.formal.dram_traffic import DRAMTrafficProof
from tests.formal.event_queue import EventQueueProof
from tests.formal.hit_counters import HitCountersProof
from tests.formal.intake import EpochLengthProof, IntakeProof
from tests.formal.page_filter import FilterEndsProof, PageFilterProof
from tests.formal.streams import BucketStackStreams, GroupStackStreams, PageNumbersStreams, RefCountersStreams

PROOFS = (
    HitCountersProof,
    DRAMTrafficProof,
    IntakeProof,
    EpochLengthProof,
    CommandQueueProof,
    FilterEndsProof,
    PageFilterProof,
    AnswerMergeProof,
    EventQueueProof,
    PageNumbersStreams,
    GroupStackStreams,
    BucketStackStreams,
    RefCountersStreams,
)
# Their properties need seconds each, and all of them together less than a minute: in `make test` as well.
QUICK = (CommandQueueProof, AnswerMergeProof, PageNumbersStreams, GroupStackStreams)
