"""What group_stack tells of the pages that change their page groups."""

from litex.gen import LiteXModule
from migen import If, Mux, Record, Signal

from litemrc_gateware.records import move_layout


class GroupMoves(LiteXModule):
    """Names the moves of a `GroupStack`, of which it is a part; its constructor takes that unit's signals.

    Of an operation comes first the move of its page, if its group changes, then, one a clock, those of the
    pages that the walk passes on, from the deepest group up. The page's own move has at least two clocks
    without a move before and behind it: so who listens has three clocks for it, and one for each other one.
    There is no `ready`: who listens must take every move, and has `hold` to do other work.

    Attributes
    ----------
    move : Record(valid, move_layout), out
    cleared : Signal, out
        all pages are leaving their stacks; no move comes of that.
    hold : Signal, in
        no operation begins; the one at work goes on, moves come meanwhile.
    held : Signal, out
        no operation is at work and every move has been shown, so that none comes while `hold` stays.
    """

    def __init__(self, frames, groups, contexts, fsm, page, stored, owner, is_access, passes, group) -> None:
        self.move = move = Record([("valid", 1), *move_layout(frames, groups, contexts)])
        self.cleared = Signal()
        self.hold = Signal()
        self.held = Signal()

        # # #

        decides = Signal()
        self.comb += [
            decides.eq(fsm.ongoing("DECIDE")),
            self.cleared.eq(fsm.ongoing("SWEEP")),
            self.held.eq(fsm.ongoing("IDLE") & ~passes & ~move.valid),
        ]
        self.sync += [
            move.page.eq(page),
            move.context.eq(owner),
            If(
                decides,
                move.valid.eq(Mux(is_access, ~stored.valid | (stored.group != 0), stored.valid)),
                move.was_valid.eq(stored.valid),
                move.from_group.eq(Mux(stored.valid, stored.group, 0)),
                move.is_valid.eq(is_access),
                move.to_group.eq(0),
            ).Else(
                move.valid.eq(passes),
                move.was_valid.eq(1),
                move.from_group.eq(Mux(is_access, group - 1, group)),
                move.is_valid.eq(1),
                move.to_group.eq(Mux(is_access, group, group - 1)),
            ),
        ]
