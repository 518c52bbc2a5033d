"""Selects the requests that a reference counter counts."""

from litex.gen import LiteXModule
from migen import Array, Signal


class RequestSelector(LiteXModule):
    """Compares a request with a selector, in the same cycle.

    Parameters
    ----------
    selector : Record(selector_layout)
    request : Record(request_layout)

    Attributes
    ----------
    passes : Signal, out
    """

    def __init__(self, selector, request) -> None:
        self.passes = Signal()

        # # #

        direction, master, context, in_range = Signal(), Signal(), Signal(), Signal()
        self.comb += [
            direction.eq((selector.reads & ~request.write) | (selector.writes & request.write)),
            master.eq(Array(selector.masters)[request.master]),
            context.eq(Array(selector.contexts)[request.context]),
            in_range.eq((request.page >= selector.lower) & (request.page <= selector.upper)),
            self.passes.eq(direction & master & context & in_range),
        ]
