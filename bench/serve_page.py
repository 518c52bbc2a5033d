# SPDX-License-Identifier: BSD-2-Clause
"""Time from an epoch's arrival at the server to its values in the page: `python -m bench.serve_page`.

A device on a TCP port ends 20 epochs a second in 8 contexts, `litemrc serve` reads it, and Debian's headless
chromium shows it; all on this machine, so that they share a clock. Measured is, for every epoch that arrived,
the time until the table of contexts, and the chart of the curves, first show it or a later one.

    python -m bench.serve_page
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np

from tests.host.paced_device import paced
from tests.host.serve.page_browser import chromium, expect, opened, served

GOAL_MS = 200
WATCH = """
() => {
  window.seen = {"#contexts tbody": [], "#curves .chart": []};
  window.frames = [];
  for (const [place, times] of Object.entries(window.seen)) {
    const element = document.querySelector(place);
    const now = () => (performance.timeOrigin + performance.now()) / 1000;
    new MutationObserver(() => times.push([Number(element.dataset.arrived), now()]))
      .observe(element, {attributeFilter: ["data-arrived"]});
  }
  let before = performance.now();
  const frame = now => { window.frames.push(now - before); before = now; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--seconds", type=int, default=50, help="at most 60 (%(default)s)")
    parser.add_argument("--rate", type=float, default=20, help="epochs in a second (%(default)s)")
    parser.add_argument("--contexts", type=int, default=8, help="(%(default)s)")
    parser.add_argument(
        "--out", type=Path, default=Path("build/bench/serve_page.json"), help="all figures (%(default)s)"
    )
    args = parser.parse_args()
    figures = measure(args.seconds, args.rate, args.contexts)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(json.dumps(figures, indent=2) + "\n")
    print("| what is in the page | epochs | median, ms | 99 %, ms | longest, ms | below 200 ms |")
    print("| --- | ---: | ---: | ---: | ---: | --- |")
    for name, times in figures["latency"].items():
        met = "yes" if times["p99_ms"] < GOAL_MS else "no"
        shown = " | ".join(f"{times[each]:.0f}" for each in ("median_ms", "p99_ms", "longest_ms"))
        print(f"| {name} | {times['epochs']} | {shown} | {met} |")
    print(f"frames: median {figures['frame_median_ms']:.1f} ms, 99 % {figures['frame_p99_ms']:.1f} ms")


def measure(seconds: int, rate: float, contexts: int) -> dict:
    """Return latencies and lengths of frames, in ms."""
    with (
        paced(contexts=contexts, rate=rate, hot_sent=True) as device,
        chromium() as browser,
        served({"a": device}) as server,
        opened(browser, server) as page,
    ):
        device.hot_on = True
        expect(page, "document.querySelector('#contexts tbody').dataset.arrived", 30)
        time.sleep(3)
        page.evaluate(WATCH)
        time.sleep(seconds)
        seen, frames = page.evaluate("[window.seen, window.frames]")
        answer = page.evaluate("fetch('/api/v1/devices/a/epochs?last=1000').then(answer => answer.json())")
    arrived = np.array([epoch["arrived"] for epoch in answer["epochs"]])
    latency = {
        "table of contexts": _latency(arrived, seen["#contexts tbody"]),
        "chart of the curves": _latency(arrived, seen["#curves .chart"]),
    }
    return {
        "rate": rate,
        "contexts": contexts,
        "latency": latency,
        "frame_median_ms": float(np.median(frames)),
        "frame_p99_ms": float(np.percentile(frames, 99)),
    }


def _latency(arrived: np.ndarray, seen: list[list[float]]) -> dict[str, float]:
    """Return the times from arrivals between the first and last that were seen, to when they were."""
    shown, at = np.array(seen).T
    of = arrived[(arrived > shown[0]) & (arrived <= shown[-1])]
    times = 1000 * (at[np.searchsorted(shown, of)] - of)
    return {
        "epochs": int(of.size),
        "median_ms": float(np.median(times)),
        "p99_ms": float(np.percentile(times, 99)),
        "longest_ms": float(times.max()),
    }


if __name__ == "__main__":
    main()
