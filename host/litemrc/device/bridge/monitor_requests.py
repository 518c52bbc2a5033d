# SPDX-License-Identifier: BSD-2-Clause
"""Requests about the monitor, answered by its registers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from litemrc.device.bridge.block import RegisterBlock
from litemrc.device.bridge.layout import Answer, Handlers, RefusedError, layout
from litemrc.device.link.protocol import Message, host_requests

_HELD_EPOCHS = 2  # in the window, and behind it one that is due, which ends when the window is released
_ORDERS = 3  # of a command that Etherbone may lose, and that reads as 0


class MonitorRequests:
    """The requests that firmware/baremetal/service.c and settings.c perform, but those about single pages.

    Attributes
    ----------
    parameters
        fields of the capability registers.
    handlers
        by request.

    Parameters
    ----------
    drain
        reads and releases the epoch in the window, if there is a new one.
    """

    def __init__(self, mrc: RegisterBlock, drain: Callable[[], None]) -> None:
        self._mrc, self._drain = mrc, drain
        self.parameters = mrc.fields("capabilities") | mrc.fields("stack_capabilities")
        self.handlers: Handlers = {
            "get_epoch": self._get_epoch,
            "set_epoch": self._set_epoch,
            "get_engine": self._engine,
            "set_engine": self._engine,
            "get_context": self._get_context,
            "set_context": self._set_context,
            "invalidate": self._invalidate,
            "end_epoch": self._end_epoch,
            "monitor": self._switch,
            "clear": lambda _: self._order("clear"),
            "get_range": self._get_range,
            "set_range": self._set_range,
            "get_sampling": self._get_sampling,
            "set_sampling": self._set_sampling,
            "get_freeze": lambda _: self._modes(),
            "freeze": lambda request: self._set_mode("freeze", request.on),
            "single_shot": lambda request: self._set_mode("single_shot", request.on),
            "arm": self._arm,
            "get_split": lambda _: self._split(),
            "set_split": self._set_split,
        }

    @property
    def engine(self) -> str:
        """Name of the stack engine; KeyError if this host knows none of its number."""
        return layout().name_of("engine", self.parameters["engine"])

    def size(self, name: str) -> int:
        """Return a parameter that the registers give by its log2: frames, pages, groups, contexts, queue."""
        return 1 << self.parameters[f"{name}_log2"]

    def _get_epoch(self, _: Message) -> Answer:
        by_cycles = self._mrc.fields("control")["epoch_unit"]
        unit = "cycles" if by_cycles else "accesses"
        return Answer([_choice("set_epoch", "unit", unit), self._mrc.read("epoch_length")])

    def _set_epoch(self, request: Message) -> Answer:
        if not request.length:
            raise RefusedError("bad_argument")
        self._mrc.update("control", epoch_unit=int(request.unit == "cycles"))
        self._mrc.write("epoch_length", request.length)
        return self._get_epoch(request)

    def _engine(self, request: Message) -> Answer:
        if request.name == "set_engine" and request.engine != self.engine:
            raise RefusedError("bad_argument")
        return Answer([self.parameters["engine"]])

    def _get_context(self, _: Message) -> Answer:
        return Answer([self._mrc.read("context")])

    def _set_context(self, request: Message) -> Answer:
        split = self._mrc.fields("control")["split"]
        if request.context >= self.size("contexts") >> split:
            why = "writes count in the upper half of the contexts (split)" if split else ""
            raise RefusedError("bad_argument", why)
        self._mrc.write("context", request.context)
        return self._get_context(request)

    def _invalidate(self, request: Message) -> Answer:
        if request.frame >= self.size("frames"):
            raise RefusedError("bad_argument")
        return self._order("invalidate", request.frame)

    def _order(self, command: str, frame: int = 0) -> Answer:
        """Give a command that goes through the monitor's queue, and wait until it is there."""
        before = self._taken()
        if command == "clear":
            self._mrc.command("clear")
        else:
            self._mrc.write("invalidate", frame)
        # Only software of the SoC that writes commands, too, can have filled the places meanwhile.
        if self._taken().get("command_lost", 0) and not before.get("command_lost", 0):
            self._mrc.command("acknowledge")
            raise RefusedError(
                "busy", f"a command was lost, perhaps {command}: other software gives commands, too"
            )
        return Answer()

    def _taken(self) -> dict[str, int]:
        return self._mrc.wait(lambda s: not s["command_pending"], "a command still waits for the queue")

    def _end_epoch(self, _: Message) -> Answer:
        """End the epoch and read it: two requests in a row must end two epochs, which takes a free window."""
        before = self._mrc.read("epoch")
        for _attempt in range(_ORDERS):
            self._mrc.command("end_epoch")
            if self._mrc.fields("status")["epoch_due"] or self._mrc.read("epoch") != before:
                break

        def ended(status: dict[str, int]) -> bool:
            if status["epoch_due"]:
                self._drain()
            return not status["epoch_due"]

        self._mrc.wait(ended, "the epoch did not end")
        if self._mrc.read("epoch") == before:
            raise RefusedError("busy", f"the epoch did not end after {_ORDERS} commands")
        self._drain()
        return Answer()

    def _switch(self, request: Message) -> Answer:
        self._mrc.update("control", enable=int(request.on))
        return Answer()

    def _get_range(self, _: Message) -> Answer:
        return Answer([self._mrc.read("range_lower"), self._mrc.read("range_upper")])

    def _set_range(self, request: Message) -> Answer:
        if request.lower > request.upper:
            raise RefusedError("bad_argument", "lower is above upper")
        if request.upper >= self.size("frames"):
            raise RefusedError("bad_argument", "upper is beyond the last frame")
        with self.changing("range_lower", "range_upper"):
            self._mrc.write("range_lower", request.lower)
            self._mrc.write("range_upper", request.upper)
        return self._get_range(request)

    def _get_sampling(self, _: Message) -> Answer:
        return Answer([self._mrc.read("sampling"), self._mrc.fields("scale")["scale_log2"]])

    def _set_sampling(self, request: Message) -> Answer:
        if request.sampling > self.parameters["frames_log2"]:
            raise RefusedError("bad_argument", "no page would be sampled")
        with self.changing("sampling"):
            if self._mrc.try_write("sampling", request.sampling) != request.sampling:
                raise RefusedError("bad_argument", "the gateware does not support this sampling rate")
        return self._get_sampling(request)

    def _split(self) -> Answer:
        return Answer([self._mrc.fields("control")["split"]])

    def _set_split(self, request: Message) -> Answer:
        if self.size("contexts") < 2:
            raise RefusedError("unsupported", "the monitor has a single context")
        if request.on and self._mrc.read("context") >= self.size("contexts") // 2:
            raise RefusedError("busy", "the present context would own no pages: set another one first")
        with self.changing("control"):
            self._mrc.update("control", split=int(request.on))
        return self._split()

    @contextmanager
    def changing(self, *registers: str) -> Iterator[None]:
        """Disable the monitor while registers change, then clear it; undo the change if one is refused."""
        enabled = self._mrc.fields("control")["enable"]
        before = [self._mrc.read(name) for name in registers]
        self._mrc.update("control", enable=0)
        try:
            for _ in range(_HELD_EPOCHS):
                self._mrc.wait(lambda s: bool(s["idle"]), "the monitor is not idle")
                self._drain()
            yield
            self._order("clear")
        except RefusedError:
            for name, word in zip(registers, before, strict=True):
                self._mrc.write(name, word)
            raise
        finally:
            self._mrc.update("control", enable=enabled)

    def _modes(self) -> Answer:
        control = self._mrc.fields("control")
        return Answer([control["freeze"], control["single_shot"], self._mrc.fields("status")["frozen"]])

    def _set_mode(self, mode: str, on: bool) -> Answer:
        self._mrc.update("control", **{mode: int(on)})
        return self._modes()

    def _arm(self, _: Message) -> Answer:
        self._mrc.command("arm")
        return self._modes()


def _choice(request: str, field: str, name: str) -> int:
    (choices,) = (f.choices for f in host_requests().types[request].body if f.name == field)
    return dict(choices)[name]
