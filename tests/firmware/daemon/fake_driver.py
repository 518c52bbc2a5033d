# SPDX-License-Identifier: BSD-2-Clause
"""The kernel's side of the daemon as files: sysfs, the device as a FIFO of records, and followed processes.

standin.c makes the files take orders like sysfs, and logs them. A thread reads that log and acts as the
driver: it writes records of the epochs that end when a context follows another process or a process ends.
"""

import fcntl
import os
import re
import struct
import termios
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from litemrc.device.link.schema import schema

from tests.firmware.daemon.fake_pages import FakePages
from tests.records import make_record
from tests.timeouts import Deadline

CONTEXTS, GROUPS, TAIL_GROUPS, FRAMES = 4, 8, 16, 8192
CLOCK_HZ = 50_000_000
STATES = schema().enums["context_state"]
_STRUCTS = schema().structs
ROW_BYTES = _STRUCTS["row"].dtype.itemsize + 4 * (GROUPS + 3 + TAIL_GROUPS)
HEADER_BYTES, RANK_BYTES, BANK_BYTES = (_STRUCTS[name].dtype.itemsize for name in ("epoch", "rank", "bank"))
ACCESS_BYTES = 16  # of a DRAM whose commands are counted
PARTS = 2  # rows and ranks; with banks one more
PARAMETERS = {
    "version": 4,
    "page_shift": 12,
    "frames": FRAMES,
    "groups": GROUPS,
    "contexts": CONTEXTS,
    "pages": FRAMES,
    "recent_pages": 4,
    "queue_depth": 512,
    "ranks": 1,
    "epoch_least": CONTEXTS * (GROUPS + 3),
    "record_bytes": HEADER_BYTES + 8 * PARTS + CONTEXTS * ROW_BYTES,
    "page_bitmap": 0,
    "hot_pages": 0,
    "banks": 0,
    "access_bytes": 0,
    "first_page": 0x40000,
}
SETTINGS = {
    "abi": str(schema().constants["abi_version"]),
    "engine": "bucket_stack",
    "enable": "0",
    "epoch_length": "0",
    "epoch_unit": "accesses",
    "end_epoch": "",
    "clear": "",
    "arm": "",
    "freeze": "0",
    "single_shot": "0",
    "frozen": "0",
    "range_lower": "0",
    "range_upper": f"{FRAMES - 1}",
    "sampling": "0",
    "scale": "0",
    "invalidate": "",
    "epoch": "0",
    "split": "0",
}
DRAM = {"virtual": 0, "states": 0b11101, "chips": 1, "phases": 4, "part": "MT41K64M16"}
POLICY = {
    "kind": "none",
    "static_state": "power_down",
    "mrc_state": "self_refresh",
    "mrc_base": "none",
    "threshold_power_down": "0",
    "threshold_self_refresh": "0",
}
WORKING_SET = {"automatic": 0, "groups": GROUPS, "epsilon": 0}
FREE = ("free", 0, "")
_ORDER_TO_FOLLOW = re.compile(r"contexts/(\d+)/(pid|cgroup)$")


@dataclass
class Row:
    """The counters of a context in a record; `pages` are resident, evicted, refaults, unidentified."""

    misses: int = 0
    touched: int = 0
    hits: list[int] = field(default_factory=lambda: [0] * GROUPS)
    tail: list[int] = field(default_factory=lambda: [0] * TAIL_GROUPS)
    pages: tuple[int, int, int, int] = (0, 0, 0, 0)

    def members(self) -> dict[str, object]:
        """What its record has."""
        names = ("resident", "evicted", "refaults", "unidentified")
        accesses = self.misses + sum(self.hits)
        counted = {name: getattr(self, name) for name in ("misses", "touched", "hits", "tail")}
        return counted | {"accesses": accesses} | dict(zip(names, self.pages, strict=True))


