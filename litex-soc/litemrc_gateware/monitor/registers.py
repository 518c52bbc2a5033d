"""The monitor's registers: their fields, and what each means."""

from litex.gen import LiteXModule
from litex.soc.interconnect.csr import CSRField, CSRStatus, CSRStorage
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourceLevel
from migen import log2_int

from litemrc_gateware.filter.page_numbers import SAMPLING_BITS
from litemrc_gateware.records import width_of

REGISTERS_VERSION = 2
ENGINE_NUMBERS = {"group_stack": 1, "bucket_stack": 2}

WHEN_QUIET = "May change while control.enable is 0 and status.idle 1; a clear must follow."


class MonitorRegisters(LiteXModule):
    """Registers and interrupt of the monitor, not yet connected to anything.

    Parameters
    ----------
    frame_bits, page_shift : int
        of the memory watched: log2 of its frames and of a frame's bytes.
    pages, groups, contexts, queue_depth, recent_pages : int
        what the monitor was built with.
    engine : str
        a name of ``ENGINE_NUMBERS``.
    """

    def __init__(self, frame_bits, page_shift, pages, groups, contexts, queue_depth, recent_pages, engine):
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
                    reset=ENGINE_NUMBERS[engine],
                    description="Stack engine: "
                    + ", ".join(f"{number} {name}" for name, number in ENGINE_NUMBERS.items())
                    + ".",
                ),
                CSRField("ranks", 4, reset=1, description="Ranks on the DRAM bus."),
            ],
        )
        self._stack_capabilities = CSRStatus(
            description="What was built in, of the page filter and the stack engine.",
            fields=[
                CSRField(
                    "pages_log2",
                    5,
                    reset=log2_int(pages),
                    description="log2 of the pages the stack engine holds. Fewer than frames: the monitor "
                    "samples at least 1 page of frames / pages.",
                ),
                CSRField(
                    "recent_pages",
                    4,
                    reset=recent_pages,
                    description="Pages whose accesses the filter answers without the engine.",
                ),
            ],
        )
        self._control = CSRStorage(
            fields=[
                CSRField("enable", description="The monitor takes the accesses of the DRAM."),
                CSRField("hold", reset=1, description="An epoch runs on until the window is released."),
                CSRField("epoch_unit", description="Unit of epoch_length: 0 accesses, 1 cycles."),
                CSRField(
                    "freeze",
                    description="Accesses from now on still move pages in the stacks but count nothing, and "
                    "the epoch stands still. Commands work.",
                ),
                CSRField(
                    "single_shot",
                    description="At the end of an epoch the monitor freezes by itself until the command arm.",
                ),
            ],
            description="Modes.",
        )
        self._command = CSRStorage(
            fields=[
                CSRField("clear", pulse=True, description="Invalidate all pages, restart the running epoch."),
                CSRField("end_epoch", pulse=True, description="End the running epoch."),
                CSRField("release", pulse=True, description="The window has been read."),
                CSRField("arm", pulse=True, description="Let a monitor that single_shot froze count again."),
            ],
            description="Write 1 to do.",
        )
        self._context = CSRStorage(width_of(contexts), description="Context of the accesses to come.")
        self._invalidate = CSRStorage(
            frame_bits, description="Write a frame number: its page leaves its stack. See command_pending."
        )
        self._epoch_length = CSRStorage(
            32, description="Length of an epoch, in accesses or cycles (epoch_unit); 0: only by command."
        )
        self._range_lower = CSRStorage(
            frame_bits, description=f"First frame whose accesses count. {WHEN_QUIET}"
        )
        self._range_upper = CSRStorage(
            frame_bits,
            reset=2**frame_bits - 1,
            description=f"Last frame whose accesses count. {WHEN_QUIET}",
        )
        self._sampling = CSRStorage(
            SAMPLING_BITS,
            description="k: 1 page of 2^k takes part, chosen by a hash; scale tells the k in force. "
            + WHEN_QUIET,
        )
        self._scale = CSRStatus(
            fields=[
                CSRField(
                    "scale_log2",
                    5,
                    description="log2 of the pages of the memory behind one page of the stacks: sampling, "
                    "but at least frames_log2 - pages_log2.",
                )
            ],
            description="Sampling in force.",
        )
        self._status = CSRStatus(
            fields=[
                CSRField("idle", description="The queue is empty; filter, engine and counters wait."),
                CSRField("command_pending", description="An invalidate or clear waits for the queue."),
                CSRField("epoch_ready", description="The window holds an epoch that was not released."),
                CSRField("epoch_due", description="An end of epoch is asked for and not yet in the window."),
                CSRField("overflow", description="A counter of the window reached 2^32 - 1."),
                CSRField(
                    "frozen", description="Accesses count nothing now: by control.freeze or single_shot."
                ),
            ],
            description="State.",
        )
        self._epoch = CSRStatus(32, description="Number of epochs finished; the window holds epoch - 1.")
        self._epoch_dropped = CSRStatus(
            32, description="Accesses lost to a full queue in the epoch of the window."
        )
        self._epoch_outside = CSRStatus(
            32, description="Accesses out of range in the epoch of the window; stays at 2^32 - 1."
        )
        self._epoch_unsampled = CSRStatus(
            32,
            description="Accesses in range to pages not sampled, in the epoch of the window; stays at "
            "2^32 - 1.",
        )
        self._dropped = CSRStatus(32, description="Accesses lost in the running epoch.")
        self._queue_peak = CSRStatus(
            16, description="Highest fill of the queue since reset; a clear does not touch it."
        )

        self.ev = EventManager()
        self.ev.epoch = EventSourceLevel(description="The window holds an epoch that was not released.")
        self.ev.finalize()
