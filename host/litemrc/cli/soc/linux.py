"""`litemrc linux`: Linux on the Verilated SoC, with its console on this terminal."""

import argparse
from pathlib import Path

from litemrc.cli.shared.arguments import tcp_port
from litemrc.cli.shared.console import converse
from litemrc.cli.shared.device_options import add_linux_build_arguments, end_on_sigterm
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
    parser.epilog = "`poweroff -f` in Linux or Ctrl-C here ends the simulation."


def main(args: argparse.Namespace) -> int:
    """Run `litemrc linux` until Linux powers off or Ctrl-C."""
    # Imported here: numpy takes long to load.
    from litemrc.device.simulation.linux_images import linux_images
    from litemrc.device.simulation.simulator import Simulator

    end_on_sigterm()
    images = linux_images(args.images)
    with Simulator(args.sim, args.shim, args.out, link_port=args.link_port, images=images) as simulator:
        simulator.wait_ready()
        greeting = f"link: {simulator.url}\nconsole: {simulator.console}\nCtrl-C ends the simulation"
        try:
            return converse(simulator, greeting)
        except KeyboardInterrupt:
            return 0
