# SPDX-License-Identifier: BSD-2-Clause
"""Latency and processor time of `litemrc live`: 8 contexts, ranks, hot pages, heat map; 20 epochs a second.

The program runs on a pseudo-terminal in its own process, as over ssh; the device runs in this process.
Latency is from the arrival of an epoch's last message to the update of the screen that shows it. Processor
time is that of the whole process, with the link and its decoding. The last row is the feed alone.
"""

import argparse
import fcntl
import json
import os
import pty
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from pathlib import Path

from tests.host.paced_device import paced

SIZES = ((80, 24), (160, 48))
WARM_UP_S = 3


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rate", type=float, default=20, help="epochs in a second (%(default)g)")
    parser.add_argument("--seconds", type=float, default=20, help="of each measurement (%(default)g)")
    parser.add_argument("--child", nargs=2, metavar=("URL", "FILE"), help=argparse.SUPPRESS)
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        _child(*args.child, args.seconds, args.alone)
        return
    print(
        "| window | epochs | latency, ms: median | 99th percentile | longest | processor | terminal, KB/s |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for size in (*SIZES, None):
        print(_row(size, _measure(size, args)), flush=True)


def _row(size: tuple[int, int] | None, found: dict) -> str:
    if size is None:
        return f"| the feed alone | | | | | {found['processor']:.0%} | |"
    latencies = sorted(found["latencies"])
    ms = [1000 * each for each in (statistics.median(latencies), latencies[len(latencies) * 99 // 100])]
    return (
        f"| {size[0]}x{size[1]} | {len(latencies)} | {ms[0]:.0f} | {ms[1]:.0f} | {1000 * latencies[-1]:.0f} |"
        f" {found['processor']:.0%} | {found['bytes'] / found['wall_s'] / 1000:.0f} |"
    )


def _measure(size: tuple[int, int] | None, args: argparse.Namespace) -> dict:
    controller, terminal = pty.openpty()
    columns, lines = size or SIZES[0]
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    read = [0]

    def drain() -> None:
        try:
            while piece := os.read(controller, 65536):
                read[0] += len(piece)
        except OSError:  # the terminal is closed
            return

    threading.Thread(target=drain, daemon=True).start()
    with paced(rate=args.rate, hot_on=True) as device, tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "found.json"
        command = [sys.executable, __file__, "--seconds", str(args.seconds), "--child", device.url, str(out)]
        command += [] if size else ["--alone"]
        environment = os.environ | {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
        subprocess.run(command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment, check=True)
        os.close(terminal)
        return json.loads(out.read_text()) | {"bytes": read[0]}


def _child(url: str, out: str, seconds: float, alone: bool) -> None:
    """Run the program for some seconds, after a warm-up, and write what was measured."""
    from litemrc.feed.feed import Feed, FeedOptions
    from litemrc.live.app import LiveApp
    from litemrc.live.connection import Connection

    connection = Connection(url, Path(), lambda: Feed(url, FeedOptions(pages=True, hot=True, if_there=True)))
    connection.feed.start()
    if failure := connection.feed.wait(30):
        raise failure
    app = LiveApp(connection, 20)
    began = [0.0, 0.0]

    def begin() -> None:
        app.latencies.clear()
        began[:] = time.process_time(), time.monotonic()

    if alone:
        time.sleep(WARM_UP_S)
        begin()
        time.sleep(seconds)
    else:
        app.call_later(lambda: app.set_timer(WARM_UP_S, begin))
        app.call_later(lambda: app.set_timer(WARM_UP_S + seconds, app.exit))
        app.run()
    wall = time.monotonic() - began[1]
    processor = (time.process_time() - began[0]) / wall
    connection.feed.close()
    found = {"latencies": list(app.latencies), "processor": processor, "wall_s": wall}
    Path(out).write_text(json.dumps(found))


if __name__ == "__main__":
    main()
