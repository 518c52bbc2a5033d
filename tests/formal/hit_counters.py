"""Proof of `counters.hit_counters.HitCounters`: a word of the window is what was counted in its epoch."""

from formal.proof import Effort, Proof
from litemrc_gateware.counters.hit_counters import HitCounters
from litemrc_gateware.records import PositionKind, width_of
from migen import Case, If, Mux, Signal

WINDOW_LATENCY = 2


class HitCountersProof(Proof):
    """The reference follows one word of the window, any of them, from the positions that are taken.

    A word is of the epoch in the window when its address came, if none is published before the word is there.
    """

    def __init__(self, unit_class=HitCounters, groups=4, contexts=2, counter_bits=3) -> None:
        super().__init__()
        self.parameters = f"{groups} groups, {contexts} contexts, {counter_bits}-bit counters"
        self.unit = unit = unit_class(groups, contexts, counter_bits)
        sink, most = unit.sink, 2**counter_bits - 1
        group_bits = width_of(groups)

        word = self.any_constant(len(unit.window_adr), "word")
        number, context = word[: group_bits + 1], word[group_bits + 1 :]
        taken, position, counted, clears = Signal(), Signal(), Signal(), Signal()
        self.comb += [
            taken.eq(sink.valid & sink.ready),
            position.eq((sink.kind == PositionKind.HIT) | (sink.kind == PositionKind.MISS)),
            clears.eq(taken & (sink.kind == PositionKind.CLEAR)),
            If(
                taken & position & (sink.context == context),
                Case(
                    number,
                    {
                        groups: counted.eq(sink.kind == PositionKind.MISS),
                        groups + 1: counted.eq(1),
                        groups + 2: counted.eq(sink.first_touch),
                        "default": counted.eq(
                            (sink.kind == PositionKind.HIT) & ~number[-1] & (sink.group == number)
                        ),
                    },
                ),
            ),
        ]

        # The running epoch, the one that ended, the one in the window.
        running, ended, shown = (Signal(counter_bits) for _ in range(3))
        now, ends, ending, any_shown = Signal(counter_bits), Signal(), Signal(), Signal()
        epochs, published = Signal(2), Signal(2)  # modulo 4
        self.comb += [
            published.eq(epochs + unit.finished),
            ends.eq(taken & sink.epoch_end),
            now.eq(Mux(clears, 0, Mux(counted & (running != most), running + 1, running))),
        ]
        self.sync += [
            running.eq(Mux(ends, 0, now)),
            If(ends, ended.eq(now)),
            If(unit.finished, shown.eq(ended), any_shown.eq(1)),
            If(ends, ending.eq(1)).Elif(unit.finished, ending.eq(0)),
            epochs.eq(published),
        ]
        in_window = Mux(unit.finished, ended, shown)
        same_epoch = ~unit.finished & ~self.before(unit.finished)
        due = self.before(any_shown & (unit.window_adr == word), WINDOW_LATENCY) & same_epoch
        # PDR finds no invariant in minutes, and the next cycle takes BMC minutes: one epoch is read.
        prepared = "scorr; dc2"
        right = ~due | (unit.window_dat_r == self.before(in_window, WINDOW_LATENCY))
        is_group = number[:-1] == number  # below `groups`
        self.prove(
            "hits of a group in the window = those taken in its epoch, saturated",
            right | ~is_group,
            Effort(30, prepared),
        )
        self.prove(
            "the same of misses, accesses, pages touched, and zeros", right | is_group, Effort(30, prepared)
        )
        self.prove("an epoch is published once, and only when its end was taken", ~unit.finished | ending)
        self.prove("no second end is taken before the epoch is published", ~(ending & ~unit.finished & ends))
        self.prove("epoch counts published epochs", unit.epoch[:2] == published)
        self.prove("idle: every epoch that ended is in the window", ~unit.idle | ~ending | unit.finished)

        # Any counter of a context is at most its accesses: one saturates if these do.
        running_over, ended_over, shown_over = Signal(), Signal(), Signal()
        overs = []
        for number in range(contexts):
            accesses, over = Signal(counter_bits), Signal()
            more = taken & position & (sink.context == number)
            self.comb += over.eq(more & (accesses == most))
            self.sync += If(clears | ends, accesses.eq(0)).Elif(more & ~over, accesses.eq(accesses + 1))
            overs.append(over)
        over_now = Signal()
        self.comb += over_now.eq(~clears & (running_over | overs[0] | overs[-1]))
        self.sync += [
            running_over.eq(over_now & ~ends),
            If(ends, ended_over.eq(over_now)),
            If(unit.finished, shown_over.eq(ended_over)),
        ]
        self.prove(
            "overflow: a counter of the epoch in the window saturated",
            ~(any_shown | unit.finished) | (unit.overflow == Mux(unit.finished, ended_over, shown_over)),
            Effort(29, prepared),
        )

        self.cover(
            "a second epoch with the word saturated is read", due & (epochs == 3) & (in_window == most)
        )
        self.cover(
            "an epoch that restarted by a clear has a count", due & (in_window == 2) & self.ever(clears)
        )
        self.cover("an epoch overflows", unit.finished & unit.overflow)
