# SPDX-License-Identifier: BSD-2-Clause
"""Reports the pages that change their page groups in a group_stack."""

from litex.gen import LiteXModule
from migen import If, Mux, Record, Signal

from litemrc_gateware.records import move_layout, width_of


def page_layout(groups: int, contexts: int) -> list[tuple[str, int]]:
    """An entry of LRUArray, without its links."""
    return [("valid", 1), ("owner", width_of(contexts)), ("group", width_of(groups))]


def shown_layout(frames: int, groups: int, contexts: int) -> list[tuple]:
    """What a stack shows `GroupMoves` in each cycle."""
    return [
        ("idle", 1),  # no operation is in progress
        ("sweeps", 1),  # all pages leave their stacks
        ("decides", 1),  # `page` is the old entry of the operation's page
        ("passes", 1),  # a page of the walk changes its group
        ("is_access", 1),  # the operation is an access; else an invalidation
        ("frame", width_of(frames)),  # whose entry is written
        ("page", page_layout(groups, contexts)),
        ("owner", width_of(contexts)),
        ("group", width_of(groups)),  # the walk is in it
    ]


class GroupMoves(LiteXModule):
    """Turns the writes of a `GroupStack` to its pages into moves between page groups.

    The first move of an operation is that of its page, if its group changes. The moves of the walk follow,
    one a cycle, from the deepest group up. At least two cycles without a move precede and follow the page's
    own move: the listener has three cycles for that move and one for each other.
    There is no `ready`: the listener must take every move, and asserts `hold` to do other work.

    Parameters
    ----------
    frames, groups, contexts : int
        those of the stack.

    Attributes
    ----------
    shown : Record(shown_layout), in
        the stack in this cycle.
    move : Record(valid, move_layout), out
        a cycle later.
    cleared : Signal, out
        all pages leave their stacks; no moves are reported for that.
    hold : Signal, in
        the stack takes no operation; the one in progress goes on and its moves are reported.
    held : Signal, out
        no operation is in progress and every move has been reported: none comes while `hold` stays.
    """

    def __init__(self, frames: int, groups: int, contexts: int) -> None:
        self.shown = shown = Record(shown_layout(frames, groups, contexts))
        self.move = move = Record([("valid", 1), *move_layout(frames, groups, contexts)])
        self.cleared = Signal()
        self.hold = Signal()
        self.held = Signal()

        # # #

        is_access, page, group = shown.is_access, shown.page, shown.group
        self.comb += [
            self.cleared.eq(shown.sweeps),
            self.held.eq(shown.idle & ~shown.passes & ~move.valid),
        ]
        self.sync += [
            move.page.eq(shown.frame),
            move.context.eq(shown.owner),
            If(
                shown.decides,
                move.valid.eq(Mux(is_access, ~page.valid | (page.group != 0), page.valid)),
                move.was_valid.eq(page.valid),
                move.from_group.eq(Mux(page.valid, page.group, 0)),
                move.is_valid.eq(is_access),
                move.to_group.eq(0),
            ).Else(
                move.valid.eq(shown.passes),
                move.was_valid.eq(1),
                move.from_group.eq(Mux(is_access, group - 1, group)),
                move.is_valid.eq(1),
                move.to_group.eq(Mux(is_access, group, group - 1)),
            ),
        ]
