# SPDX-License-Identifier: BSD-2-Clause
"""The monitor's registers and the meaning of their fields."""

from litex.gen import LiteXModule
from litex.soc.interconnect.csr import CSRField, CSRStatus, CSRStorage
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourceLevel
from migen import log2_int

from litemrc_gateware.counters.dram_traffic import BANKS_MAX
from litemrc_gateware.filter.page_numbers import SAMPLING_BITS
from litemrc_gateware.monitor.command_queue import COMMANDS, LATE_CYCLES, ORDER_BITS
from litemrc_gateware.records import width_of
from litemrc_gateware.stacks.engines import ENGINES

REGISTERS_VERSION = 5
CLAIM_FRAME_BITS, CLAIM_CONTEXT_BITS = 24, 5

WHEN_QUIET = "Change it while control.enable is 0 and status.idle is 1, then clear."


class MonitorRegisters(LiteXModule):
    """Registers and interrupt of the monitor, to be connected by a subclass.

    Parameters
    ----------
    frame_bits, page_shift : int
        of the memory watched: log2 of its frames and of a frame's bytes.
    pages, groups, contexts, queue_depth, recent_pages : int
        what the monitor was built with.
    engine : str
        a name of ``ENGINES``.
    ranks : int
        on the DRAM bus.
    page_bitmap : bool
    hot_pages : int or None
        pages on the list.
    commands : DFICommands or None
        whose commands are counted.
    hot_rows : bool
        the list of hot pages can be of rows.
    """

    def __init__(
        self,
        frame_bits,
        page_shift,
        pages,
        groups,
        contexts,
        queue_depth,
        recent_pages,
        engine,
        ranks,
        page_bitmap,
        hot_pages,
        commands,
        hot_rows,
    ):
        if frame_bits > CLAIM_FRAME_BITS or contexts > 2**CLAIM_CONTEXT_BITS:
            raise ValueError(
                f"Monitor: at most 2^{CLAIM_FRAME_BITS} frames and {2**CLAIM_CONTEXT_BITS} contexts can be "
                f"claimed (got 2^{frame_bits} and {contexts})"
            )
        self._version = CSRStatus(16, reset=REGISTERS_VERSION, description="Version of this register layout.")
        self._capabilities = CSRStatus(
            description="What was built in.",
            fields=[
                CSRField("page_shift", 5, reset=page_shift, description="log2 of the page size in bytes."),
                CSRField("frames_log2", 5, reset=frame_bits, description="log2 of the memory's page frames."),
                CSRField("groups_log2", 4, reset=log2_int(groups), description="log2 of the groups."),
                CSRField("contexts_log2", 4, reset=log2_int(contexts), description="log2 of the contexts."),
                CSRField(
                    "queue_log2", 5, reset=log2_int(queue_depth), description="log2 of the queue's depth."
                ),
                CSRField(
                    "engine",
                    4,
                    reset=ENGINES[engine].number,
                    description="Stack engine: "
                    + ", ".join(f"{each.number} {name}" for name, each in ENGINES.items())
                    + ".",
                ),
                CSRField("ranks", 4, reset=ranks, description="Ranks on the DRAM bus."),
            ],
        )
        self._stack_capabilities = CSRStatus(
            description="What was built in, of page filter, engine, command queue and window.",
            fields=[
                CSRField(
                    "pages_log2",
                    5,
                    reset=log2_int(pages),
                    description="log2 of the pages the stack engine holds. If below frames_log2, the monitor "
                    "samples at least 1 page of frames / pages.",
                ),
                CSRField(
                    "recent_pages",
                    4,
                    reset=recent_pages,
                    description="Pages whose accesses the filter answers without the engine.",
                ),
                CSRField(
                    "commands_log2",
                    4,
                    reset=log2_int(COMMANDS),
                    description="log2 of the invalidations, claims and clears that can wait for the queue.",
                ),
                CSRField(
                    "page_bitmap",
                    reset=int(page_bitmap),
                    description="Bits of the frames accessed and written in an epoch follow its counters.",
                ),
                CSRField(
                    "hot_pages_log2",
                    4,
                    reset=log2_int(hot_pages) if hot_pages else 0,
                    description="log2 of the pages on an epoch's list of hot pages, which follows in the "
                    "window; 0: there is none, nor are there registers of hot pages.",
                ),
                CSRField("claims", reset=1, description="There is the register claim."),
            ],
        )
        self._control = CSRStorage(
            fields=[
                CSRField("enable", description="The monitor takes the accesses to the DRAM."),
                CSRField(
                    "hold",
                    reset=1,
                    description="An epoch continues until the window is released. 0: the window is "
                    "overwritten, even while it is read; see epoch.",
                ),
                CSRField("epoch_unit", description="Unit of epoch_length: 0 accesses, 1 cycles."),
                CSRField(
                    "freeze",
                    description="Accesses from now on move pages in the stacks but are not counted, and the "
                    "epoch does not advance. Commands work.",
                ),
                CSRField(
                    "single_shot",
                    description="The monitor freezes at the end of an epoch, until the command arm.",
                ),
                CSRField(
                    "split",
                    description="Reads and writes count apart: contexts below contexts / 2 own pages, and "
                    f"the writes to the pages of context c count in context c + contexts / 2. {WHEN_QUIET}",
                ),
            ],
            description="Modes.",
        )
        self._command = CSRStorage(
            fields=[
                CSRField(
                    "clear", pulse=True, description="Invalidate all pages and restart the running epoch."
                ),
                CSRField("end_epoch", pulse=True, description="End the running epoch."),
                CSRField("release", pulse=True, description="The window has been read."),
                CSRField("arm", pulse=True, description="Unfreeze a monitor that single_shot froze."),
                CSRField(
                    "acknowledge",
                    pulse=True,
                    description="Deassert status.command_lost and status.command_late.",
                ),
            ],
            description="Write 1 to execute.",
        )
        self._context = CSRStorage(width_of(contexts), description="Context of the following accesses.")
        self._invalidate = CSRStorage(
            frame_bits,
            description="Write a frame number: its page leaves its stack, and a claim of it ends. While "
            "status.command_pending is 0, 2^commands_log2 of these, claims and clears can be written one "
            "after the other.",
        )
        self._claim = CSRStorage(
            fields=[
                CSRField(
                    "frame",
                    CLAIM_FRAME_BITS,
                    description="First frame; its low frames_log2 bits count, as in invalidate. Frames "
                    "behind the memory's last one are left out.",
                ),
                CSRField(
                    "context",
                    CLAIM_CONTEXT_BITS,
                    description="The owner; its low contexts_log2 bits count, as in context.",
                ),
                CSRField("order", ORDER_BITS, description="log2 of the frames."),
            ],
            description="Write frames and a context: each frame's page leaves its stack, as by invalidate, "
            "and its next access is a miss of this context, whatever context runs. Until an invalidate or a "
            "clear the page belongs to it.",
        )
        self._epoch_length = CSRStorage(
            32, description="Length of an epoch in accesses or cycles (epoch_unit); 0: end by command only."
        )
        self._range_lower = CSRStorage(
            frame_bits, description=f"First frame whose accesses are counted. {WHEN_QUIET}"
        )
        self._range_upper = CSRStorage(
            frame_bits,
            reset=2**frame_bits - 1,
            description=f"Last frame whose accesses are counted. {WHEN_QUIET}",
        )
        self._sampling = CSRStorage(
            SAMPLING_BITS,
            description="k: 1 page of 2^k takes part, selected by a hash; scale reports the k in force. "
            + WHEN_QUIET,
        )
        self._scale = CSRStatus(
            fields=[
                CSRField(
                    "scale_log2",
                    5,
                    description="log2 of the memory's pages for each page of the stacks: sampling, but at "
                    "least frames_log2 - pages_log2.",
                )
            ],
            description="Sampling in force.",
        )
        self._status = CSRStatus(
            fields=[
                CSRField("idle", description="The queue is empty; filter, engine and counters are idle."),
                CSRField(
                    "command_pending",
                    description="An invalidate, claim or clear waits for the queue. 0: all that were written "
                    "are queued ahead of later accesses.",
                ),
                CSRField("epoch_ready", description="The window holds an epoch that was not released."),
                CSRField(
                    "epoch_due", description="An end of epoch is requested and has not reached the window."
                ),
                CSRField(
                    "overflow",
                    description="A counter of the window exceeded 2^32 - 1, or epoch_dropped, "
                    "epoch_outside or epoch_unsampled reached it.",
                ),
                CSRField("frozen", description="Accesses are not counted, by control.freeze or single_shot."),
                CSRField(
                    "command_lost",
                    description="An invalidate, claim or clear was lost, because 2^commands_log2 others "
                    "waited; until command.acknowledge.",
                ),
                CSRField(
                    "command_late",
                    description=f"Commands waited for {LATE_CYCLES} cycles at a stretch, and accesses of "
                    "that time precede them in the queue; until command.acknowledge.",
                ),
            ],
            description="State.",
        )
        self._epoch = CSRStatus(
            32,
            description="Number of epochs finished; the window holds epoch - 1. Without control.hold read it "
            "before and after the window: if it is the same, all that was read in between is of that epoch.",
        )
        self._epoch_dropped = CSRStatus(
            32,
            description="Accesses dropped by a full queue in the epoch of the window; saturates at 2^32 - 1.",
        )
        self._epoch_outside = CSRStatus(
            32, description="Accesses out of range in the epoch of the window; saturates at 2^32 - 1."
        )
        self._epoch_unsampled = CSRStatus(
            32,
            description="Accesses in range to pages not sampled, in the epoch of the window; saturates at "
            "2^32 - 1.",
        )
        self._dropped = CSRStatus(
            32, description="Accesses dropped in the running epoch; saturates at 2^32 - 1."
        )
        self._queue_peak = CSRStatus(
            16, description="High-water mark of the queue since reset; a clear does not reset it."
        )
        self._dram_capabilities = CSRStatus(
            description="What was built in, of the counts of DRAM commands, the last words of the window.",
            fields=[
                CSRField(
                    "banks",
                    5,
                    reset=min(commands.banks, BANKS_MAX) if commands else 0,
                    description="Banks that are counted apart; 0: commands are not counted.",
                ),
                CSRField(
                    "rows",
                    reset=int(commands is not None),
                    description="All words are counted. 0, in functional models: only reads and writes.",
                ),
                CSRField(
                    "access_bytes_log2",
                    4,
                    reset=log2_int(commands.access_bytes) if commands else 0,
                    description="log2 of the bytes that a read or write moves, in a cycle of the data bus.",
                ),
                CSRField(
                    "refresh_cycles",
                    12,
                    reset=commands.refresh_cycles if commands else 0,
                    description="Cycles that a REFRESH takes.",
                ),
                CSRField(
                    "row_bytes_log2",
                    5,
                    reset=commands.row_bytes_log2 if commands and hot_pages and hot_rows else 0,
                    description="log2 of a row's bytes; 0: the list of hot pages cannot be of rows.",
                ),
            ],
        )

        self.ev = EventManager()
        self.ev.epoch = EventSourceLevel(description="The window holds an epoch that was not released.")
        self.ev.hot = EventSourceLevel(description="hot_status.waiting, if hot pages are built in.")
        self.ev.finalize()
