# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc demo ranks`: ranks of DDR3 that hold no page of the working set sleep; verify their energy.

The reference is a record of all commands on the DRAM bus, counted by the golden model.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from litemrc.cli.shared.arguments import RANK_POLICIES, add_out_argument, add_output_formats
from litemrc.cli.shared.device_options import add_run_argument, end_on_sigterm
from litemrc.cli.shared.progress import counting
from litemrc.device import rank_commands
from litemrc.device.device import Device
from litemrc.device.running import Run
from litemrc.extras import require

if TYPE_CHECKING:
    from litemrc.device.collecting.collector import Collector

TIMEOUT_S = 120.0  # for an answer; the simulator is about 500 times slower than a board
EPOCH_CYCLES = 1 << 18
EPSILON = 0.01
# The programs run in turn, each in its own rank and all in one context: the pages of earlier programs sink in
# the shared stack, as in the system-wide stack of zhou2004, section 5.
PROGRAMS = ("zipf", "loop", "phases", "chase")
CONTEXT = 1


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc demo ranks`."""
    parser.add_argument("--sim", type=Path, default=Path("build/sim-ranks"), help="simulator (%(default)s)")
    parser.add_argument(
        "--firmware",
        type=Path,
        default=Path("build/firmware-ranks/firmware.bin"),
        help="ROM image (%(default)s)",
    )
    add_out_argument(parser, "folder for the results", metavar="DIR", default=Path("build/ranks-demo"))
    add_output_formats(parser)
    parser.add_argument("--policy", choices=RANK_POLICIES, default="mrc", help="rank policy (%(default)s)")
    add_run_argument(parser, f"run only this program (default: {', '.join(PROGRAMS)}, in context {CONTEXT})")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc demo ranks`."""
    # Imported here: numpy, pyarrow and matplotlib take long to load.
    from litemrc.cli.soc.demo_output import show
    from litemrc.cli.soc.demo_results import check
    from litemrc.cli.soc.ranks_results import check_ranks
    from litemrc.device.simulation.simulator import Simulator
    from litemrc.plots.files import save_figure
    from litemrc.plots.rank_timeline import ranks_figure
    from litemrc.ranks.files import write_ranks

    require("plot")
    end_on_sigterm()
    runs = [Run.parse(text) for text in args.runs] or [Run(name, CONTEXT) for name in PROGRAMS]
    began = time.monotonic()
    with Simulator(args.sim, args.firmware, args.out / "run") as simulator:
        simulator.wait_ready()
        with Device.open_booting(simulator.url, boot_timeout_s=TIMEOUT_S, timeout_s=TIMEOUT_S) as device:
            hello, dram = device.hello, rank_commands.get_dram(device)
            collector = collect(device, dram, runs, args.policy)
            table = dram.table(collector.ranks or [], device.hello.clock_hz)
    ended = time.monotonic()
    write_ranks(args.out / "ranks.parquet", table)
    found = check_ranks(simulator.run_dir, table)
    results = replace(
        check(args.out, simulator.record, hello, collector, late=True),
        remarks=found.remarks,
        wrong=found.wrong,
    )
    code = show(
        args,
        results,
        title="LiteMRC: ranks",
        device=f"Verilated LiteX SoC: VexRiscv, 8 KiB L2, LiteDRAM, {dram.ranks} ranks of {dram.part}",
        texts={},
        began=began,
        ended=ended,
        ranks=(table, found.report),
    )
    save_figure(ranks_figure(table, found.report), args.out / "ranks.png")
    if not (args.json or args.csv):
        print(f"timeline: {args.out / 'ranks.png'}", flush=True)
    return code


def collect(device: Device, dram: rank_commands.Dram, runs: Sequence[Run], policy: str) -> "Collector":
    """Run programs under a policy, and collect the curves and ranks of all epochs."""
    from litemrc.cli.soc.demo_results import event_text
    from litemrc.device.collecting.collector import Collector

    size = rank_commands.WorkingSetSize(automatic=True, groups=device.hello.groups, epsilon=EPSILON)
    rank_commands.set_working_set(device, size)
    in_force = rank_commands.get_policy(device)
    rank_commands.set_policy(
        device,
        replace(in_force, policy=policy, threshold_power_down=50, threshold_self_refresh=20_000),
    )
    device.request("set_epoch", unit="cycles", length=EPOCH_CYCLES)
    # The epoch since boot is not collected: software drove the DRAM in it.
    device.request("end_epoch")
    while (message := device.receive(device.timeout_s)) and message.name != "epoch":
        pass
    collector = Collector(device, dram)
    with counting("programs", len(runs)) as show_progress:
        for message in collector.collect(runs=runs):
            show_progress(len(collector.cycles), event_text(message, device.hello.workloads))
        for _ in collector.finish():
            pass
    return collector
