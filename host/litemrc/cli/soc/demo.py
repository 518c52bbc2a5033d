# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc demo soc`: boot the simulated SoC, collect the curves of its programs and verify every counter."""

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from litemrc.cli.shared.arguments import add_out_argument, add_output_formats
from litemrc.cli.shared.device_options import add_build_arguments, add_run_argument, end_on_sigterm
from litemrc.cli.shared.progress import counting
from litemrc.device.device import Device
from litemrc.device.running import Run
from litemrc.extras import require

if TYPE_CHECKING:
    from litemrc.device.collecting.collector import Collector

TIMEOUT_S = 60.0  # for an answer; the simulator is about 50 times slower than a board
EPOCH_ACCESSES = 1 << 14
PROGRAMS = (
    "zipf",
    "loop",
    "phases",
    "chase",
    "matmul",
)  # run in turn; `pair` is for `litemrc govern`


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc demo soc`."""
    add_build_arguments(parser)
    add_out_argument(parser, "folder for the results", metavar="DIR", default=Path("build/demo"))
    add_output_formats(parser)
    add_run_argument(parser, "run only this program (default: five programs, each in its own context)")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc demo soc`."""
    # Imported here: numpy and pyarrow take long to load.
    from litemrc.cli.soc.demo_output import show
    from litemrc.cli.soc.demo_results import check, with_pages
    from litemrc.device.bridge.csr_file import read_csr_file
    from litemrc.device.simulation.simulator import Simulator

    require("plot")
    end_on_sigterm()
    runs = [Run.parse(text) for text in args.runs]
    began = time.monotonic()
    with Simulator(args.sim, args.firmware, args.out / "run") as simulator:
        simulator.wait_ready()
        with Device(simulator.url, timeout_s=TIMEOUT_S) as device:
            hello = device.hello
            collector = _collect(device, runs, args.out)
    ended = time.monotonic()
    results = with_pages(check(args.out, simulator.record, hello, collector), args.out)
    # LiteX writes constants in lower case.
    hls = read_csr_file(args.sim / "csr.json").constants.get("mrc_hls")
    return show(
        args,
        replace(results, hls=hls and hls[0].upper() + hls[1:]),
        title="LiteMRC demo",
        device="Verilated LiteX SoC: VexRiscv, 8 KiB L2, LiteDRAM, SDR SDRAM model",
        texts={},
        began=began,
        ended=ended,
    )


def _collect(device: Device, runs: list[Run], out: Path) -> "Collector":
    from litemrc.cli.soc.demo_results import event_text, page_files
    from litemrc.device.collecting.collector import Collector

    runs = runs or [Run(name) for name in PROGRAMS]
    device.request("set_epoch", unit="accesses", length=EPOCH_ACCESSES)
    files = page_files(out, device.hello)
    with files.selected(device) as messages, counting("programs", len(runs)) as show_progress:
        collector = Collector(device, messages=messages, traffic=True)
        for message in collector.collect(runs=runs):
            files.take(collector)
            show_progress(len(collector.cycles), event_text(message, device.hello.workloads))
    # The record must not hold accesses after the last epoch.
    device.request("monitor", on=False)
    files.save(interrupted=False)
    return collector
