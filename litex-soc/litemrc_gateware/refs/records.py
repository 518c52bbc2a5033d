"""The records of the reference counters: requests, selectors, commands, events."""

from enum import IntEnum

from litemrc_gateware.records import width_of

MAX_MASTERS = 8
MAX_CONTEXTS = 16


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