def grown(payload: bytes) -> bytes:
    """The record of a later driver: header and items are longer, and there is another part."""
    header_bytes, parts = struct.unpack_from("<4xHH", payload)
    at, table, content = header_bytes + 8 * parts, [(99, 4, 1)], b"\xee" * 8
    for place in range(parts):
        kind, item_bytes, items = struct.unpack_from("<HHI", payload, header_bytes + 8 * place)
        longer = (
            payload[at + item_bytes * n : at + item_bytes * (n + 1)] + b"\xee" * 4 for n in range(items)
        )
        content += b"".join(longer)
        content += bytes(-len(content) % 8)
        table.append((kind, item_bytes + 4, items))
        at += -(-item_bytes * items // 8) * 8
    table = [*table[1:], table[0]]
    content = content[8:] + content[:8]
    head = payload[8:header_bytes] + b"\xee" * 8
    body = b"".join(struct.pack("<HHI", *part) for part in table) + content
    return struct.pack("<IHH", 8 + len(head) + len(body), 8 + len(head), len(table)) + head + body


class FakeDriver:
    """Files below `folder`; a context manager whose thread follows processes."""

    def __init__(
        self,
        folder: Path,
        name: str = "litemrc0",
        grown: bool = False,
        ranks: int = 0,
        banks: int = 0,
        pages: FakePages | None = None,
    ) -> None:
        """A driver with a rank power unit if `ranks` is not 0, and with files of single pages if given.

        With `banks` its gateware counts the DRAM's commands.

        name: of the device; grown: records have parts that are longer than known, as of a later driver.
        """
        self.pages = pages
        self.ranks: list[dict] = [
            {} for _ in range(ranks)
        ]  # members of struct litemrc_rank, of the next epochs
        # Members of struct litemrc_bank, of the next epochs.
        self.banks: list[dict[str, int]] = [{} for _ in range(banks)]
        self.sysfs = folder / "sys"
        self.monitor = self.sysfs / "class/misc" / name
        self.device = folder / name
        self._grown = grown
        self.cgroup = folder / "cgroup"
        self.orders_log = folder / "orders.log"
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._obeys = threading.Event()
        self._obeys.set()
        self._epoch = 0
        self._ended_ns = 0
        self._followed = [FREE] * CONTEXTS
        self._make_files()

    def _make_files(self) -> None:
        self.monitor.mkdir(parents=True)
        for name, text in SETTINGS.items():
            (self.monitor / name).write_text(f"{text}\n")
        bytes_ = PARAMETERS["record_bytes"] + len(self.ranks) * RANK_BYTES
        bytes_ += 8 + len(self.banks) * BANK_BYTES if self.banks else 0
        bytes_ += 200 if self._grown else 0
        parameters = PARAMETERS | {"record_bytes": bytes_, "ranks": len(self.ranks) or 1}
        if self.banks:
            parameters |= {"banks": len(self.banks), "access_bytes": ACCESS_BYTES}
        if self.pages:
            parameters |= self.pages.make_files(self.monitor)
        self._make_folder("parameters", parameters)
        for number in range(CONTEXTS):
            context = self.monitor / f"contexts/{number}"
            context.mkdir(parents=True)
            for name, text in (("state", "free\n"), ("pid", "0\n"), ("comm", "\n"), ("cgroup", "\n")):
                (context / name).write_text(text)
        if self.ranks:
            self._make_rank_files()
        version = self.sysfs / "module/litemrc/version"
        version.parent.mkdir(parents=True)
        version.write_text("1.2.3\n")
        clock = self.sysfs / "firmware/devicetree/base/cpus/cpu@0/clock-frequency"
        clock.parent.mkdir(parents=True)
        clock.write_bytes(struct.pack(">I", CLOCK_HZ))
        self.cgroup.mkdir()
        for name in ("procs", "threads", "subtree_control"):
            (self.cgroup / f"cgroup.{name}").touch()
        (self.cgroup.parent / "cgroup.subtree_control").touch()
        (self.cgroup / "memory.low").write_text("0\n")
        os.mkfifo(self.device)
        self._fifo = os.open(self.device, os.O_RDWR | os.O_NONBLOCK)
        fcntl.fcntl(self._fifo, fcntl.F_SETFL, os.O_NONBLOCK | os.O_DIRECT)  # a read is one record

    def _make_folder(self, name: str, values: dict[str, object]) -> None:
        (self.monitor / name).mkdir()
        for file, value in values.items():
            (self.monitor / name / file).write_text(f"{value}\n")

    def values(self, folder: str) -> dict[str, str]:
        """The texts of a folder of the monitor by their files."""
        return {
            file.name: file.read_text().strip()
            for file in (self.monitor / folder).glob("[!.]*")
            if file.suffix != ".error"
        }

    def _make_rank_files(self) -> None:
        self._make_folder("dram", {"ranks": len(self.ranks)} | DRAM)
        self._make_folder("working_set", WORKING_SET)
        self._make_folder("rank_policy", POLICY)
        for number in range(len(self.ranks)):
            rank = self.monitor / f"ranks/{number}"
            rank.mkdir(parents=True)
            (rank / "state").write_text("active\n")

    def __enter__(self) -> "FakeDriver":
        for file in self.sysfs.rglob("*"):
            if file.is_file():
                file.chmod(0o666)  # written by this process and by the daemon, as its user
        self.orders_log.touch(0o666)
        self._thread = threading.Thread(target=self._follow)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.unplug()

    def unplug(self) -> None:
        """The driver goes away: its device reads as ended."""
        if not self._ended.is_set():
            self._ended.set()
            self._thread.join()
            os.close(self._fifo)

    def read(self, name: str) -> str:
        """A file of the monitor, its newline stripped."""
        return (self.monitor / name).read_text().strip()

    def fail(self, name: str, error: int) -> None:
        """Make writes to a file of the monitor fail with an errno; 0: no longer."""
        (self.monitor / f"{name}.error").write_text(str(error))

    def finish_epoch(self, rows: dict[int, Row] | None = None, **header: int) -> int:
        """Hand out an epoch with these rows; returns its number."""
        with self._lock:
            return self._hand_out(rows or {}, header)

    def follow(self, context: int, state: str, pid: int = 0, comm: str = "") -> None:
        """A change by another program."""
        with self._lock:
            self._change(context, (state, pid, comm))

    @contextmanager
    def late(self) -> Iterator[None]:
        """Records tell of orders to follow only behind this block."""
        self._obeys.clear()
        yield
        self._obeys.set()

    def is_drained(self) -> bool:
        """Return whether the daemon has read all records."""
        return struct.unpack("i", fcntl.ioctl(self._fifo, termios.FIONREAD, b"\0" * 4))[0] == 0

    def hand_out_bytes(self, record: bytes) -> None:
        """Anything as a record."""
        self._write(record)

    def _write(self, record: bytes) -> None:
        """Write one record; the FIFO holds fewer than the driver's queue, so wait until the daemon reads."""
        deadline = Deadline(10)
        while not self._ended.is_set():
            try:
                os.write(self._fifo, record)
            except BlockingIOError:
                assert not deadline.passed, "the daemon reads no more records"
                time.sleep(0.001)
            else:
                return

    def _hand_out(self, rows: dict[int, Row], header: dict[str, int]) -> int:
        contexts = []
        for number, (state, pid, comm) in enumerate(self._followed):
            row = rows.get(number, Row())
            if state != "free" or row != Row():
                followed = {"context": number, "state": STATES[state], "pid": pid, "comm": comm.encode()}
                contexts.append(followed | row.members())
        end_ns = time.monotonic_ns()
        head = {"epoch": self._epoch, "begin_ns": self._ended_ns, "end_ns": end_ns} | header
        self._ended_ns = end_ns
        record = make_record(
            contexts,
            groups=GROUPS,
            tail_groups=TAIL_GROUPS,
            parts={"ranks": self.ranks} | ({"banks": self.banks} if self.banks else {}),
            **head,
        ).payload
        replace_text(self.monitor / "epoch", f"{self._epoch + 1}\n")
        if self.pages:
            self.pages.finish_epoch(self._epoch)
        self._write(grown(record) if self._grown else record)
        self._epoch += 1
        return self._epoch - 1

    def _change(self, context: int, followed: tuple[str, int, str], ordered: bool = False) -> None:
        """`ordered`: standin.c has written state and pid already, or newer ones."""
        self._followed[context] = followed
        for name, value in zip(("state", "pid", "comm"), followed, strict=True):
            file = f"contexts/{context}/{name}"
            if name == "comm" or not ordered:
                replace_text(self.monitor / file, f"{value}\n")
        state = followed[0]
        self._hand_out({context: Row(misses=context + 1, touched=1)} if state == "ended" else {}, {})

    def orders(self) -> list[tuple[str, int, str]]:
        """Every order the daemon gave so far: file (from here), errno, text."""
        return self._parse(self.orders_log.read_text())

    def _parse(self, log: str) -> list[tuple[str, int, str]]:
        whole = log[: log.rfind("\n") + 1]
        split = [line.split(" ", 2) for line in whole.splitlines()]
        return [(path.removeprefix(f"{self.orders_log.parent}/"), int(e), text) for path, e, text in split]

    def _follow(self) -> None:
        with self.orders_log.open() as log:
            rest = ""
            while not self._ended.wait(0.003):
                rest += log.read()
                for path, error, text in self._parse(rest):
                    match = _ORDER_TO_FOLLOW.search(path)
                    if match and not error:
                        self._obeys.wait()
                        with self._lock:
                            self._obey(int(match[1]), match[2], text)
                rest = rest[rest.rfind("\n") + 1 :]
                self._look_for_the_dead()

    def _look_for_the_dead(self) -> None:
        for context, (state, pid, comm) in enumerate(self._followed):
            if state == "following" and pid and not is_alive(pid):
                time.sleep(0.05)  # late, so that a daemon that does not wait for the record is detected
                self.follow(context, "ended", pid, comm)

    def _obey(self, context: int, file: str, text: str) -> None:
        if file == "cgroup":
            followed = ("following", 0, text.rpartition("/")[2])
        else:
            followed = ("following", int(text), comm_of(int(text))) if int(text) else FREE
        self._change(context, followed, ordered=True)


def replace_text(path: Path, text: str) -> None:
    """Replace the text of a file whose first line another process may be reading: it stays complete."""
    file = os.open(path, os.O_WRONLY)
    os.pwrite(file, text.encode(), 0)
    os.ftruncate(file, len(text.encode()))
    os.close(file)


def comm_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except (FileNotFoundError, ProcessLookupError):
        return "gone"


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False
