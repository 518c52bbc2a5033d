# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc demo linux`: boot Linux on the simulated SoC and collect the curves of concurrent programs."""

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from litemrc.cli.shared.arguments import add_out_argument, add_output_formats
from litemrc.cli.shared.device_options import (
    add_linux_build_arguments,
    add_linux_start_arguments,
    add_run_argument,
    end_on_sigterm,
)
from litemrc.cli.shared.messages import note
from litemrc.cli.shared.progress import counting
from litemrc.device.device import Device, system_text
from litemrc.device.running import Run
from litemrc.errors import UserError
from litemrc.extras import require

if TYPE_CHECKING:
    from litemrc.checks.following import FollowCheck, OwnershipCheck
    from litemrc.checks.page_tables import PageTableCheck, Snapshot
    from litemrc.cli.soc.demo_results import Results
    from litemrc.device.collecting.collector import Collector

TIMEOUT_S = (
    240.0  # for an answer; with programs running, the simulator is about 100 times slower than a board
)
CONSOLE_S = 60.0
# In the guest, of its page tables: at most 4 snapshots, and 100 ms between them, once all runs have begun.
READ_OWNERS = "wait; cat /tmp/owners"
OWNERS_S = 900.0
# About 4 million cycles; at a quarter of it the link fell far behind with the messages of four contexts.
EPOCH_ACCESSES = 1 << 18
WANTED = (("intr",), ("linear",), ("sort", "gzip"))  # of each group the first program that the device has


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc demo linux`."""
    add_linux_build_arguments(parser)
    add_linux_start_arguments(parser)
    add_out_argument(parser, "folder for the results", metavar="DIR", default=Path("build/linux-demo"))
    add_output_formats(parser)
    parser.add_argument(
        "--exact", action="store_true", help="also compare the curves with those of exact LRU stacks"
    )
    parser.add_argument(
        "--page-tables",
        action="store_true",
        help="compare the owners of frames with the guest's page tables; its kernel needs PROC_PAGE_MONITOR",
    )
    add_run_argument(
        parser, "run only this program (default: intr, linear and sort or gzip); all run concurrently"
    )


def main(args: argparse.Namespace) -> int:
    """Run `litemrc demo linux`."""
    # Imported here: numpy and pyarrow take long to load.
    from litemrc.cli.soc.demo_output import show
    from litemrc.cli.soc.demo_results import check, with_pages
    from litemrc.device.simulation.guest_shell import GuestShell
    from litemrc.device.simulation.linux_start import LinuxBuild

    require("plot")
    end_on_sigterm()
    runs = [Run.parse(text) for text in args.runs]
    began = time.monotonic()
    constants = json.loads((args.sim / "csr.json").read_text())["constants"]
    build = LinuxBuild(args.sim, args.shim, args.images)
    with build.simulator(
        args.out / "run", cold=args.cold, on_boot=note, boot_timeout_s=args.boot_timeout
    ) as simulator:
        simulator.wait_ready()
        note(f"the console of Linux is written to {simulator.console}")
        booted = Device.open_booting(simulator.url, boot_timeout_s=args.boot_timeout, timeout_s=TIMEOUT_S)
        with booted as device:
            hello = device.hello
            system = system_text(hello.system, hello.driver, hello.abi)
            note(f"{system}, ready in {time.monotonic() - began:.0f} s")
            shell = GuestShell(simulator, CONSOLE_S)
            runs = runs or wanted_runs(device)
            if args.page_tables:
                shell.run(start_owners(runs))
            collector = collect(device, runs, args.out, epoch_accesses(constants))
        owners = shell.run(READ_OWNERS, OWNERS_S) if args.page_tables else ""
        interrupts = ""
        with suppress(UserError):  # the curves do not need them
            interrupts = shell.run("cat /proc/interrupts")
    ended = time.monotonic()
    results = examine(check(args.out, simulator.record, hello, collector, exact=args.exact, late=True))
    if args.page_tables:
        (args.out / "page_owners.txt").write_text(owners)
        results = with_page_tables(results, owners)
    results = with_pages(results, args.out)
    name, harts = processor(constants)
    (args.out / "summary.json").write_text(json.dumps(summary(results, harts), indent=2) + "\n")
    texts = {"Console": simulator.console.read_text(errors="replace")}
    return show(
        args,
        results,
        title="LiteMRC: Linux",
        device=f"Verilated LiteX SoC: {name}, LiteDRAM, SDR SDRAM model; {system}",
        texts=texts | ({"/proc/interrupts": interrupts} if interrupts else {}),
        began=began,
        ended=ended,
    )


def wanted_runs(device: Device) -> list[Run]:
    """Return the programs of the demo, each in its own context.

    Raises
    ------
    UserError
        the device lacks one.
    """
    available = device.hello.workloads
    runs = []
    for context, names in enumerate(WANTED, start=1):
        name = next((name for name in names if name in available), None)
        if name is None:
            raise UserError(
                f"the device has no program {' or '.join(names)}",
                where=device.url,
                remedy=f"choose programs with --run; the device has: {', '.join(available) or 'none'}",
            )
        runs.append(Run(name, context))
    return runs


def start_owners(runs: Sequence[Run]) -> str:
    """Return the guest's command that prints page tables while these runs are followed."""
    return f"page_owners 4 100 {len(runs)} >/tmp/owners 2>&1 &"


def epoch_accesses(constants: Mapping[str, Any]) -> int:
    """Return the length of an epoch, of the constants of csr.json: twice that without an L2 cache."""
    return EPOCH_ACCESSES if "config_l2_size" in constants else 2 * EPOCH_ACCESSES


def collect(device: Device, runs: list[Run], out: Path, length: int = EPOCH_ACCESSES) -> "Collector":
    """Run programs concurrently, and collect all epochs from the monitor's start to its stop.

    Parameters
    ----------
    length
        of an epoch, in accesses.
    """
    from litemrc.cli.soc.demo_results import event_text, page_files
    from litemrc.device.collecting.collector import Collector

    files = page_files(out, device.hello)
    # The driver has enabled the monitor; no epoch ends by this. During the clear for hot pages an enabled one
    # could drop accesses, as its queue is shorter than that.
    device.request("monitor", on=False)
    with files.selected(device) as messages, counting("epochs", None) as show_progress:
        collector = Collector(device, messages=messages, traffic=True)
        device.request("set_epoch", unit="accesses", length=length)
        device.request("monitor", on=True)
        for message in collector.collect(runs=runs, together=True):
            files.take(collector)
            show_progress(collector.epochs, event_text(message, device.hello.workloads))
        for _ in collector.finish():
            files.take(collector)
            show_progress(collector.epochs, "")
    files.save(interrupted=False)
    return collector


def examine(results: "Results") -> "Results":
    """Check claims and frame ownership by recounting the record, without the golden model."""
    from litemrc.checks.following import check_following, check_ownership

    following = check_following(results.recording, results.table.processes)
    ownership = check_ownership(results.recording, results.table)
    wrong = list(results.wrong)
    if following.strangers:
        what = f"{following.strangers:,} claims or accesses for contexts that tracked no process"
        wrong.append(f"{what}; first: {following.first_stranger}")
    if ownership.difference:
        wrong.append(f"the device reports wrong owners of frames: {ownership.difference}")
    remarks = {
        **results.remarks,
        "contexts": _following_text(following),
        "ownership": _ownership_text(ownership),
    }
    return replace(results, remarks=remarks, wrong=wrong, misattributed=following.strangers)


def with_page_tables(results: "Results", text: str) -> "Results":
    """Compare owners with what `page_owners` printed: accesses charged elsewhere are misattributed."""
    from litemrc.checks.page_tables import check_page_tables, read_snapshots

    frames = results.table.frames
    snapshots = read_snapshots(text, frames)
    found = check_page_tables(results.recording, snapshots, frames)
    wrong = list(results.wrong)
    if not snapshots:
        wrong.append("page tables: no snapshot was made while the programs ran")
    if found.difference:
        wrong.append(
            f"page tables: {found.misattributed:,} accesses misattributed; first: {found.difference}"
        )
    remarks = {**results.remarks, "page tables": _page_tables_text(found, snapshots)}
    misattributed = results.misattributed + found.misattributed
    return replace(
        results, remarks=remarks, wrong=wrong, misattributed=misattributed, early_ends=2 * len(snapshots)
    )


def summary(results: "Results", harts: int) -> dict[str, int | bool]:
    """Return what summary.json holds."""
    return {
        "harts": harts,
        "counters_equal": results.comparison.equal,
        "misattributed": results.misattributed,
        "dropped": int(results.table.sum_of_epochs("dropped")),
    }


def processor(constants: Mapping[str, Any]) -> tuple[str, int]:
    """Return the processor's name and its number of harts, of the constants of csr.json."""
    names = {"rocket": "Rocket", "vexriscv_smp": "VexRiscv-SMP, two harts"}
    for processor, name in names.items():
        if f"config_cpu_type_{processor}" in constants:
            return name, int(constants["config_cpu_count"])
    return "VexRiscv, 8 KiB L2", 1


def _following_text(following: "FollowCheck") -> str:
    counts = [f"{process.label} {count:,}" for process, count in following.claims.items()]
    text = f"pages claimed for each process: {', '.join(counts) or 'none'}"
    return text + (f"; {following.late:,} just after a process ended" if following.late else "")


def _page_tables_text(found: "PageTableCheck", snapshots: "Sequence[Snapshot]") -> str:
    last = {process: count for each in snapshots for process, count in each.migrations.items()}
    return (
        f"{found.snapshots} snapshots; owners of {found.frames:,} frames compared, {found.followed:,} "
        f"of them of followed processes, {found.unknown:,} have no single owner; {found.misattributed:,} of "
        f"{found.accesses:,} accesses misattributed; processes changed harts {sum(last.values()):,} times"
    )


def _ownership_text(ownership: "OwnershipCheck") -> str:
    return (
        f"{ownership.compared:,} counts verified without the model; first touches: {ownership.fresh:,} of "
        f"unused frames, {ownership.reused:,} of frames that were freed and invalidated"
    )
