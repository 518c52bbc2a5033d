# SPDX-License-Identifier: BSD-2-Clause
"""The pages of the working set by power domain: those in the top N_mrc of the LRU stacks."""

from litex.gen import LiteXModule
from migen import Array, Cat, If, Mux, Record, Signal, log2_int
from migen.genlib.fsm import FSM, NextState, NextValue

from litemrc_gateware.memory import SimpleDualPort
from litemrc_gateware.records import MAX_DOMAINS, move_layout, width_of


class PageCounts(LiteXModule):
    """Counts in a block RAM; each is read two cycles before it is written.

    Stages: 0 addressed, 1 read, 2 changed and written. The count of the preceding cycle is forwarded. Changes
    of one count must not be exactly two cycles apart. `GroupMoves` guarantees that: two moves of a walk share
    a group only if they are consecutive, and two cycles without a move precede and follow a page's own move.

    Parameters
    ----------
    depth, count_bits : int

    Attributes
    ----------
    adr : Signal, in
    change, up : Signal, in
        increment (`up`) or decrement the count at `adr`.
    count : Signal(count_bits), out
        the count at the `adr` of two cycles ago, before a change in that cycle.
    zero : Signal, in
        the count at `adr` becomes 0; no change may be in progress.
    busy : Signal, out
        changes are in progress.
    """

    def __init__(self, depth: int, count_bits: int) -> None:
        self.adr = Signal(max=max(2, depth))
        self.change, self.up, self.zero = Signal(), Signal(), Signal()
        self.count = count = Signal(count_bits)
        self.busy = Signal()

        # # #

        self.memory = memory = SimpleDualPort(count_bits, max(2, depth), block=True)
        adr1, change1, up1 = Signal.like(self.adr), Signal(), Signal()
        adr2, change2, up2 = Signal.like(self.adr), Signal(), Signal()
        changed = Signal(count_bits)
        self.comb += [
            memory.read.adr.eq(self.adr),
            changed.eq(Mux(up2, count + 1, count - 1)),
            memory.write.adr.eq(Mux(self.zero, self.adr, adr2)),
            memory.write.dat_w.eq(Mux(self.zero, 0, changed)),
            memory.write.we.eq(self.zero | change2),
            self.busy.eq(change1 | change2),
        ]
        self.sync += [
            adr1.eq(self.adr),
            change1.eq(self.change),
            up1.eq(self.up),
            adr2.eq(adr1),
            change2.eq(change1),
            up2.eq(up1),
            count.eq(memory.read.dat_r),
            If(change2 & (adr2 == adr1), count.eq(changed)),
        ]


