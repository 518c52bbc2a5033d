# SPDX-License-Identifier: BSD-2-Clause
"""Parts of the peer (peer.py) that not every device has: their settings, and what an epoch has of them."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, ClassVar

from litemrc.device.link.schema import schema

from tests.firmware.link.link_messages import accessed_of, hot_of, pages_of, rank_counters_of
from tests.firmware.service.served import Answer, RefusedError

if TYPE_CHECKING:
    from tests.firmware.link.peer import Peer

FRAMES, GROUPS, CONTEXTS, HOT_PAGES, DOMAINS = 8192, 64, 8, 128, 4
NO_BUDGET = schema().constants["no_budget"]
STATES = schema().enums["context_state"]
COUNTERS = tuple(schema().enums["page_counter"])
OF_TRAFFIC = 1 << schema().enums["master"]["traffic"]


class Part:
    """A part of a device.

    Attributes
    ----------
    parameters, features
        of a device that has it.
    kept
        settings that the peer keeps, and their values at boot.
    settings
        that the part gets and sets itself.
    """

    parameters: ClassVar[Mapping[str, int | str]] = {}
    features: ClassVar[Collection[str]] = ()
    kept: ClassVar[Mapping[str, Collection[int]]] = {}
    settings: ClassVar[Collection[str]] = ()

    def __init__(self, peer: "Peer") -> None:
        self.peer = peer

    def get(self, setting: str, *arguments: int) -> Answer:
        """Return the values of one of `settings`."""
        return self.peer.settings[setting]

    def set(self, setting: str, *values: int) -> None:
        """Set one of `settings`."""
        self.peer.settings[setting] = list(values)

    def add(self, epoch: int, parts: dict[str, object], head: dict[str, int]) -> None:
        """Add to the parts and the header of the record of the epoch that ends."""

    def end_epoch(self, epoch: int) -> None:
        """The record is sent."""


class Ranks(Part):
    """Four power domains: 0 is the device's own, 1 has live pages while a program runs; all obey at once."""

    parameters: ClassVar = {"ranks": DOMAINS, "power_states": 0x1F}
    features: ClassVar = {"rank_power"}
    kept: ClassVar = {"RANK_POLICY": (0, 2, 3, 0, 0, 0), "WORKING_SET": (0, GROUPS, 0)}
    settings: ClassVar = {"DRAM", "RANK_STATE", "RANK_LOSS"}

    def __init__(self, peer: "Peer") -> None:
        super().__init__(peer)
        self._states, self._may_lose, self._kept_part = [0] * DOMAINS, [0] * DOMAINS, 0

    def get(self, setting: str, *arguments: int) -> Answer:
        if setting == "RANK_LOSS":
            return [self._may_lose[arguments[0]]]
        return [DOMAINS, 0, self.parameters["power_states"], 1, 4, self._kept_part, "MT41K64M16"]

    def set(self, setting: str, *values: int) -> None:
        domain, value, *part = values
        if setting == "RANK_STATE":
            if not domain and value:
                raise RefusedError("busy", "the firmware runs from this domain")
            self._states[domain] = value
            return
        if value and domain == 1 and self.peer.runs:
            raise RefusedError("busy", "the domain holds live pages")
        self._may_lose[domain], (self._kept_part,) = value, part

    def add(self, epoch: int, parts: dict[str, object], head: dict[str, int]) -> None:
        parts["ranks"] = [
            {
                **{"state": self._states[domain], "working": domain < 2, "cycles": 1_000_000},
                "live_pages": 300 if domain == 1 and self.peer.runs else 0,
                "counters": rank_counters_of(epoch, domain),
            }
            for domain in range(DOMAINS)
        ]


