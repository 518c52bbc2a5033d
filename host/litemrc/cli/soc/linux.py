"""`litemrc linux`: Linux on the Verilated SoC, with its console on this terminal."""

import argparse
from pathlib import Path

from litemrc.cli.shared.arguments import tcp_port
from litemrc.cli.shared.console import converse
from litemrc.cli.shared.device_options import add_cold_argument, add_linux_build_arguments, end_on_sigterm
from litemrc.cli.shared.messages import note
from litemrc.cli.shared.options import add_out_argument


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc linux`."""
    parser.add_argument(
        "images",
        metavar="DIR",
        type=Path,
        nargs="?",
        default=Path("build/linux"),
        help="folder of kernel, device tree and initramfs (%(default)s)",
    )
    add_linux_build_arguments(parser)
    add_out_argument(parser, "folder for console and record", metavar="DIR", default=Path("build/run-linux"))
    parser.add_argument(
        "--link-port", metavar="N", type=tcp_port, default=0, help="TCP port of the link (any free port)"
    )
    add_cold_argument(parser)
    parser.epilog = "`poweroff -f` in Linux or Ctrl-C here ends the simulation."


def main(args: argparse.Namespace) -> int:
    """Run `litemrc linux` until Linux powers off or Ctrl-C."""
    # Imported here: numpy takes long to load.
    from litemrc.device.simulation.linux_start import LinuxBuild

    end_on_sigterm()
    shown = 0

    def show(line: str) -> None:
        nonlocal shown
        shown += 1
        print(line, end="", flush=True)

    try:
        at_prompt = LinuxBuild(args.sim, args.shim, args.images).simulator(
            args.out, link_port=args.link_port, cold=args.cold, on_boot=note, on_line=show
        )
        with at_prompt as simulator:
            simulator.wait_ready()
            greeting = f"link: {simulator.url}\nconsole: {simulator.console}\nCtrl-C ends the simulation"
            return converse(simulator, greeting, skip_lines=shown)
    except KeyboardInterrupt:
        return 0
