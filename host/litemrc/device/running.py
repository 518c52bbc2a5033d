# SPDX-License-Identifier: BSD-2-Clause
"""Runs programs of the device, sequentially or concurrently, and tracks the running ones."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litemrc.device.errors import RequestRefusedError
from litemrc.device.link.protocol import Message
from litemrc.errors import UserError, closest

if TYPE_CHECKING:
    from litemrc.device.device import Device


def get_split(device: "Device") -> bool | None:
    """Return whether writes count apart; None: the device cannot do that.

    Raises
    ------
    LinkError
        the device is gone or silent, or sends nonsense.
    """
    try:
        answer = device.request("get_split")
    except RequestRefusedError as refused:
        if refused.code != "unsupported":
            raise
        return None
    return bool(device.numbers(answer, 1)[0])


def owning_contexts(device: "Device") -> int:
    """Return the number of contexts that own pages: half of all, while writes count apart.

    Raises
    ------
    LinkError
        as `get_split`.
    """
    contexts: int = device.hello.contexts
    return contexts // 2 if get_split(device) else contexts


@dataclass(frozen=True)
class Run:
    """A program of the device to run while collecting.

    `context` None: the program's place among the device's programs, counted from 1. `scale`: how much longer
    than its shortest run.
    """

    workload: str
    context: int | None = None
    scale: int = 1

    @classmethod
    def parse(cls, text: str) -> "Run":
        """Read WORKLOAD[:CONTEXT[:SCALE]].

        Raises
        ------
        UserError
            it is not written like that.
        """
        workload, *numbers = text.split(":")
        if not workload or len(numbers) > 2 or not all(n.isascii() and n.isdigit() for n in numbers):
            raise UserError("not a program to run", where=text, remedy="write WORKLOAD[:CONTEXT[:SCALE]]")
        return cls(workload, *map(int, numbers))


class RunningPrograms:
    """Starts programs of a device and tracks the running ones."""

    def __init__(self, device: "Device") -> None:
        self._device = device
        self._pending: deque[tuple[int, int, int]] = deque()
        self._running: set[tuple[int, int]] = set()  # program and context
        self._at_once = 1
        self._started = 0  # number of the frame that reported the last start

    def queue(self, runs: Sequence[Run], *, together: bool) -> None:
        """Queue programs for `go_on`.

        Raises
        ------
        UserError
            a program or context the device does not have, or programs that cannot run together.
        """
        contexts = self._device.hello.contexts
        places = [self._place(run, contexts) for run in runs]
        # A question delays the programs by a round trip: it is asked of contexts that may count writes.
        if any(context >= (contexts + 1) // 2 for _, context, _ in places):
            contexts = owning_contexts(self._device)
            places = [self._place(run, contexts) for run in runs]
        if together:
            self._check_together(places)
        self._pending = deque(places)
        self._at_once = len(places) if together else 1

    def go_on(self) -> bool:
        """Start the programs that can start now; return whether any program runs.

        Raises
        ------
        LinkError
            the device refuses, or is gone.
        """
        while self._pending and len(self._running) < self._at_once:
            workload, context, scale = self._pending.popleft()
            ack = self._device.request("run", workload=workload, context=context, scale=scale)
            self._started = ack.sequence
            self._running.add((workload, context))
        return bool(self._running)

    def note_done(self, event: Message) -> None:
        """A program ended."""
        self._running.discard((event.workload, event.context))

    def note_hello(self, hello: Message) -> None:
        """Keep only the programs that hello reports; messages of ends may have been lost.

        A hello from before the last start, such as a late second answer of a slow device, is ignored.
        """
        if (hello.sequence - self._started) % 2**32 >= 1 << 31:
            return
        self._running = {(place, context) for place, context in self._running if hello.running >> place & 1}

    def _place(self, run: Run, contexts: int) -> tuple[int, int, int]:
        """Return the numbers of a program, its context and its scale, checked."""
        hello = self._device.hello
        if run.workload not in hello.workloads:
            what = f"the device has no program {run.workload!r}"
            listed = f"it has: {', '.join(hello.workloads) or 'none'}"
            remedy = f"{closest(run.workload, hello.workloads)} {listed}".lstrip()
            raise UserError(what, where=self._device.url, remedy=remedy)
        place = hello.workloads.index(run.workload)
        context = run.context
        if context is None:  # 0 only if it is the only one: with an operating system it is the kernel's
            context = 1 + place % (contexts - 1) if contexts > 1 else 0
        if context >= contexts:
            split = " that owns pages: it counts writes apart" if contexts < hello.contexts else ""
            what = f"the device has no context {context}{split}"
            raise UserError(what, where=self._device.url, remedy=f"0 to {contexts - 1}")
        return place, context, run.scale

    def _check_together(self, places: list[tuple[int, int, int]]) -> None:
        def refuse(what: str, remedy: str) -> None:
            raise UserError(what, where=self._device.url, remedy=remedy)

        if not self._device.hello.system:
            refuse(
                "without an operating system the device runs one program at a time", "leave out --together"
            )
        workloads, contexts = ([place[of] for place in places] for of in (0, 1))
        if len(set(workloads)) < len(workloads):
            refuse("a program cannot run twice at the same time", "name each program once")
        if len(set(contexts)) < len(contexts):
            refuse("two programs cannot have one context at the same time", "give each a context of its own")