class WorkingPages(LiteXModule):
    """The counters of zhou2004, section 5.1, one for each memory chip; bit-identical to hls/rank_meter.

    A page counts in its domain, the top bits of its number, if it is in the stack of its owner c in a group
    below N_mrc[c]. All pages are counted by owner, group and domain from the moves of the engine, so that
    N_mrc can change at any time. Even and odd groups have a bank of counts each. A page that moves to the
    next group changes one count in each bank, in one cycle; a page that moves to the top may need two cycles,
    which `GroupMoves` leaves free.

    N_mrc changes group by group: the engine is held, and the counts of each group between the old and the
    new size are added or subtracted, domains + 1 cycles a group and about 8 more. The counts are zeroed after
    reset, where N_mrc is `groups` for all contexts, and at a clear: contexts * groups / 2 * domains cycles,
    in which the engine is held, too.

    Parameters
    ----------
    pages, groups, contexts, domains : int
        powers of two; those of the engine, and power domains, 1 to 16.

    Attributes
    ----------
    move : Record(valid, move_layout), in
    cleared, held : Signal, in
    hold : Signal, out
        as in `GroupMoves`, to be connected to it.
    set, set_context, set_size : Signal, in
        set N_mrc of a context to `set_size`, 0..groups; to be held until `done`.
    done : Signal, out
        strobe: N_mrc is set.
    freeze : Signal, in
        hold the engine, so that the outputs below do not change; a `set` waits.
    frozen : Signal, out
    domain, top_pages : Signal, in and out
        pages of the working set in a domain, in the same cycle.
    context, n_mrc : Signal, in and out
        N_mrc of a context, in page groups, in the same cycle.
    working : Signal(domains), out
        bit d: domain d holds pages of the working set.
    """

    def __init__(self, pages: int, groups: int, contexts: int, domains: int) -> None:
        if domains & (domains - 1) or not 1 <= domains <= min(MAX_DOMAINS, pages):
            raise ValueError(
                f"WorkingPages: domains must be a power of two, at most {MAX_DOMAINS} and {pages} pages "
                f"(got {domains})"
            )
        domain_shift, domain_bits = log2_int(pages // domains), width_of(domains)
        context_bits, group_bits = width_of(contexts), width_of(groups)
        page_bits, size_bits = width_of(pages) + 1, group_bits + 1
        count_bits = log2_int(min(pages // groups, pages // domains)) + 1
        self.move = move = Record([("valid", 1), *move_layout(pages, groups, contexts)])
        self.cleared, self.held, self.hold = Signal(), Signal(), Signal()
        self.set, self.done = Signal(), Signal()
        self.set_context, self.set_size = Signal(context_bits), Signal(size_bits)
        self.freeze, self.frozen = Signal(), Signal()
        self.domain, self.top_pages = Signal(domain_bits), Signal(page_bits)
        self.context, self.n_mrc = Signal(context_bits), Signal(size_bits)
        self.working = Signal(domains)

        # # #

        # Pages of each domain in the top: a few words, so LUT RAM. Pages of all groups: a bank for the even
        # groups and one for the odd groups.
        self.tops = tops = SimpleDualPort(page_bits, max(2, domains), async_read=True)
        bank_words = (groups << context_bits) // 2 * domains
        self.even, self.odd = banks = [PageCounts(bank_words, count_bits) for _ in range(2)]
        empty, zeroing, zeroes, zero_adr = Signal(), Signal(reset=1), Signal(), Signal(max=bank_words)

        def address(group, domain, context):
            return Cat(*([domain] if domains > 1 else []), *([group[1:]] if group_bits > 1 else []), context)

        # N_mrc.
        n_mrc = Array(Signal(size_bits, reset=groups) for _ in range(contexts))
        chosen = Signal(context_bits)
        self.comb += self.n_mrc.eq(n_mrc[chosen])

        # A move changes the counts of the group it comes from and of the group it goes to; if both are in one
        # bank, the second count changes a cycle later.
        page_domain, comes, goes = Signal(domain_bits), Signal(), Signal()
        put_off, off_adr = Signal(2), Signal(max=bank_words)
        self.comb += [
            page_domain.eq(move.page[domain_shift:] if domains > 1 else 0),
            comes.eq(move.valid & move.was_valid),
            goes.eq(move.valid & move.is_valid),
        ]
        self.sync += [
            off_adr.eq(address(move.to_group, page_domain, move.context)),
            put_off.eq(
                Mux(comes & goes & (move.from_group[0] == move.to_group[0]), 1 << move.to_group[0], 0)
            ),
        ]

        # A walk reads the counts of group `size`, which joins the top, or of `size` - 1, which leaves it.
        size, group, joins = Signal(size_bits), Signal(group_bits), Signal()
        walk_domain, walks = Signal(domain_bits), Signal()
        self.comb += [joins.eq(size < self.set_size), group.eq(Mux(joins, size, size - 1))]
        for parity, bank in enumerate(banks):
            from_here, to_here = Signal(), Signal()
            self.comb += [
                from_here.eq(comes & (move.from_group[0] == parity)),
                to_here.eq(goes & (move.to_group[0] == parity)),
                bank.zero.eq(zeroes),
                bank.change.eq(from_here | to_here | put_off[parity]),
                bank.up.eq(~from_here),
                If(zeroes, bank.adr.eq(zero_adr))
                .Elif(put_off[parity], bank.adr.eq(off_adr))
                .Elif(from_here, bank.adr.eq(address(move.from_group, page_domain, move.context)))
                .Elif(to_here, bank.adr.eq(address(move.to_group, page_domain, move.context)))
                .Else(bank.adr.eq(address(group, walk_domain, self.set_context))),
            ]

        # Pages join or leave the top. Stages: 0 a move is compared with N_mrc, or a walk addresses a count,
        # which is read in stage 2; 2 the sum changes; 3 `working` is updated.
        layout = [("domain", domain_bits), ("adds", 1), ("takes", 1), ("walks", 1), ("odd", 1)]
        stage0, stage1, stage2 = (Record(layout) for _ in range(3))
        was_in, is_in, amount, top = Signal(), Signal(), Signal(page_bits), Signal(page_bits)
        changed3, domain3, top3 = Signal(), Signal(domain_bits), Signal(page_bits)
        self.comb += [
            was_in.eq(comes & (move.from_group < self.n_mrc)),
            is_in.eq(goes & (move.to_group < self.n_mrc)),
            stage0.domain.eq(Mux(walks, walk_domain, page_domain)),
            stage0.adds.eq(Mux(walks, joins, is_in & ~was_in)),
            stage0.takes.eq(Mux(walks, ~joins, was_in & ~is_in)),
            stage0.walks.eq(walks),
            stage0.odd.eq(group[0]),
            amount.eq(Mux(stage2.walks, Mux(stage2.odd, banks[1].count, banks[0].count), 1)),
            tops.read.adr.eq(Mux(self.frozen, self.domain, stage2.domain)),
            self.top_pages.eq(tops.read.dat_r),
            top.eq(Mux(stage2.adds, tops.read.dat_r + amount, tops.read.dat_r - amount)),
            tops.write.adr.eq(Mux(zeroes, zero_adr, stage2.domain)),
            tops.write.dat_w.eq(Mux(zeroes, 0, top)),
            tops.write.we.eq(zeroes | stage2.adds | stage2.takes),
        ]
        self.sync += [
            stage1.eq(stage0),
            stage2.eq(stage1),
            changed3.eq(stage2.adds | stage2.takes),
            domain3.eq(stage2.domain),
            top3.eq(top),
        ]
        for domain in range(domains):
            self.sync += If(
                zeroes,
                self.working[domain].eq(0),
            ).Elif(
                changed3 & (domain3 == domain),
                self.working[domain].eq(top3 != 0),
            )
        under_way = [signal for stage in (stage1, stage2) for signal in (stage.adds, stage.takes)]
        self.comb += empty.eq(
            Cat(*under_way, changed3, move.valid, put_off, *(bank.busy for bank in banks)) == 0
        )

        # Zeroing, once the moves before the clear are done.
        was_cleared = Signal()
        self.comb += zeroes.eq(zeroing & empty)
        self.sync += [
            was_cleared.eq(self.cleared),
            If(zeroes, zero_adr.eq(zero_adr + 1), If(zero_adr == bank_words - 1, zeroing.eq(0))),
            If(self.cleared & ~was_cleared, zeroing.eq(1), zero_adr.eq(0)),
        ]

        # Changes of N_mrc.
        self.fsm = fsm = FSM(reset_state="IDLE")
        self.comb += [
            self.hold.eq(zeroing | self.freeze | ~fsm.ongoing("IDLE")),
            chosen.eq(Mux(self.frozen, self.context, Mux(move.valid, move.context, self.set_context))),
        ]
        self.sync += [
            If(self.done, n_mrc[self.set_context].eq(self.set_size)),
            self.frozen.eq(self.freeze & fsm.ongoing("IDLE") & self.held & empty & ~zeroing),
        ]
        fsm.act("IDLE", If(self.set & ~self.freeze, NextState("CLAIM")))
        fsm.act(
            "CLAIM",
            NextValue(size, self.n_mrc),
            If(self.held & empty & ~zeroing, NextState("COMPARE")),
        )
        fsm.act(
            "COMPARE",
            NextValue(walk_domain, 0),
            If(
                size == self.set_size,
                self.done.eq(1),
                NextState("IDLE"),
            ).Else(NextState("WALK")),
        )
        fsm.act(
            "WALK",
            walks.eq(1),
            NextValue(walk_domain, walk_domain + 1),
            If(
                walk_domain == domains - 1,
                NextValue(size, Mux(joins, size + 1, size - 1)),
                NextState("COMPARE"),
            ),
        )
