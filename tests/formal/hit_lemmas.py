# SPDX-License-Identifier: BSD-2-Clause
"""Lemmas about the registers of `HitCounters`: with them its properties follow from the cycle before."""

from functools import reduce
from operator import or_

from litemrc_gateware.counters.hit_counters import BUFFERS
from litemrc_gateware.counters.totals import LOW_BITS, TOTALS
from migen import Array, Cat, Mux, Record, Signal


def control_lemmas(proof) -> list:
    """The states, the roles of the buffers, their zeroing; what the reference holds in each state."""
    unit, internal = proof.unit, proof.unit.internal
    counts, copies, turns = (proof.named(unit.fsm.ongoing(state)) for state in ("COUNT", "COPY", "TURN"))
    roles = (internal.active, internal.window, internal.spare)
    zeroing, zero_adr = internal.zeroing, internal.zero_adr
    after_reset = zeroing == 2**BUFFERS - 1
    empty = ~reduce(or_, (stage.valid for stage in internal.stages))
    return [
        *(reduce(or_, (role == 1 << number for number in range(BUFFERS))) for role in roles),
        reduce(or_, roles) == 2**BUFFERS - 1,
        (zeroing == 0) | (zeroing == internal.spare) | after_reset,
        (zeroing != 0) | (zero_adr == 0),
        ~zero_adr[-1] | (zero_adr[:-1] == 0),
        ~after_reset | (counts & empty & ~proof.any_shown & ~unit.finished & (proof.running == 0)),
        counts | copies | turns,
        ~counts | (~internal.clear & ~proof.under_way),
        ~copies | (~internal.clear & proof.under_way),
        ~turns | Mux(internal.clear, internal.publish == proof.under_way, proof.under_way),
        copies | (internal.next_copy == 0),
        ~unit.finished | (counts & proof.ending),
        counts | (proof.running == 0),
        ~(internal.clear & proof.under_way) | (proof.ended == 0),
    ]


def hit_lemmas(proof) -> list:
    """A group's word in the three buffers, and its increments in the pipeline."""
    unit, internal = proof.unit, proof.unit.internal
    bits = len(internal.new)
    adr = proof.named(Cat(proof.number[:-1], proof.context))
    buffers = (unit.buffer0, unit.buffer1, unit.buffer2)
    words = [proof.word_at(buffer.memory, adr) for buffer in buffers]
    pending = [_writes(proof, buffer.memory, adr) for buffer in buffers]
    written = [
        proof.named(Mux(writes, buffer.memory.write.dat_w, word))
        for writes, buffer, word in zip(pending, buffers, words, strict=True)
    ]
    read = [buffer.memory.read.dat_r for buffer in buffers]

    def of(role, values):
        return proof.named(reduce(or_, (Mux(role[number], value, 0) for number, value in enumerate(values))))

    # Which positions in the pipeline count in the word; what it is in memory, and after the last three.
    in0, in1, in2, in3 = (proof.named(_counts_hit(proof, stage)) for stage in internal.stages)
    in4 = proof.before(in3)
    committed = of(internal.active, written)
    after2 = proof.named(committed + (in2 & ~committed[-1]), bits)
    after1 = proof.named(after2 + (in1 & ~after2[-1]), bits)
    after0 = proof.named(after1 + (in0 & ~after1[-1]), bits)
    forwarded = reduce(or_, (buffer.counted for buffer in buffers), internal.recent | internal.earlier)
    ready = (internal.zeroing & internal.active) == 0
    zeroed = internal.zeroing == 0
    lemmas = [
        internal.clear | ~ready | (after0 == Mux(proof.under_way, proof.ended, proof.running)),
        # Each stage has what the next one needs to count on.
        ~in2 | (internal.old == committed),
        ~in1 | (internal.follows == in2),
        ~in1 | in2 | (forwarded == committed),
        ~in0 | (internal.chosen == Cat(in1, ~in1 & in2, ~in1 & ~in2 & in3, ~in1 & ~in2 & ~in3 & in4)),
        ~in0 | in1 | in2 | in3 | in4 | (of(internal.active, read) == committed),
        ~in3 | (internal.newest == committed),
        ~in0 | in3 | ~in4 | (internal.newer == committed),
        # What writes to which buffer, and what is in it.
        ~ready | (of(internal.active, pending) == in3),
        ~zeroed | ((of(internal.spare, words) == 0) & ~of(internal.spare, pending)),
        *(
            ~(internal.zeroing[number] & (internal.zero_adr > adr)) | (word == 0)
            for number, word in enumerate(written)
        ),
        ~_shown(proof) | ((of(internal.window, words) == proof.in_window) & ~of(internal.window, pending)),
        *_read_lemmas(proof, proof.limited(of(internal.window, read))),
    ]
    return [proof.number[-1] | lemma for lemma in lemmas]


