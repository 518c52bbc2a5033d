# SPDX-License-Identifier: BSD-2-Clause
"""Latency of /metrics and of live events while other readers have a server read its history.

Three processes: a device on a TCP port, the server with a history of many small files, and the readers. A
query of the whole history is asked again as soon as it is answered, or refused and its wait is over.

    python -m bench.serve_history --files 8000 --queries 0 4 20
"""

import argparse
import asyncio
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import Process, Queue
from pathlib import Path

import httpx
from litemrc.device.link.link import LinkCounts
from litemrc.epochs.columns import joined_rows
from litemrc.feed.history.history import History
from litemrc.feed.records import DeviceParameters, FeedEpoch
from litemrc.ranks.table import NO_RANKS

from tests.host.paced_device import FRAMES, GROUPS, PAGES, paced
from tests.host.synthetic_epochs import paced_row

EPOCH = re.compile(r'\{"device":"device","session":\d+,"number":\d+,"arrived":([\d.]+)')
CONTEXTS = 8
EPOCHS = 5  # of a file
ANSWER_S = 300


def write_history(folder: Path, files: int) -> None:
    """Write a history in which each session, of a few epochs, has a file of its own."""
    history = History(folder, "device", say=print)
    for session in range(files):
        begun = 1_790_000_000 + 10 * session
        history(
            DeviceParameters(
                session=begun * 1000,
                clock_hz=1_000_000,
                page_bytes=4096,
                frames=FRAMES,
                engine="bucket_stack",
                pages=PAGES,
                groups=GROUPS,
                contexts=CONTEXTS,
                recent_pages=4,
            )
        )
        for number in range(EPOCHS):
            rows = joined_rows([paced_row(number, context) for context in range(CONTEXTS)])
            names = {context: f"program {context}" for context in range(CONTEXTS)}
            arrived = begun + 0.05 * number
            counted = (rows, names, NO_RANKS, None, None, 0, LinkCounts())
            history(FeedEpoch(begun * 1000, number, arrived, *counted))
    history.close()


def device(urls: Queue, rate: float) -> None:
    """Serve a device until this process is ended."""
    with paced(rate=rate, contexts=CONTEXTS) as served:
        served.hot_on = True
        urls.put(served.url)
        time.sleep(3600)


@contextmanager
def server(port: str, folder: Path) -> Iterator[str]:
    """Run `litemrc serve` with a history; yield its URL."""
    command = [sys.executable, "-m", "litemrc.cli.main", "serve", "--listen", "127.0.0.1:0", "--port", port]
    process = subprocess.Popen([*command, "--history", str(folder)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        found = re.search(r"http://\S+?(?=/?\s)", process.stdout.readline())
        assert found
        yield found[0]
    finally:
        process.terminate()
        process.wait()


async def measure(url: str, queries: int, seconds: float) -> dict[str, float]:
    """Return latencies beside this many queries."""
    answers: Counter[int] = Counter()
    metrics: list[float] = []
    live: list[float] = []
    async with httpx.AsyncClient(
        base_url=url, timeout=ANSWER_S, limits=httpx.Limits(max_connections=None)
    ) as client:
        asking = [asyncio.create_task(_ask(client, answers)) for _ in range(queries)]
        reading = asyncio.create_task(_read_live(client, live))
        await asyncio.sleep(2)
        live.clear()
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline or not metrics:
            begun = time.monotonic()
            (await client.get("/metrics")).raise_for_status()
            metrics.append(time.monotonic() - begun)
            await asyncio.sleep(0.1)
        for task in (*asking, reading):
            task.cancel()
        await asyncio.gather(*asking, reading, return_exceptions=True)
    return {
        "queries": queries,
        "metrics": len(metrics),
        "metrics_median_ms": 1000 * statistics.median(metrics),
        "metrics_largest_ms": 1000 * max(metrics),
        "live": len(live),
        "live_median_ms": 1000 * statistics.median(live),
        "live_largest_ms": 1000 * max(live),
        "answered": answers[200],
        "refused": sum(answers.values()) - answers[200],
    }


async def _ask(client: httpx.AsyncClient, answers: Counter[int]) -> None:
    while True:
        answer = await client.get("/api/v1/devices/device/history", params={"start": 1_790_000_000})
        answers[answer.status_code] += 1
        if answer.status_code != 200:
            await asyncio.sleep(float(answer.headers.get("retry-after", 1)))


async def _read_live(client: httpx.AsyncClient, found: list[float]) -> None:
    async with client.stream("GET", "/api/v1/live") as answer:
        async for line in answer.aiter_lines():
            found += [time.time() - float(arrived) for arrived in EPOCH.findall(line)]


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(description="latency of a server whose history is read")
    parser.add_argument("--files", type=int, default=8000)
    parser.add_argument("--queries", type=int, nargs="+", default=[0, 4, 20])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--rate", type=float, default=5, help="epochs in a second")
    parser.add_argument("--history", type=Path, help="a folder; one that is there already is used as it is")
    parser.add_argument("--out", default="build/bench/serve_history.json")
    args = parser.parse_args()
    urls: Queue = Queue()
    board = Process(target=device, args=(urls, args.rate), daemon=True)
    board.start()
    found = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.history or Path(temporary) / "history"
        if not folder.exists():
            write_history(folder, args.files)
        with server(urls.get(), folder) as url:
            print(
                "| queries | /metrics median, ms | longest | live median, ms | longest | answered | refused |"
            )
            print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
            for queries in args.queries:
                each = asyncio.run(measure(url, queries, args.seconds))
                found.append(each)
                names = ("metrics_median_ms", "metrics_largest_ms", "live_median_ms", "live_largest_ms")
                figures = [f"{each[name]:.0f}" for name in names]
                print(
                    "|",
                    " | ".join([str(queries), *figures, f"{each['answered']} | {each['refused']} |"]),
                    flush=True,
                )
    board.terminate()
    Path(args.out).parent.mkdir(parents=True, exist_ok=True)
    Path(args.out).write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
