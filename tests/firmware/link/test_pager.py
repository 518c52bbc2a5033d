# SPDX-License-Identifier: BSD-2-Clause
"""The bare-metal pager: the firmware's source against a plain model of frames, budgets and data."""

import random
import subprocess

import pytest

from tests.timeouts import scaled_timeout

MEMORY = 1024  # PAGER_MEMORY
PAGES = (1125, 1800)


class Model:
    """CLOCK over a list of frames with a budget for each of two owners, as described in pager.h."""

    def __init__(self, pages):
        self.first = (0, pages[0])
        self.frames = []  # [owner, page, used, dirty]
        self.hand = 0
        self.lived = set()
        self.budget = [None, None]
        self.counts = [[0, 0, 0], [0, 0, 0]]  # faults, zero fills, writes

    def resident(self, owner):
        return sum(frame[0] == owner for frame in self.frames)

    def victim(self, owners):
        while True:
            frame = self.frames[self.hand]
            if frame[0] in owners and not frame[2]:
                return self.hand
            if frame[0] in owners:
                frame[2] = False
            self.hand = (self.hand + 1) % len(self.frames)

    def put_out(self, place):
        owner, _, _, dirty = self.frames[place]
        self.counts[owner][2] += dirty

    def place_for(self, owner):
        if len(self.frames) < MEMORY:
            self.frames.append(None)
            return len(self.frames) - 1
        resident = [self.resident(other) + (other == owner) for other in (0, 1)]
        over = {o for o in (0, 1) if self.budget[o] is not None and resident[o] > self.budget[o]}
        return self.victim(over or {0, 1})

    def use(self, owner, page, write):
        frame = next((f for f in self.frames if f[:2] == [owner, page]), None)
        if frame is None:
            place = self.place_for(owner)
            if self.frames[place]:
                self.put_out(place)
            fresh = (owner, page) not in self.lived
            self.lived.add((owner, page))
            self.counts[owner][1 if fresh else 0] += 1
            frame = self.frames[place] = [owner, page, True, fresh]
            if place == self.hand:
                self.hand = (self.hand + 1) % len(self.frames)
        frame[2] = True
        frame[3] |= write

    def reclaim(self, owner, frames):
        for _ in range(min(frames, self.resident(owner))):
            place = self.victim({owner})
            self.put_out(place)
            self.frames[place] = self.frames[-1]
            self.frames.pop()
            self.hand = 0 if self.hand >= len(self.frames) else self.hand

    def line(self):
        held = [[self.resident(owner), *self.counts[owner]] for owner in (0, 1)]
        return " ".join(map(str, [*held[0], *held[1], 0]))


def run(programs, operations, program="pager_guard"):
    text = "".join(f"{' '.join(map(str, operation))}\n" for operation in operations)
    return subprocess.run(
        [programs / program], input=text, capture_output=True, text=True, timeout=scaled_timeout(60)
    )


def operations_of(seed, count=6000):
    """Mostly references, some to consecutive pages, mixed with budgets and reclaims."""
    dice = random.Random(seed)
    yield ("start", *PAGES)
    row = 0
    for _ in range(count):
        kind = dice.random()
        if kind < 0.45:
            row = (row + 1) % PAGES[1]
            yield ("use", 1, row, int(dice.random() < 0.2))
        elif kind < 0.995:
            yield ("use", 0, int(PAGES[0] * dice.random() ** 2), int(dice.random() < 0.5))
        elif kind < 0.998:
            yield ("budget", dice.randrange(2), dice.choice((0, 1, 100, 400, 900)))
        else:
            yield ("reclaim", dice.randrange(2), dice.randrange(200))


@pytest.mark.parametrize("seed", range(3))
def test_the_pager_does_what_its_model_does(programs, seed):
    operations = list(operations_of(seed))
    done = run(programs, operations)
    assert done.returncode == 0, done.stdout[-200:] + done.stderr
    model, expected = None, []
    for name, first, second, *third in operations:
        if name == "start":
            model = Model((first, second))
        elif name == "use":
            model.use(first, second, *third)
        elif name == "budget":
            model.budget[first] = second or None
        else:
            model.reclaim(first, second)
        expected.append(model.line())
    assert done.stdout.split("\n")[:-1] == [line for line in expected]
    assert sum(map(int, expected[-1].split())) > 3000, "pages came and went"


def test_an_owner_with_its_budget_takes_nothing_from_the_other(programs):
    """Owner 0 fills all 1,024 frames; owner 1 gets at most the 124 beyond owner 0's budget."""
    fill = [("use", 0, page, 0) for page in range(MEMORY)]
    sweep = [("use", 1, page, 0) for page in range(500)]
    done = run(programs, [("start", *PAGES), *fill, ("budget", 0, 900), ("budget", 1, 100), *sweep])
    resident, *_ = done.stdout.splitlines()[-1].split()
    assert resident == "900"


def test_unreserved_frames_are_first_come_first_served(programs):
    sweep = [("use", 1, page, 0) for page in range(500)]
    done = run(programs, [("start", *PAGES), ("budget", 1, 100), *sweep])
    assert done.stdout.splitlines()[-1].split()[4] == "500"


def test_a_pager_that_loses_what_was_written_is_found_out(programs):
    """The seeded fault: pages that were written are not copied to the slow region."""
    done = run(programs, operations_of(0), "pager_guard-mutant")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1].startswith("page ")