def total_lemmas(proof) -> list:
    """A total of a context while it is counted, copied and shown; and the words that are always 0."""
    unit, internal = proof.unit, proof.unit.internal
    totals, inside = unit.totals, unit.totals.internal
    bits = len(internal.new)
    limit, last_copy = 2 ** (bits - 1), 2 ** len(internal.next_copy) - 1
    number, context = proof.number[:2], proof.context
    copies = unit.fsm.ongoing("COPY")

    # The low bits and carries of the context; the total, up to the position that was counted last.
    layout = [(name, [("low", LOW_BITS), ("carry", 1), ("high", 1)]) for name in TOTALS]
    entry = Record(layout)
    proof.comb += entry.raw_bits().eq(Mux(inside.known[context], proof.word_at(totals.running, context), 0))
    lanes = [getattr(entry, name) for name in TOTALS]
    misses, accesses, touched = lanes
    lane = Record(layout[0][1])
    proof.comb += lane.raw_bits().eq(Array(each.raw_bits() for each in lanes)[number])
    high = proof.named(Mux(lane.high, proof.word_at(totals.highs, Cat(number, context)), 0))
    value = proof.named(lane.low + ((high + lane.carry) << LOW_BITS))
    committed = proof.named(Mux(value >= limit, limit, value), bits)
    reading, fetched, *_ = internal.stages
    in0, in1 = (proof.named(_counts_total(proof, stage)) for stage in (reading, fetched))
    after1 = proof.named(committed + (in1 & ~committed[-1]), bits)
    after0 = proof.named(after1 + (in0 & ~after1[-1]), bits)
    waiting = proof.named(Cat(each.carry for each in lanes))
    first = proof.named(waiting & -waiting, len(TOTALS))
    highs = proof.named(Cat(each.high for each in lanes))
    here = fetched.valid & (fetched.context == context)

    # Copies: in the half that is not shown, then shown.
    finished = totals.finished
    adr = Cat(number, context)
    shown_adr, copied_adr = Cat(adr, inside.half), Cat(adr, ~inside.half)
    shown_word, word = (proof.word_at(finished, each) for each in (shown_adr, copied_adr))
    written = proof.named(Mux(_writes(proof, finished, copied_adr), finished.write.dat_w, word))
    copied = proof.named(
        proof.under_way
        & ~internal.clear
        & (~copies | (internal.next_copy > adr))
        & ~(totals.copies & (totals.copy_adr == adr))
    )
    copying_adr = finished.write.adr[:-1]
    lemmas = [
        internal.clear | (after0 == Mux(proof.under_way, proof.ended, proof.running)),
        ~fetched.valid | (inside.context == fetched.context),
        ~here | (inside.old.raw_bits() == entry.raw_bits()),
        ~here | ((inside.served == first) & (inside.number == first[1:])),
        ~here | ((inside.carries == (waiting != 0)) & (inside.written == ((highs & first) != 0))),
        high <= limit >> LOW_BITS,
        # A carry is added before the next one of its total comes.
        ~misses.carry | (misses.low == 0),
        ~accesses.carry | Mux(misses.carry, accesses.low == 0, accesses.low <= 1),
        ~touched.carry
        | (touched.low == 0)
        | Mux(
            misses.carry,
            ~accesses.carry & (touched.low == 1) & (accesses.low != 3),
            Mux(accesses.carry, (touched.low == 1) & (misses.low <= 1), touched.low != 3),
        ),
        ~reading.valid | ~totals.copies,
        ~fetched.valid | ~inside.copying,
        ~totals.copies
        | (
            (reading.context == totals.copy_adr[2:])
            & (totals.copy_adr == internal.next_copy - 1)
            & (copies | (unit.fsm.ongoing("TURN") & ~internal.clear))
        ),
        ~copied | (_limited(written, limit) == proof.ended),
        ~_shown(proof) | (_limited(shown_word, limit) == proof.in_window),
        ~_writes(proof, finished, shown_adr),
        # What a total above its limit sets.
        inside.copying == finished.write.we,
        ~inside.copying | (copying_adr == Cat(inside.number, inside.context)),
        ~inside.copying | Mux(copies, copying_adr == internal.next_copy - 2, copying_adr >= last_copy - 1),
        ~(inside.number == len(TOTALS)) | (inside.copying & ~inside.carries & ~inside.written),
        ~(high[-1] & (number == TOTALS.index("accesses"))) | internal.overflow,
        ~(copied & proof.ended[-1] & (number == TOTALS.index("accesses")))
        | internal.overflow
        | totals.overflow,
        *_read_lemmas(proof, proof.limited(finished.read.dat_r)),
    ]
    zeros = [
        (proof.running == 0) & (proof.ended == 0) & (~_shown(proof) | (proof.in_window == 0)),
        *_read_lemmas(proof, 0),
    ]
    is_total = proof.named(proof.number[-1] & (proof.number[:-1] < len(TOTALS)))
    is_zero = proof.named(proof.number[-1] & (proof.number[:-1] >= len(TOTALS)))
    return [*(~is_total | lemma for lemma in lemmas), *(~is_zero | lemma for lemma in zeros)]


def overflow_event(proof):
    """Return whether the unit sees in this cycle that the followed word is above its limit."""
    internal, totals = proof.unit.internal, proof.unit.totals
    of_total = (totals.internal.context == proof.context) & (totals.internal.number == proof.number[:2])
    of_hits = _counts_hit(proof, internal.stages[2]) & internal.new[-1]
    return Mux(proof.number[-1], totals.overflow & of_total, of_hits)


def _counts_hit(proof, stage):
    return stage.valid & stage.hit & (stage.group == proof.number[:-1]) & (stage.context == proof.context)


def _counts_total(proof, stage):
    counts = Array([proof.named(~stage.hit), 1, stage.first])
    return stage.valid & (stage.context == proof.context) & counts[proof.number[:2]]


def _shown(proof):
    return proof.any_shown | proof.unit.finished


def _read_lemmas(proof, shown) -> list:
    """One cycle after the followed address: what the window's memory gave."""
    asked = proof.asked & ~proof.unit.finished
    return [
        ~asked | (proof.any_shown & (proof.unit.internal.word == proof.number)),
        ~asked | (shown == proof.to_show),
    ]


def _limited(count, limit: int):
    return Mux(count[-1], limit, count)


def _writes(proof, memory, adr) -> Signal:
    return proof.named(memory.write.we & (memory.write.adr == adr))
