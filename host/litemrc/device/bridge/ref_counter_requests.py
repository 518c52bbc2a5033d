# SPDX-License-Identifier: BSD-2-Clause
"""Requests about reference counters and the traffic generator, answered by their registers."""

from collections.abc import Callable, Iterator
from typing import Any

from litemrc.device.bridge.block import RegisterBlock
from litemrc.device.bridge.layout import Answer, Handlers, RefusedError, layout
from litemrc.device.link.protocol import Message

_EVENTS_AT_ONCE = 64


class RefCounterRequests:
    """The requests that firmware/baremetal/refs.c performs, and the events of the counters.

    Attributes
    ----------
    handlers
        by request.

    Parameters
    ----------
    taps_lost
        returns the accesses lost before the counters.
    """

    def __init__(self, refs: RegisterBlock, taps_lost: Callable[[], int]) -> None:
        self._refs, self._taps_lost = refs, taps_lost
        self._capabilities = refs.fields("capabilities")
        self._pages = 1 << self._capabilities["pages_log2"]
        self._events_sent = 0
        self._asked = False
        self.handlers: Handlers = {
            "get_ref_counters": self._get_unit,
            "get_counter": self._get_counter,
            "arm_counter": self._arm,
            "count_requests": self._count_requests,
            "get_count": self._get_count,
            "set_count": self._set_count,
        }

    def events(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the messages of events, once this session asked for the unit or armed a counter.

        Sessions that do neither leave the events to software of the SoC.
        """
        for _ in range(_EVENTS_AT_ONCE if self._asked else 0):
            event = self._refs.fields("event")
            if not event["valid"]:
                return
            self._refs.command("next")
            index, self._events_sent = self._events_sent, (self._events_sent + 1) % 2**32
            counter = layout().name_of("counter", event["counter"])
            lost = self._refs.read("lost")
            yield "count", {"index": index, "counter": counter, "page": event["page"], "lost": lost}

    def _get_unit(self, _: Message) -> Answer:
        self._asked = True
        found = self._capabilities
        sizes = [found[name] for name in ("page_shift", "width", "masters", "contexts")]
        return Answer([self._pages, *sizes, self._refs.read("lost"), self._taps_lost()])

    def _get_counter(self, request: Message) -> Answer:
        counter = request.counter
        select = self._refs.fields(f"{counter}_select")
        return Answer(
            [
                self._refs.read(f"{counter}_initial"),
                select["reads"] + 2 * select["writes"],
                select["masters"],
                select["contexts"],
                self._refs.read(f"{counter}_lower"),
                self._refs.read(f"{counter}_upper"),
                self._refs.fields("control")["enable"],
            ]
        )

    def _arm(self, request: Message) -> Answer:
        self._asked = True
        self._check_value(request.initial)
        found = self._capabilities
        if request.masters >> found["masters"] or request.contexts >> found["contexts"]:
            raise RefusedError("bad_argument", "there is no such master or context")
        if request.lower > request.upper or request.upper >= self._pages:
            raise RefusedError("bad_argument", "there is no such range of pages")
        counter = request.counter
        select = self._refs.word(
            f"{counter}_select",
            reads=request.accesses & 1,
            writes=request.accesses >> 1,
            masters=request.masters,
            contexts=request.contexts,
        )
        self._refs.update("control", enable=0)
        self._refs.write(f"{counter}_initial", request.initial)
        self._refs.write(f"{counter}_select", select)
        self._refs.write(f"{counter}_lower", request.lower)
        self._refs.write(f"{counter}_upper", request.upper)
        self._refs.command("reset")
        self._refs.wait(lambda status: not status["reset_pending"], "the counters were not reset")
        self._refs.update("control", enable=1)
        return self._get_counter(request)

    def _count_requests(self, request: Message) -> Answer:
        self._refs.update("control", enable=int(request.on))
        return Answer()

    def _get_count(self, request: Message) -> Answer:
        return Answer(self._refs.window(self._word_of(request), 1))

    def _set_count(self, request: Message) -> Answer:
        word = self._word_of(request)
        self._check_value(request.value)
        self._refs.write_window(word, request.value)
        return Answer()

    def _word_of(self, request: Message) -> int:
        if request.page >= self._pages:
            raise RefusedError("bad_argument", "there is no such page")
        counters = layout().numbers["counter"]
        return int(request.page) * len(counters) + counters[request.counter]

    def _check_value(self, value: int) -> None:
        if value >> self._capabilities["width"]:
            raise RefusedError("bad_argument", "the value does not fit into the counter")


class TrafficRequests:
    """The requests that firmware/baremetal/traffic.c performs.

    Attributes
    ----------
    handlers
        by request.
    """

    def __init__(self, traffic: RegisterBlock) -> None:
        self._traffic = traffic
        self._words = traffic.fields("words")
        self.handlers: Handlers = {"get_traffic": self._get, "set_traffic": self._set}

    def _get(self, _: Message) -> Answer:
        return Answer([self._traffic.read("left"), self._words["bytes_log2"], self._words["count_log2"]])

    def _set(self, request: Message) -> Answer:
        words_log2 = self._words["count_log2"]
        if request.words_log2 > words_log2 or request.base > (1 << words_log2) - (1 << request.words_log2):
            raise RefusedError("bad_argument", "the range exceeds the memory")
        if not request.seed:
            raise RefusedError("bad_argument", "the seed must not be 0")
        pattern = self._traffic.word(
            "pattern",
            kind=layout().numbers["pattern"]["random" if request.random else "stride"],
            masked=1,
            writes=request.writes,
            gap=request.gap,
        )
        self._traffic.write("count", 0)
        self._traffic.write("base", request.base)
        self._traffic.write("range", request.words_log2)
        self._traffic.write("stride", request.stride)
        self._traffic.write("pattern", pattern)
        self._traffic.write("seed", request.seed)
        self._traffic.write("count", request.count)
        return self._get(request)
