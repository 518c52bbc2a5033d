"""What reference counters take and give: requests, which of them count, commands, events."""

from enum import IntEnum

from litemrc_gateware.records import width_of

MAX_MASTERS = 8
MAX_CONTEXTS = 16


class Counter(IntEnum):
    """The two counters of a page."""

    DELAY = 0  # requests that make a copy worth while
    UPDATE = 1  # requests that make it a burden


class Master(IntEnum):
    """Who asks for accesses in a SoC with remote memory, in the order of their ports."""

    CPU = 0  # through the L2 cache
    REMOTE = 1  # the processor again, through the remote window
    TRAFFIC = 2  # the traffic generator


def request_layout(pages: int, masters: int, contexts: int) -> list[tuple[str, int]]:
    """A memory request, as the taps tell it."""
    return [
        ("page", width_of(pages)),
        ("write", 1),
        ("master", width_of(masters)),
        ("context", width_of(contexts)),
    ]


def selector_layout(pages: int, masters: int, contexts: int) -> list[tuple[str, int]]:
    """Which requests one of the counters counts: those that all of these let pass."""
    return [
        ("reads", 1),
        ("writes", 1),
        ("masters", masters),  # bit n: those of master n
        ("contexts", contexts),  # bit n: those of context n
        ("lower", width_of(pages)),  # first page
        ("upper", width_of(pages)),  # last page
    ]


def command_layout(pages: int, width: int) -> list[tuple[str, int]]:
    """What software does to one counter."""
    return [
        ("page", width_of(pages)),
        ("counter", 1),  # Counter
        ("load", 1),  # 1: it becomes `value`; 0: it is read
        ("value", width),
    ]


def event_layout(pages: int) -> list[tuple[str, int]]:
    """A counter has reached zero."""
    return [("page", width_of(pages)), ("counter", 1)]
