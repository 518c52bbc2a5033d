# SPDX-License-Identifier: BSD-2-Clause
"""Accesses, policies and commands for ranks whose cycles are far from every threshold.

Near a threshold the cycles that the controller takes decide whether a rank still sleeps; far from it, the RTL
and a functional model must agree.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.models.model_library import SIZES, Model

SIZE = SIZES[-1]
DOMAINS = 4
POWER_DOWN_AFTER, SELF_REFRESH_AFTER = 300, 4000
# Cycles for which a rank is left alone between events: far from 0, from the thresholds and from an exit.
QUIET = ((450, 3500), (4500, 9000))
STATIC, DYNAMIC, MRC = 1, 2, 3
SETTINGS = (  # kind, static_state, mrc_state, mrc_base
    (0, 2, 3, 0),
    (STATIC, 2, 3, 0),
    (STATIC, 3, 3, 0),
    (DYNAMIC, 2, 3, 0),
    (MRC, 2, 3, 0),
    (MRC, 2, 3, STATIC),
    (MRC, 2, 3, DYNAMIC),
    (MRC, 2, 2, 0),
)


@dataclass
class Stream:
    """The events of a replay; the library takes each at once, which shows where its working set lies then."""

    model: Model
    draw: random.Random
    lines: list[str] = field(default_factory=list)
    clock: int = 0
    settings: tuple[int, ...] = SETTINGS[0]
    working: int = 0

    def pause(self) -> None:
        self.clock += self.draw.randrange(*self.draw.choice(QUIET))
        self.model.set_time(self.clock)

    def access(self, frame: int) -> None:
        write = self.draw.random() < 0.3
        self.model.access_frame(frame, write)
        rank = frame * DOMAINS // self.model.frames
        self._add(f"access {rank} {frame % 8} {int(write)}")
        if self.model.working() != self.working:
            self._add_settings()

    def command(self, domain: int, state: int) -> None:
        self.model.command(domain, state)
        self._add(f"command {domain} {state}")

    def change_settings(self) -> None:
        self.settings = self.draw.choice(SETTINGS)
        self.model.set_policy(*self.settings)
        self._add_settings()

    def end(self) -> None:
        self.model.set_time(self.clock)
        self.model.end_epoch()
        self._add("end")

    def _add_settings(self) -> None:
        self.working = self.model.working()
        thresholds = POWER_DOWN_AFTER, SELF_REFRESH_AFTER
        self._add("settings " + " ".join(map(str, (*self.settings, *thresholds, self.working))))

    def _add(self, event: str) -> None:
        self.lines.append(f"{self.clock} {event}")


def play(model: Model, seed: int, pauses: int) -> Iterator[str]:
    """Play a random stream to the library until the end of its epoch; yield its lines for the RTL."""
    draw = random.Random(seed)
    stream = Stream(model, draw)
    model.control(1, 1, 0, 0, 0)
    model.set_n_mrc(1)  # 16 pages
    model.set_thresholds(POWER_DOWN_AFTER, SELF_REFRESH_AFTER)
    stream.change_settings()
    for _ in range(pauses):
        stream.pause()
        kind = draw.random()
        if kind < 0.1:
            stream.change_settings()
        elif kind < 0.2:
            stream.command(draw.randrange(DOMAINS), draw.choice([0, 2, 3]))
        else:
            # Some pages of one or two ranks.
            for domain in draw.sample(range(DOMAINS), draw.choice([1, 1, 2])):
                first = domain * model.frames // DOMAINS
                for page in range(draw.choice([1, 3, 12])):
                    stream.access(first + page)
    stream.pause()
    stream.end()
    yield from stream.lines