class Pages(Part):
    """Page bitmap and hot pages."""

    parameters: ClassVar = {"hot_pages": HOT_PAGES}
    features: ClassVar = {"page_bitmap"}
    settings: ClassVar = {"HOT"}
    kept: ClassVar = {"HOT": (0, 1, 1, 0, 0, 2, HOT_PAGES, 0, FRAMES - 1, 1)}
    _queued = 0

    def set(self, setting: str, *values: int) -> None:
        if values[5] >> 20:
            raise RefusedError("bad_argument", "the threshold exceeds the counters")
        super().set(setting, *values)

    def add(self, epoch: int, parts: dict[str, object], head: dict[str, int]) -> None:
        on, (accessed, hot) = self.peer.settings["ENABLE"][0], self.peer.settings["PAGE_MESSAGES"]
        enable, _, _, _, _, _, wanted, *_ = self.peer.settings["HOT"]
        if accessed:
            parts["accessed"], parts["written"] = accessed_of(epoch) if on else (bytes(FRAMES // 8),) * 2
        if hot and enable:
            listed = hot_of(epoch if on else 0, wanted)
            pages = zip(listed.frames, listed.counts, strict=True)
            parts["hot"] = [{"frame": frame, "count": count} for frame, count in pages]
            flags = {"more": listed.more, "saturated": listed.saturated}
            head["flags"] |= sum(schema().constants[f"epoch_hot_{name}"] for name in flags if flags[name])
            head["hot_accesses"] = listed.accesses

    def end_epoch(self, epoch: int) -> None:
        enable, _, _, always_on, *_ = self.peer.settings["HOT"]
        if enable and always_on:
            frames, overflow = [epoch, epoch + 1], int(epoch % 4 == 3)
            self.peer.send("queued", index=self._queued, overflow=overflow, frames=frames)
            self._queued += 1


class RefCounters(Part):
    """1,024 pages of 1 KB.

    Traffic is over at once: every access of it counts in page order, round and round its range, as those of
    the generator, and the counters report what reaches zero. While a program runs, each epoch has a part of
    copies.
    """

    PAGES, PAGE_SHIFT, WIDTH, MASTERS, WORD_SHIFT, WORDS_LOG2 = 1024, 10, 12, 4, 3, 22
    parameters: ClassVar = {
        **{"counter_pages": PAGES, "counter_width": WIDTH, "counter_masters": MASTERS},
        **{"counter_contexts": CONTEXTS, "traffic_words_log2": WORDS_LOG2},
    }
    features: ClassVar = {"ref_counters", "traffic"}
    kept: ClassVar = {"COUNTING": (0,)}
    settings: ClassVar = {"REF_COUNTERS", "COUNTER", "COUNT", "TRAFFIC"}

    def __init__(self, peer: "Peer") -> None:
        super().__init__(peer)
        self._armed = [[0, 0, 0, 0, 0, self.PAGES - 1] for _ in COUNTERS]
        self._values = [[0] * self.PAGES for _ in COUNTERS]
        self._sent = 0

    def get(self, setting: str, *arguments: int) -> Answer:
        if setting == "REF_COUNTERS":
            return [self.PAGES, self.PAGE_SHIFT, self.WIDTH, self.MASTERS, CONTEXTS, 0, 0]
        if setting == "COUNTER":
            return [*self._armed[arguments[0]], *self.peer.settings["COUNTING"]]
        if setting == "COUNT":
            return [self._values[arguments[0]][arguments[1]]]
        return [0, self.WORD_SHIFT, self.WORDS_LOG2]

    def set(self, setting: str, *values: int) -> None:
        if setting == "COUNTER":  # arming loads all counters
            self._armed[values[0]] = list(values[1:])
            self._values = [[initial] * self.PAGES for initial, *_ in self._armed]
            self.peer.settings["COUNTING"] = [1]
        elif setting == "COUNT":
            self._values[values[0]][values[1]] = values[2]
        else:
            words = 1 << self.PAGE_SHIFT - self.WORD_SHIFT
            first, pages, writes = values[0] // words, (1 << values[1]) // words, values[4]
            for access in range(values[7]):
                for counter in range(len(COUNTERS)):
                    self._count(first + access % pages, access % 256 < writes, counter)

    def _count(self, page: int, write: bool, counter: int) -> None:
        _, accesses, masters, _, lower, upper = self._armed[counter]
        counted = self.peer.settings["COUNTING"][0] and accesses >> write & 1 and masters & OF_TRAFFIC
        if counted and lower <= page <= upper and self._values[counter][page]:
            self._values[counter][page] -= 1
            if not self._values[counter][page]:
                self.peer.send("count", index=self._sent, counter=COUNTERS[counter], page=page)
                self._sent += 1

    def add(self, epoch: int, parts: dict[str, object], head: dict[str, int]) -> None:
        if (context := self.peer.context()) is not None:
            parts["copies"] = [{"context": context} | pages_of(epoch)]


class Processes(Part):
    """Processes of an operating system: programs run concurrently, each in one that its context follows.

    41 (sh) and 42 (gzip) run already; programs get the numbers from 100 on. Each context's programs use 300
    pages, less what they were made to give back.
    """

    parameters: ClassVar = {"system": "Linux 6.1.0", "driver": "0.1", "abi": 1}
    features: ClassVar = {"processes", "budgets"}
    settings: ClassVar = {"PROCESS", "BUDGET", "RECLAIM"}
    RUNNING: ClassVar = {41: "sh", 42: "gzip"}

    def __init__(self, peer: "Peer") -> None:
        super().__init__(peer)
        self._followed = [("free", 0, "")] * CONTEXTS
        self._budgets = [[NO_BUDGET, 300] for _ in range(CONTEXTS)]  # allowed, used
        self._next_pid = 100

    def _change(self, context: int, state: str, pid: int, comm: str) -> None:
        """End the running epoch, whose record has the new follower."""
        self._followed[context] = state, pid, comm
        self.peer.end_epoch(self.peer.contexts())

    def start(self, context: int) -> bool:
        """Start a program's process, still without its name; return whether the context could follow it."""
        if not context or self._followed[context][0] == "following":
            return False
        self._budgets[context] = [NO_BUDGET, 300]
        self._next_pid += 1
        self._change(context, "following", self._next_pid - 1, "peer")
        return True

    def name(self, names: Mapping[int, str]) -> None:
        """Processes of contexts have these names now."""
        for context, name in names.items():
            self._followed[context] = (*self._followed[context][:2], name)

    def end(self, contexts: Collection[int]) -> None:
        """Their processes ended."""
        for context in contexts:
            self._followed[context] = ("ended", *self._followed[context][1:])

    def row(self, context: int) -> dict[str, object]:
        """What a row tells of its context; nothing, if that is free."""
        state, pid, comm = self._followed[context]
        known = {"state": STATES[state], "pid": pid, "comm": comm.encode()}
        return known if state != "free" else {}

    def get(self, setting: str, *arguments: int) -> Answer:
        (context,) = arguments
        if setting == "PROCESS":
            state, pid, comm = self._followed[context]
            return [STATES[state], pid, comm]
        if not self.peer.runs_in(context):
            raise RefusedError("busy")
        return self._budgets[context]

    def set(self, setting: str, *values: int) -> None:
        context, value = values
        if setting == "PROCESS":
            self._follow(context, value)
        elif not self.peer.runs_in(context):
            raise RefusedError("busy")
        elif setting == "BUDGET":
            self._budgets[context][0] = value
        else:
            self._budgets[context][1] -= value

    def _follow(self, context: int, pid: int) -> None:
        if self.peer.runs_in(context):
            raise RefusedError("busy")
        if not pid:
            self._change(context, "free", 0, "")
            return
        if pid not in self.RUNNING:
            raise RefusedError("bad_argument", "there is no such process")
        following = [(place, each[1]) for place, each in enumerate(self._followed) if each[0] == "following"]
        if any(place == context or other == pid for place, other in following):
            raise RefusedError("busy")
        self._change(context, "following", pid, self.RUNNING[pid])


class Tasks(Part):
    """A pager: while a program runs, two tasks, in its context and the next one; it begins without budgets.

    What a task does follows from its budget: a tenth of the pages it lacks of 1,000 are faults, each takes
    1,000 cycles.
    """

    features: ClassVar = {"budgets"}
    settings: ClassVar = {"BUDGET", "RECLAIM"}
    MEMORY, PAGES, TASKS = 1024, 1000, 2

    def __init__(self, peer: "Peer") -> None:
        super().__init__(peer)
        self.lift_budgets()

    def lift_budgets(self) -> None:
        """No task has a budget."""
        self._budgets = [NO_BUDGET] * self.TASKS

    def _resident(self, task: int) -> int:
        return min(self._budgets[task], self.MEMORY // self.TASKS)

    def _task_in(self, context: int) -> int:
        running = self.peer.context()
        if running is None or not 0 <= context - running < self.TASKS:
            raise RefusedError("busy")
        return context - running

    def get(self, setting: str, *arguments: int) -> Answer:
        task = self._task_in(*arguments)
        return [self._budgets[task], self._resident(task)]

    def set(self, setting: str, *values: int) -> None:
        if setting == "RECLAIM":
            raise RefusedError("unsupported")
        self._budgets[self._task_in(values[0])] = values[1]

    def add(self, epoch: int, parts: dict[str, object], head: dict[str, int]) -> None:
        if (context := self.peer.context()) is None:
            return
        parts["tasks"] = [
            {
                **{"context": context + task, "memory": self.MEMORY, "budget": self._budgets[task]},
                **{"resident": self._resident(task), "references": 2000, "writes": task, "iterations": 2},
                **{
                    "faults": (faults := (self.PAGES - self._resident(task)) // 10),
                    "response": 1000 * faults,
                },
            }
            for task in range(self.TASKS)
        ]


PARTS = {"ranks": Ranks, "pages": Pages, "refs": RefCounters, "system": Processes, "tasks": Tasks}
