# SPDX-License-Identifier: BSD-2-Clause
"""The reference counters' enumerations, records and registers, and the meaning of their fields."""

from enum import IntEnum

from litex.gen import LiteXModule
from litex.soc.interconnect.csr import CSRField, CSRStatus, CSRStorage
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourceLevel
from migen import log2_int

from litemrc_gateware.records import width_of

MAX_MASTERS = 8
MAX_CONTEXTS = 16
REF_COUNTER_REGISTERS_VERSION = 1
PAGE_FIELD_BITS = 24  # of a page number in a register


class Counter(IntEnum):
    """The two counters of a page."""

    DELAY = 0  # counts requests that justify a copy
    UPDATE = 1  # counts requests that make a copy costly


class Master(IntEnum):
    """The masters of the DRAM in a SoC with remote memory, in the order of their ports."""

    CPU = 0  # through the L2 cache
    REMOTE = 1  # the processor again, through the remote window
    TRAFFIC = 2  # the traffic generator


def request_layout(pages: int, masters: int, contexts: int) -> list[tuple[str, int]]:
    """A memory request from the taps."""
    return [
        ("page", width_of(pages)),
        ("write", 1),
        ("master", width_of(masters)),
        ("context", width_of(contexts)),
    ]


def selector_layout(pages: int, masters: int, contexts: int) -> list[tuple[str, int]]:
    """The requests that a counter counts: those that pass every field."""
    return [
        ("reads", 1),
        ("writes", 1),
        ("masters", masters),  # bit n: requests of master n
        ("contexts", contexts),  # bit n: requests of context n
        ("lower", width_of(pages)),  # first page
        ("upper", width_of(pages)),  # last page
    ]


def command_layout(pages: int, width: int) -> list[tuple[str, int]]:
    """A command of software to one counter."""
    return [
        ("page", width_of(pages)),
        ("counter", 1),  # Counter
        ("load", 1),  # 1: load `value`; 0: read
        ("value", width),
    ]


def event_layout(pages: int) -> list[tuple[str, int]]:
    """A counter has reached zero."""
    return [("page", width_of(pages)), ("counter", 1)]


class RefCounterRegisters(LiteXModule):
    """Registers and interrupt of the reference counters, to be connected by a subclass.

    Parameters
    ----------
    pages, masters, contexts, width, queue_depth : int
        those of ``RefCounters``.
    page_shift : int
        log2 of a page's bytes.
    """

    def __init__(self, pages, masters, contexts, width, queue_depth, page_shift):
        page_bits = log2_int(pages)
        self._version = CSRStatus(
            16, reset=REF_COUNTER_REGISTERS_VERSION, description="Version of this register layout."
        )
        self._capabilities = CSRStatus(
            description="What was built in.",
            fields=[
                CSRField("page_shift", 5, reset=page_shift, description="log2 of the page size in bytes."),
                CSRField("pages_log2", 5, reset=page_bits, description="log2 of the pages."),
                CSRField("width", 5, reset=width, description="Bits of a counter."),
                CSRField("masters", 4, reset=masters, description="Masters that are distinguished."),
                CSRField("contexts", 5, reset=contexts, description="Contexts that are distinguished."),
                CSRField(
                    "queue_log2", 5, reset=log2_int(queue_depth), description="log2 of the queue's depth."
                ),
            ],
        )
        self._control = CSRStorage(
            description="Modes.",
            fields=[CSRField("enable", description="Requests are counted.")],
        )
        self._command = CSRStorage(
            description="Write 1 to do.",
            fields=[
                CSRField(
                    "reset",
                    pulse=True,
                    description="Set every counter to its initial value, for all requests from now on. Takes "
                    "effect at once, except while status.reset_pending is 1.",
                ),
                CSRField("next", pulse=True, description="The event in the register event has been read."),
            ],
        )
        for counter in Counter:
            name, title = counter.name.lower(), counter.name
            registers = {
                "initial": CSRStorage(
                    width,
                    name=f"{name}_initial",
                    description=f"Value of a page's {title} counter after a reset, and when it is re-armed. "
                    "0: the counter is off.",
                ),
                "select": CSRStorage(
                    name=f"{name}_select",
                    description=f"The requests that {title} counts.",
                    fields=[
                        CSRField("reads", description="Reads."),
                        CSRField("writes", description="Writes."),
                        CSRField("masters", masters, offset=8, description="Bit n: requests of master n."),
                        CSRField(
                            "contexts", contexts, offset=16, description="Bit n: requests of context n."
                        ),
                    ],
                ),
                "lower": CSRStorage(
                    page_bits, name=f"{name}_lower", description=f"First page whose requests {title} counts."
                ),
                "upper": CSRStorage(
                    page_bits,
                    name=f"{name}_upper",
                    reset=pages - 1,
                    description=f"Last page whose requests {title} counts.",
                ),
            }
            for suffix, register in registers.items():
                setattr(self, f"_{name}_{suffix}", register)
        self._event = CSRStatus(
            description="The oldest event that command.next has not taken.",
            fields=[
                CSRField("page", PAGE_FIELD_BITS, description="Its page."),
                CSRField(
                    "counter",
                    offset=PAGE_FIELD_BITS,
                    description="The counter that reached zero: "
                    + ", ".join(f"{counter.value} {counter.name}" for counter in Counter)
                    + ".",
                ),
                CSRField("valid", offset=31, description="The register holds an event."),
            ],
        )
        self._status = CSRStatus(
            description="State.",
            fields=[
                CSRField("event", description="There is an event."),
                CSRField(
                    "sweeping",
                    description="Pages of an earlier reset are being rewritten; software need not wait.",
                ),
                CSRField(
                    "reset_pending",
                    description="A reset waits until the pages of three others are rewritten. Rare: it takes "
                    "four resets within pages / 8 cycles without a request that counts.",
                ),
            ],
        )
        self._fired = CSRStatus(
            32, description="Events since the hardware was reset: taken, queued and lost ones."
        )
        self._lost = CSRStatus(
            32,
            description="Events that found the queue full. Their counters stay at zero until they are "
            "re-armed.",
        )

        self.ev = EventManager()
        self.ev.event = EventSourceLevel(description="There is an event.")
        self.ev.finalize()
