# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of replays and checks share: recordings made of events."""

import numpy as np
from litemrc.checks.counters import replay
from litemrc.device.simulation.recording import OPS, Recording, Settings, TapCheck
from litemrc.epochs.table import EpochTable

from tests.host.epoch_rows import row


def recording_of(events, *, ends, settings, setting=0):
    """A recording of (op, frame, context, frozen); an epoch ends behind an event of which `ends` is true."""
    op, frame, context, frozen = zip(*events, strict=True)
    ends = np.array(ends)
    return Recording(
        cycle=np.arange(len(events), dtype=np.uint64),
        op=np.array([OPS.index(name) for name in op], dtype=np.uint8),
        frame=np.array(frame, dtype=np.uint32),
        write=np.zeros(len(events), dtype=bool),
        context=np.array(context, dtype=np.uint8),
        frozen=np.array(frozen),
        epoch=(np.cumsum(ends) - ends).astype(np.uint32),
        epoch_end=ends,
        settings=list(settings),
        setting=np.broadcast_to(np.array(setting, dtype=np.uint32), len(events)),
        tap=TapCheck(len(events), 0, 0, 1),
    )


def whole_memory(frames):
    """The settings of a filter that leaves nothing out, as they are recorded: none yet, then these."""
    return [Settings(0, 0, 0), Settings(0, frames - 1, 0)]


def table_of(recording, model, engine, **more):
    """What a faultless device would have sent, of all epochs that ended."""
    made = replay(recording, model)
    rows = [
        row(
            epoch=epoch.epoch,
            context=context,
            accesses=epoch.accesses[context],
            misses=epoch.misses[context],
            touched=epoch.touched[context],
            dropped=epoch.dropped,
            outside=epoch.outside,
            unsampled=epoch.unsampled,
            scale_log2=scale,
            overflow=epoch.overflow,
            hits=epoch.hits[context],
        )
        for epoch, scale in zip(made.epochs, made.scale_log2, strict=True)
        for context in range(model.contexts)
        if epoch.accesses[context]
    ]
    return EpochTable.from_rows(
        rows,
        page_bytes=4096,
        frames=model.frames,
        engine=engine,
        pages=model.frames,
        groups=len(made.epochs[0].hits[0]) if made.epochs else 8,
        contexts=model.contexts,
        recent_pages=1,
        **more,
    )
