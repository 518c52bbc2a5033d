# SPDX-License-Identifier: BSD-2-Clause
"""Faults of the event queue and of the streams of other units."""

from tests.formal.event_queue import EventQueueProof
from tests.formal.faults.mutant import Mutant, withdrawn
from tests.formal.streams import BucketStackStreams, GroupStackStreams, PageNumbersStreams, RefCountersStreams

EVENTS = "refs.event_queue.EventQueue"
_STREAM = "source: a record and its payload stay until taken"
_LOST = "lost counts the events that find the queue full, and no others"

MUTANTS = (
    Mutant(
        EventQueueProof,
        "no event comes out that was not kept",
        EVENTS,
        "done.eq(events.valid & events.ready & (waiting != 0b11)),",
        "done.eq(events.valid & events.ready),",
    ),
    Mutant(
        EventQueueProof,
        "the entries kept below depth come out in order, each event once",
        EVENTS,
        "full.eq((write_place ^ read_place) == depth),",
        "full.eq(0),",
    ),
    Mutant(
        EventQueueProof,
        "a kept event is at the output after 5 cycles",
        EVENTS,
        "comes_out.eq(fetched),",
        "comes_out.eq(fetched & (self.fires == 0)),",
    ),
    Mutant(
        EventQueueProof,
        "events: a record and its payload stay until taken",
        EVENTS,
        "events.ready,\n                If(waiting[0]",
        "1,\n                If(waiting[0]",
    ),
    Mutant(
        EventQueueProof,
        "fired counts every event",
        EVENTS,
        "more_fired.eq(events_here),",
        "If(~full, more_fired.eq(events_here)),",
    ),
    Mutant(
        EventQueueProof,
        _LOST,
        EVENTS,
        "If(full, more_lost.eq(events_here)),",
        "If(full, more_lost.eq(self.fires != 0)),",
    ),
    Mutant(
        PageNumbersStreams,
        _STREAM,
        "filter.page_numbers.PageNumbers",
        "self.source = numbered.source",
        withdrawn("numbered.source", "sink.valid"),
    ),
    Mutant(
        GroupStackStreams,
        _STREAM,
        "stacks.group.group_stack.GroupStack",
        "self.source = stream.Endpoint(position_layout(groups, contexts))",
        "self.source = stream.Endpoint(position_layout(groups, contexts))\n"
        "        self.sync += self.source.valid.eq(0)",
    ),
    Mutant(
        BucketStackStreams,
        _STREAM,
        "stacks.bucket.answers.BucketAnswers",
        "self.source = answers.source",
        withdrawn("answers.source", "answers.sink.valid"),
        "stacks.bucket.bucket_stack",
    ),
    Mutant(
        RefCountersStreams,
        "events: a record and its payload stay until taken",
        EVENTS,
        "events.ready,\n                If(waiting[0]",
        "1,\n                If(waiting[0]",
        "refs.ref_counters",
    ),
)
