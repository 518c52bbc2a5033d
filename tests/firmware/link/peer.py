# SPDX-License-Identifier: BSD-2-Clause
"""A device on a TCP port, for tests of Device, Collector and the command line.

It answers by the firmware's service; its counters are functions of the epoch and context numbers.
"""

import random
import select
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

from litemrc.device.link.frames import frame
from litemrc.device.link.protocol import device_messages
from litemrc.device.link.schema import schema

from tests.firmware.link.link_messages import counters_of, noisy
from tests.firmware.link.peer_parts import CONTEXTS, FRAMES, GROUPS, PARTS, Processes, Tasks
from tests.firmware.service.served import Answer, RefusedError, Service, Word
from tests.records import make_record
from tests.timeouts import scaled_timeout

PROGRAMS = ("zipf", "loop")
EPOCHS_OF_RUN = 3  # times scale
FAULT_EPOCH = 5
CYCLES_OF_EPOCH = 1_000_000  # as a lease counts them
BOOT_S = 0.5  # pyserial drops what arrives while it opens a port
PARAMETERS = {
    **{"version": 2, "clock_hz": 1_000_000, "page_shift": 12, "frames": FRAMES, "groups": GROUPS},
    **{"contexts": CONTEXTS, "engine": schema().enums["stack_engine"]["group_stack"], "pages": FRAMES},
    **{"recent_pages": 4, "queue_depth": 512, "ranks": 1, "first_page": 1 << 30 >> 12},
}
SETTINGS = {
    "EPOCH_LENGTH": [1, 1000],
    "CONTEXT": [0],
    "ENABLE": [True],
    "RANGE": [0, FRAMES - 1],
    "SAMPLING": [0],
    "FREEZE": [0],
    "SINGLE_SHOT": [0],
    "SPLIT": [0],
    "PAGE_MESSAGES": [0, 0],
}
_HELLO = schema().enums["device_message"]["hello"]


class _HangUpError(Exception):
    """The host, or the peer, hangs up."""


@dataclass
class Run:
    """A program that runs."""

    context: int
    scale: int
    epochs_left: int


