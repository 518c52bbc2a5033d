"""The refreshes that a rank owes."""

from litex.gen import LiteXModule
from migen import If, Signal

# JEDEC allows 8 postponed refreshes. A self-refresh adds less than 2: the time awake is not a whole number of
# refresh intervals, and a refresh of the controller within tXS after the exit does not reach the rank.
MOST_POSTPONED = 4
# JEDEC allows 16 refreshes within 2 tREFI, including the extra ones of self-refresh: at most 8 of these.
PAUSES_AN_INTERVAL = 4


class RankAccount(LiteXModule):
    """Refreshes that one rank owes (JESD79-3F, 4.15 and 4.16).

    One is due each tREFI outside self-refresh, and after each self-refresh an extra one, which does not count
    for the others. The controller's refreshes count while the rank receives them; `due` requests more.

    Parameters
    ----------
    interval : int
        tREFI in cycles, rounded down.

    Attributes
    ----------
    self_refresh : Signal, in
        the rank is in self-refresh.
    refresh : Signal, in
        strobe: the rank is sent a REFRESH.
    due : Signal, out
        the extra refresh is owed, or too many others are.
    may_self_refresh : Signal, out
        a quarter of tREFI has passed since the last self-refresh; sooner, its extra refreshes are too many.
    """

    def __init__(self, interval):
        self.self_refresh = Signal()
        self.refresh = Signal()
        self.due = Signal()
        self.may_self_refresh = Signal()

        # # #

        clocks = Signal(max=interval)
        owed = Signal(max=MOST_POSTPONED + 4)
        extra = Signal()
        another = Signal()
        pause = Signal(max=interval // PAUSES_AN_INTERVAL + 1)
        self.comb += [
            self.may_self_refresh.eq(pause == 0),
            another.eq(~self.self_refresh & (clocks == interval - 1)),
            self.due.eq(extra | (owed > MOST_POSTPONED)),
        ]
        self.sync += [
            If(another, clocks.eq(0)).Elif(~self.self_refresh, clocks.eq(clocks + 1)),
            If(self.self_refresh, pause.eq(interval // PAUSES_AN_INTERVAL)).Elif(
                pause != 0, pause.eq(pause - 1)
            ),
            If(self.self_refresh, extra.eq(1)).Elif(self.refresh, extra.eq(0)),
            If(
                self.refresh & ~extra,
                If(~another & (owed != 0), owed.eq(owed - 1)),
            ).Elif(another & (owed != 2 ** len(owed) - 1), owed.eq(owed + 1)),
        ]
