# SPDX-License-Identifier: BSD-2-Clause
"""The registers of `hot_pages`, and its connection to a monitor."""

from litex.gen import LiteXModule
from litex.soc.interconnect.csr import CSRField, CSRStatus, CSRStorage
from migen import If, Mux, Signal, log2_int

from litemrc_gateware.counters.hot_pages import QUEUE, HotPages
from litemrc_gateware.monitor.registers import WHEN_QUIET

PAGE_WORDS = 2  # of the window: frame, count
PAGES_MAX = 1024


class Hot(LiteXModule):
    """`HotPages` behind a monitor's queue, with its registers and its words of the window.

    Operation
    ---------
    - With ``control.enable`` each epoch of the monitor has a list of its hottest pages: ``status.listed``
      pages, with guaranteed counts, from the largest one on. It is in the window when the monitor's epoch is.
      The end of an epoch reaches the window 22 cycles for each set of the table later, and up to 70 for each
      hot page, 150,000 at most for 512 sets: epochs are at least that long. Without ``control.enable``
      nothing is counted and nothing waits.
    - With ``control.always_on`` a page is also put into a queue as soon as its count reaches ``threshold``.
      ``queue`` shows the page that has waited longest; ``command.take`` removes it. The interrupt ``hot`` is
      asserted while ``watermark`` pages or more wait.

    Parameters
    ----------
    frames : int
        of the memory.
    pages : int
        of the list, a power of two, 2 to ``PAGES_MAX``.
    rows : int
        of the DRAM, a power of two; 0: they cannot be counted.

    Attributes
    ----------
    unit : HotPages
    enabled, of_rows : Signal, out
        the unit counts; it counts ACTIVATEs of rows.
    rows : int
    words : int
        of the window: ``PAGE_WORDS`` for each page of the list, frame and count.
    asks, adr : Signal, in
        show the word at `adr`; to be held until `answers`.
    answers : Signal, out
        strobe: `dat_r` is the word.
    lost : Signal, in
        ACTIVATEs of the list's epoch were lost.
    waiting : Signal, out
        `watermark` pages or more wait in the queue.
    """

    def __init__(self, frames: int, pages: int, rows: int = 0) -> None:
        if not 2 <= pages <= PAGES_MAX or pages & (pages - 1):
            raise ValueError(f"hot_pages must be a power of two from 2 to {PAGES_MAX} (got {pages})")
        self.rows = rows
        self.unit = unit = HotPages(max(frames, rows), pages)
        self.words = PAGE_WORDS * pages
        frame_bits, count_bits = len(unit.frame), len(unit.threshold)
        self.enabled, self.waiting = Signal(), Signal()
        self.of_rows, self.lost = Signal(), Signal()
        self.asks, self.answers = Signal(), Signal()
        self.adr, self.dat_r = Signal(max=self.words), Signal(32)
        self._control = CSRStorage(
            fields=[
                CSRField("enable", description=f"Hot pages are counted and listed. {WHEN_QUIET}"),
                CSRField("reads", reset=1, description="Reads are counted."),
                CSRField("writes", reset=1, description="Writes are counted."),
                CSRField("always_on", description="Pages that reach the threshold are queued at once."),
                CSRField("sampling_log2", 4, description="n: 1 access of 2^n is counted, at random."),
                CSRField(
                    "rows",
                    description="ACTIVATEs of the DRAM's rows are counted, not accesses: a frame is the "
                    f"address of a row in units of a row's bytes. {WHEN_QUIET}",
                ),
            ],
            description="Hot pages: what is counted.",
        )
        self._threshold = CSRStorage(
            count_bits,
            reset=2,
            description="Hot pages: least count of a page that is listed or queued. A listed page also has "
            f"1/4,096 of the epoch's accesses. {WHEN_QUIET}",
        )
        self._wanted = CSRStorage(
            len(unit.wanted),
            reset=pages,
            description=f"Hot pages: pages on the list at most, from 1 on. {WHEN_QUIET}",
        )
        self._lower = CSRStorage(frame_bits, description="Hot pages: first frame that is counted.")
        self._upper = CSRStorage(
            frame_bits, reset=frames - 1, description="Hot pages: last frame that is counted."
        )
        self._watermark = CSRStorage(
            len(unit.watermark),
            reset=1,
            description=f"Hot pages: pages in the queue, of {QUEUE}, that assert the interrupt hot.",
        )
        self._command = CSRStorage(
            fields=[
                CSRField("take", pulse=True, description="Remove the page in hot_queue."),
                CSRField("acknowledge", pulse=True, description="Deassert hot_status.queue_overflow."),
            ],
            description="Hot pages: write 1 to execute.",
        )
        self._status = CSRStatus(
            fields=[
                CSRField("listed", 16, description="Pages on the list in the window."),
                CSRField("more", description="More pages were hot than the list holds."),
                CSRField(
                    "saturated",
                    description="A count of the list's epoch reached its limit, or ACTIVATEs were lost by a "
                    "clear.",
                ),
                CSRField(
                    "queue_overflow",
                    description="A page found the queue full and is lost; until hot_command.acknowledge.",
                ),
                CSRField("waiting", description="hot_watermark pages or more are in the queue."),
            ],
            description="Hot pages: state.",
        )
        self._accesses = CSRStatus(
            32, description="Hot pages: accesses counted in the epoch of the list; saturates at 2^32 - 1."
        )
        self._queue = CSRStatus(
            fields=[
                CSRField("frame", 31, description="The page that has waited longest."),
                CSRField("valid", description="There is one."),
            ],
            description="Hot pages: the queue of pages that reached the threshold.",
        )

        # # #

        control, take = self._control.fields, self._command.fields.take
        self.comb += [
            self.enabled.eq(control.enable),
            self.of_rows.eq(control.enable & control.rows if rows else 0),
            unit.kinds[0].eq(control.reads | self.of_rows),
            unit.kinds[1].eq(control.writes),
            unit.always_on.eq(control.always_on & control.enable),
            unit.sampling_log2.eq(control.sampling_log2),
            unit.threshold.eq(self._threshold.storage),
            unit.wanted.eq(self._wanted.storage),
            unit.lower.eq(self._lower.storage),
            unit.upper.eq(self._upper.storage),
            unit.watermark.eq(self._watermark.storage),
            unit.clear_overflow.eq(self._command.fields.acknowledge),
            unit.queue.ready.eq(take),
            self.waiting.eq(unit.queued & unit.queue.valid),
            self._status.fields.listed.eq(unit.listed),
            self._status.fields.saturated.eq(unit.saturated | self.lost),
            self._status.fields.queue_overflow.eq(unit.queue_overflow),
            self._status.fields.waiting.eq(self.waiting),
            self._accesses.status.eq(unit.accesses),
            self._queue.fields.frame.eq(unit.queue.frame),
            self._queue.fields.valid.eq(unit.queue.valid),
        ]

        # The unit clears its `more` when it begins to scan, also after a clear of the monitor.
        self.sync += If(unit.published, self._status.fields.more.eq(unit.more))

        # The list's memory answers a cycle after its address.
        asked = Signal(2)
        self.comb += [
            unit.window_adr.eq(self.adr >> log2_int(PAGE_WORDS)),
            self.answers.eq(asked[1]),
        ]
        self.sync += [
            asked[0].eq(self.asks & (asked == 0)),
            asked[1].eq(asked[0]),
            self.dat_r.eq(Mux(self.adr[0], unit.window_dat_r[frame_bits:], unit.window_dat_r[:frame_bits])),
        ]

    def join(self, counted: Signal) -> Signal:
        """Return the strobe of an epoch in the window: of `counted`, or of the list if that comes later.

        Parameters
        ----------
        counted : Signal
            strobe: the epoch's counters are in the window.
        """
        both, counters, listed = Signal(), Signal(), Signal()
        self.comb += both.eq((counters | counted) & (listed | self.unit.published | ~self.enabled))
        self.sync += [
            If(counted, counters.eq(1)),
            If(self.unit.published, listed.eq(1)),
            If(both, counters.eq(0), listed.eq(0)),
        ]
        return both
