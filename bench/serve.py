# SPDX-License-Identifier: BSD-2-Clause
"""Cost of `litemrc serve` for many readers of live events: processor time, epochs lost, latency.

Three processes: a device on a TCP port that ends epochs at a fixed rate, the server, and all readers. Latency
is from the arrival of an epoch at the server (its field `arrived`) to its line in a reader, on one clock.

    python -m bench.serve --readers 100 --rate 20 --contexts 8
"""

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from multiprocessing import Process, Queue
from pathlib import Path

from tests.host.paced_device import paced

EPOCH = re.compile(rb'\{"device":"device","session":\d+,"number":(\d+),"arrived":([\d.]+)')
STARTED_S = 60  # limit; a loaded machine imports slowly
WARM_S = 3
LATENCIES = ("p50_ms", "p99_ms", "largest_ms")


def device(urls: Queue, rate: float, contexts: int, seconds: float) -> None:
    """Serve a device for some time."""
    with paced(rate=rate, contexts=contexts) as served:
        served.hot_on = True
        urls.put(served.url)
        time.sleep(seconds)


class Readers:
    """Many readers in one process; what each received."""

    def __init__(self, port: int, window: int) -> None:
        self._port, self._window = port, window
        self._expected: dict[int, int] = {}
        self.counts: Counter[str] = Counter()
        self.latencies: list[float] = []

    async def run(self, readers: int, seconds: float, reads: Path) -> None:
        """Read; the first seconds, in which all connect, are not measured."""
        tasks = [asyncio.create_task(self._read(number)) for number in range(readers)]
        await asyncio.sleep(WARM_S)
        self.counts.clear()
        self.latencies.clear()
        reads.touch()
        await asyncio.sleep(seconds)
        for task in tasks:
            task.cancel()

    async def _read(self, number: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 22)
        path = f"/api/v1/live?window={self._window}"
        writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        while line := await reader.readline():
            now = time.time()
            if line.startswith(b"event: behind"):
                self.counts["behind"] += 1
            for epoch in EPOCH.finditer(line):
                self.latencies.append(now - float(epoch[2]))
                self.counts["epochs"] += 1
                expected = self._expected.get(number, int(epoch[1]))
                self.counts["lost"] += int(epoch[1]) - expected
                self._expected[number] = int(epoch[1]) + 1


def read(port: int, readers: int, window: int, seconds: float, reads: Path, results: Queue) -> None:
    """Read in this process, and return what came."""
    all_readers = Readers(port, window)
    asyncio.run(all_readers.run(readers, seconds, reads))
    latencies = sorted(all_readers.latencies)
    results.put(
        {
            **{name: all_readers.counts[name] for name in ("epochs", "lost", "behind")},
            "p50_ms": 1000 * latencies[len(latencies) // 2],
            "p99_ms": 1000 * latencies[len(latencies) * 99 // 100],
            "largest_ms": 1000 * latencies[-1],
        }
    )


def processor_s(pid: int) -> float:
    """Return user and system time of a process, in seconds (proc(5), stat)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_bytes(pid: int) -> int:
    """Return the resident memory of a process."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def measure(args: argparse.Namespace) -> dict[str, float]:
    """Return the figures of one run."""
    urls: Queue = Queue()
    results: Queue = Queue()
    lasting = args.seconds + WARM_S + STARTED_S
    board = Process(target=device, args=(urls, args.rate, args.contexts, lasting), daemon=True)
    board.start()
    reads = Path(args.out).with_suffix(".reads")
    reads.parent.mkdir(parents=True, exist_ok=True)
    reads.unlink(missing_ok=True)
    command = [
        sys.executable,
        "-m",
        "litemrc.cli.main",
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--port",
        urls.get(),
    ]
    server = subprocess.Popen([*command, *args.serve], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout
        port = int(server.stdout.readline().rstrip("/\n").rpartition(":")[2])
        reading = Process(
            target=read, args=(port, args.readers, args.window, args.seconds, reads, results), daemon=True
        )
        reading.start()
        while not reads.exists():
            time.sleep(0.01)
        begun, before = time.monotonic(), processor_s(server.pid)
        found = results.get(timeout=args.seconds + STARTED_S)
        wall = time.monotonic() - begun
        found["core_share"] = (processor_s(server.pid) - before) / wall
        found["resident_mb"] = resident_bytes(server.pid) / 1e6
        return found | {name: getattr(args, name) for name in ("readers", "rate", "contexts", "window")}
    finally:
        server.terminate()
        server.wait(10)
        board.terminate()
        reads.unlink(missing_ok=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--readers", type=int, default=100)
    parser.add_argument("--rate", type=float, default=20, help="epochs in a second")
    parser.add_argument("--contexts", type=int, default=8)
    parser.add_argument("--window", type=int, default=1, help="epochs of a curve")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--out", default="build/bench/serve.json")
    parser.add_argument("serve", nargs="*", help="more options of litemrc serve, behind --")
    args = parser.parse_args()
    found = measure(args)
    Path(args.out).write_text(json.dumps(found, indent=1) + "\n")
    print(f"readers {args.readers}, {args.rate:g} epochs/s, {args.contexts} contexts, window {args.window}")
    print(f"server        {found['core_share']:.1%} of a core, {found['resident_mb']:.0f} MB resident")
    print(f"epochs        {found['epochs']} received, {found['lost']} lost, {found['behind']} times behind")
    latency = ", ".join(f"{found[name]:.1f} ms {name.removesuffix('_ms')}" for name in LATENCIES)
    print(f"latency       {latency}")


if __name__ == "__main__":
    main()
