"""All proofs, in the order of the table."""

from formal.answer_merge import AnswerMergeProof
from formal.command_queue import CommandQueueProof
from formal.event_queue import EventQueueProof
from formal.hit_counters import HitCountersProof
from formal.intake import EpochLengthProof, IntakeProof
from formal.page_filter import FilterEndsProof, PageFilterProof
from formal.streams import BucketStackStreams, GroupStackStreams, PageNumbersStreams, RefCountersStreams

PROOFS = (
    HitCountersProof,
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
