# SPDX-License-Identifier: BSD-2-Clause
"""Lemmas about the registers of a `Tally`: where the count of a counter is, in each copy of both areas."""

from functools import reduce
from operator import and_, or_

from litemrc_gateware.counters.tally import COPIES
from migen import Cat, Mux, Signal


class CounterCopies:
    """The events of a counter by copy, in the running and in the finished epoch; lemmas that equate them.

    Counts are modulo 2^bits, as the copies'.

    Parameters
    ----------
    proof : Proof
    tally : Tally
    counter : expression
        its number.
    area, tags, again : Signal, list of Signal, Signal
        of the unit around it: area of the running epoch, tags of both, a clear came while it was swept.
    turn, restart : expression
        an epoch begins in the other area, or in this one.
    """

    def __init__(self, proof, tally, counter, area, tags, again, turn, restart) -> None:
        self.proof, self.tally = proof, tally
        inside = tally.internal
        bits = len(inside.base)
        self.running = [Signal(bits) for _ in range(COPIES)]
        self.ended = [Signal(bits) for _ in range(COPIES)]
        event = proof.named(tally.event & (tally.counter == counter))
        for copy, (running, ended) in enumerate(zip(self.running, self.ended, strict=True)):
            now = proof.named(running + (event & (inside.copy == copy)), bits)
            proof.sync += [
                running.eq(Mux(turn | restart, 0, now)),
                ended.eq(Mux(turn, now, ended)),
            ]
        self.lemmas = []
        for copy in range(COPIES):
            for number in range(2):
                self._word(copy, number, counter, area, tags, again)

    def _word(self, copy, number, counter, area, tags, again) -> None:
        """Lemmas of the counter's word in one area."""
        proof, inside, bits = self.proof, self.tally.internal, len(self.tally.internal.base)
        adr = proof.named(Cat(proof.named(copy, 2), counter, proof.named(number, 1)))
        memory = self.tally.memory
        word = proof.word_at(memory, adr)
        count, tag = word[:bits], word[bits:]
        here = [proof.named(stage.adr == adr) for stage in inside.stages[1:]]
        stages = inside.stages[1:]
        writes = [
            proof.named(on & (stage.event | stage.sweep)) for on, stage in zip(here, stages, strict=True)
        ]
        uses = [
            proof.named(on & (stage.event | stage.sweep | stage.read))
            for on, stage in zip(here, stages, strict=True)
        ]
        last = stages[2]
        # After the write that is under way.
        pending = proof.named(reduce(or_, writes))

        def of_stage(name):
            return proof.named(
                reduce(
                    or_,
                    (Mux(on, getattr(stage, name), 0) for on, stage in zip(writes, stages, strict=True)),
                )
            )

        its_tag = of_stage("tag")
        kept = proof.named(Mux((tag != its_tag) | of_stage("empty"), 0, count), bits)
        final = proof.named(Mux(pending, kept + of_stage("event"), count), bits)
        final_tag = proof.named(Mux(pending, its_tag, tag), len(tag))
        value = proof.named(Mux(final_tag == tags[number], final, 0), bits)
        behind = proof.named(tags[number] - final_tag, len(tag))
        emptying, sweeping, swept = self.tally.emptying, inside.sweeping, inside.swept
        is_running = proof.named(area == number)
        is_swept = proof.named(adr[:-1] < swept[:-1])
        lemmas = [
            ~uses[0] | (memory.read.dat_r == word),
            ~uses[1] | (inside.word == word),
            ~uses[2] | (inside.base == Mux(last.read | ((tag == last.tag) & ~last.empty), count, 0)),
            emptying | (value == Mux(is_running, self.running[copy], self.ended[copy])),
            ~emptying | ((self.running[copy] == 0) & (self.ended[copy] == 0)),
            ~emptying | ~(adr < swept) | ((final == 0) & (final_tag == 0)),
            emptying | is_running | (behind == 0),
            emptying | ~is_running | (behind == 0) | (sweeping & ~is_swept),
            emptying | ~is_running | (behind <= 1) | (again & (behind == 2)),
        ]
        self.lemmas.append(proof.named(reduce(and_, lemmas), 1))


def control_lemmas(proof, tally, area, tags) -> list:
    """The stages of a tally, its sweep and its sum."""
    inside = tally.internal
    stages = inside.stages[1:]
    emptying = tally.emptying
    reads = [stage.read for stage in stages]
    first, second, third = reads
    return [
        *(
            ~(stage.event | stage.sweep | stage.read)
            | (stage.adr[:2] == proof.named(inside.copy - number, 2))
            for number, stage in enumerate(stages, start=1)
        ),
        *(~(stage.event & (stage.sweep | stage.read | stage.empty)) for stage in stages),
        *(~(stage.sweep & stage.read) for stage in stages),
        ~(first & second) & ~(first & third) & ~(second & third),
        ~emptying | (inside.sweeping & (area == 0) & (tags[0] == 0) & (tags[1] == 0)),
        *(~emptying | ~(stage.event | stage.read) for stage in stages),
        emptying | ~inside.swept[-1],
        inside.sweeping | (inside.swept == 0),
        Mux(third, inside.summand == tally.sum, inside.summand == 0),
    ]