class Peer(threading.Thread):
    """A device for one host; it ends when the host hangs up, unless it stays for the next.

    Parameters
    ----------
    epochs
        without a request, send this many epochs after hello.
    period_ms
        between two epochs.
    noise
        bytes in a million that are flipped, dropped or doubled on their way to the host.
    fault
        silent: never answers; version: another major version of the protocol; vanish: hangs up in the middle
        of a frame after the 5th epoch; restart: counts from 0 after the 5th epoch; nonsense: the 5th epoch is
        inconsistent; endless: has no epoch length; hole: the 5th epoch is lost.
    parts
        those of `PARTS` that it has, such as ranks=1.
    """

    def __init__(
        self,
        program: Path,
        *,
        epochs: int = 0,
        period_ms: float = 0,
        noise: int = 0,
        seed: int = 1,
        fault: str = "",
        stays: bool = False,
        **parts: int,
    ) -> None:
        super().__init__()
        self.settings = {name: list(values) for name, values in SETTINGS.items()}
        if fault == "endless":
            self.settings["EPOCH_LENGTH"][1] = 0
        self._epochs, self._period_s, self._fault = epochs, period_ms / 1000, fault
        self._stays = stays
        self._noise, self._dice = noise / 1e6, random.Random(seed)
        self._greeted, self._epoch, self._sequence, self._sent = False, 0, 0, 0
        self._lease_cycles, self._lease_is_over = 0, False
        self.runs: dict[int, Run] = {}
        parameters, features = dict(PARAMETERS), {"lease"}
        self.parts = [PARTS[name](self) for name in parts]
        for part in self.parts:
            parameters |= part.parameters
            features |= part.features
            self.settings |= {name: list(values) for name, values in part.kept.items()}
        self.processes = self._part(Processes)
        self.tasks = self._part(Tasks)
        bits = schema().enums["feature"]
        parameters["features"] = sum(1 << bits[name] for name in features)
        self._service = Service(program, self._perform, PROGRAMS, **parameters)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._host: socket.socket | None = None
        self.url = f"socket://127.0.0.1:{self._listener.getsockname()[1]}"
        self._failed: BaseException | None = None
        self.start()

    def _part(self, kind: type) -> object:
        return next((part for part in self.parts if isinstance(part, kind)), None)

    def messages_sent(self) -> int:
        """Wait for the peer to end after the host hung up; return the number of epoch messages it sent."""
        self.join(scaled_timeout(10))
        assert not self.is_alive()
        return self._sent

    def end(self) -> None:
        """Hang up."""
        for each in (self._listener, self._host):
            if each and each.fileno() >= 0:
                each.shutdown(socket.SHUT_RDWR)
        self.join()
        self._listener.close()
        self._service.close()
        if self._failed:
            raise self._failed

    def run(self) -> None:
        try:
            self._host, _ = self._listener.accept()
            self._serve()
        except (_HangUpError, OSError):
            pass
        except BaseException as error:
            self._failed = error
        if self._host:
            self._host.close()

    def cut(self) -> None:
        """Hang up on the host, which may come again."""
        self._host.shutdown(socket.SHUT_RDWR)

    def _serve(self) -> None:
        due = 0.0
        if self.processes:
            time.sleep(BOOT_S)
            for number, body in self._service.hello():
                self._send(number, body)
        while True:
            busy = self.runs or (self._greeted and self._epochs)
            ready, _, _ = select.select(
                [self._host or self._listener], [], [], self._period_s if busy else None
            )
            if ready and self._host:
                self._receive(self._host.recv(256))
            elif ready:
                self._host, _ = self._listener.accept()
            if (now := time.monotonic()) >= due:
                self._proceed()
                due = now + self._period_s
            if self._lease_is_over:
                self._lease_is_over = False
                self._service.end_lease()
                self.send("log", level="warning", line="the lease ended")

    def _receive(self, received: bytes) -> None:
        if not received and not self._stays:
            raise _HangUpError
        if not received:
            self._host.close()
            self._host = None
        for number, body in self._service.take(received):
            if self._fault != "silent":
                self._send(number, body)
                self._greeted |= number == _HELLO

    def _proceed(self) -> None:
        """Send the next epoch, of running programs or of `epochs`."""
        if self.runs:
            self._run_on()
        elif self._greeted and self._epochs:
            self._epochs -= 1
            self.end_epoch({1, 2})

    def send(self, name: str, **values: object) -> None:
        """Send a message."""
        message = device_messages().new(name, **values)
        self._send(message.number, device_messages().encode(message)[8:], name)

    def _send(self, number: int, body: bytes, name: str = "") -> None:
        if number == _HELLO and self._fault == "version":
            body = body[:4] + struct.pack("<I", struct.unpack_from("<I", body, 4)[0] + 1000) + body[8:]
        self._sequence += number > 0
        framed = frame(struct.pack("<II", number, self._sequence) * (number > 0) + body)
        vanishes = name == "epoch" and self._epoch == FAULT_EPOCH and self._fault == "vanish"
        self._sent += name == "epoch"
        line, _ = noisy(framed[: len(framed) // 2] if vanishes else framed, self._dice, self._noise)
        if self._host:
            with suppress(OSError) if self._stays else nullcontext():
                self._host.sendall(line)
        if vanishes:
            raise _HangUpError

    # ------------------------------------------------------------ epochs and programs

    def end_epoch(self, contexts: set[int]) -> None:
        """End the epoch: these contexts counted in it, if the monitor is on."""
        number, on, split = self._epoch, self.settings["ENABLE"][0], self.settings["SPLIT"][0]
        contexts = contexts | {context + CONTEXTS // 2 for context in contexts} if split else contexts
        of_epoch = counters_of(number, 0) if on else {}
        head = {name: of_epoch.get(name, 0) for name in ("dropped", "outside", "unsampled")}
        head |= {"scale_log2": self.settings["SAMPLING"][0], "epoch": number}
        head["flags"] = schema().constants["epoch_split"] if split else 0
        parts: dict[str, object] = {}
        for part in self.parts:
            part.add(number, parts, head)
        rows = list(self._rows(number, contexts if on else set()))
        record = make_record(rows, groups=GROUPS, parts=parts, **head)
        if self._fault == "hole" and number == FAULT_EPOCH:
            self._sequence += 1
        else:
            self.send("epoch", record=record)
        for part in self.parts:
            part.end_epoch(number)
        self._lease_is_over |= 0 < self._lease_cycles <= CYCLES_OF_EPOCH
        self._lease_cycles = max(self._lease_cycles - CYCLES_OF_EPOCH, 0)
        self._epoch += 1
        if self._fault == "restart" and self._epoch == FAULT_EPOCH:
            self._epoch = self._sequence = 0

    def _rows(self, number: int, contexts: set[int]) -> Iterator[dict[str, object]]:
        """Yield the rows of the contexts that counted or follow anything."""
        for context in range(CONTEXTS):
            row = self.processes.row(context) if self.processes else {}
            if context in contexts:
                counted = counters_of(number, context)
                row = row | {name: counted[name] for name in ("hits", "misses", "accesses", "touched")}
                row["accesses"] += self._fault == "nonsense" and number == FAULT_EPOCH
            if row:
                yield {"context": context} | row

    def contexts(self) -> set[int]:
        """The contexts that count: of programs, of their second tasks, and the kernel's."""
        found = {run.context + task for run in self.runs.values() for task in range(2 if self.tasks else 1)}
        return found | {0} if self.processes else found

    def context(self) -> int | None:
        """The context of the program that runs, if only one can; None: none runs."""
        return next((run.context for run in self.runs.values()), None)

    def runs_in(self, context: int) -> bool:
        """Whether a program runs in a context."""
        return any(run.context == context for run in self.runs.values())

    def _run_on(self) -> None:
        """An epoch of the programs that run."""
        contexts = self.contexts()
        ending = {program: run for program, run in self.runs.items() if run.epochs_left == 1}
        if self.processes:
            self.processes.name({run.context: PROGRAMS[program] for program, run in self.runs.items()})
            self.processes.end({run.context for run in ending.values()})
        self.end_epoch(contexts)
        for run in self.runs.values():
            run.epochs_left -= 1
        for program, run in sorted(ending.items()):
            del self.runs[program]
            self._send_event("workload_done", program, run, 1000 * run.scale)

    def _send_event(self, kind: str, program: int, run: Run, cycles: int) -> None:
        values = {"workload": program, "context": run.context, "epoch": self._epoch, "cycles": cycles}
        self.send("event", kind=kind, **values)

    # ------------------------------------------------------------ operations

    def _perform(self, operation: str, *values: Word) -> Answer:
        return getattr(self, f"do_{operation}")(*values)

    def do_get(self, setting: str, *arguments: int) -> Answer:
        for part in self.parts:
            if setting in part.settings:
                return part.get(setting, *arguments)
        values = self.settings.get(setting)
        if values is None:
            raise RefusedError("unsupported", "there is no swap")
        if setting == "FREEZE":
            return [values[0], self.settings["SINGLE_SHOT"][0], values[0]]
        return values * 2 if setting == "SAMPLING" else values

    def do_set(self, setting: str, *values: int) -> None:
        for part in self.parts:
            if setting in part.settings:
                part.set(setting, *values)
                return
        if setting not in self.settings:
            raise RefusedError("unsupported", "there is no swap")
        self.settings[setting] = list(values)

    def do_order(self, order: str, value: int) -> None:
        if order == "END_EPOCH":
            self.end_epoch({0})

    def do_run(self, program: int, context: int, scale: int) -> None:
        busy = program in self.runs if self.processes else self.runs
        if busy or (self.processes and not self.processes.start(context)):
            raise RefusedError("busy")
        if self.tasks:
            self.tasks.lift_budgets()
        self.runs[program] = run = Run(context, scale, EPOCHS_OF_RUN * scale)
        self._send_event("workload_started", program, run, 0)

    def do_running(self) -> Answer:
        return [sum(1 << program for program in self.runs)]

    def do_follow_cgroup(self, context: int, path: bytes) -> None:
        raise RefusedError("bad_argument", "no cgroup is listed")

    def do_lease(self, cycles: int) -> None:
        self._lease_cycles = cycles

    def do_end_lease(self) -> None:
        if self.tasks:
            self.tasks.lift_budgets()

    def do_epoch(self) -> Answer:
        return [self._epoch]
