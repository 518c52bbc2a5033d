"""`litemrc simulate`: the Verilated SoC as a device that the other commands can talk to."""

import argparse
from pathlib import Path

from litemrc.cli.arguments import add_build_arguments, end_on_sigterm, tcp_port
from litemrc.device.simulator import Simulator


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc simulate`."""
    add_build_arguments(parser)
    parser.add_argument(
        "--out", type=Path, default=Path("build/run"), help="folder for console and record (%(default)s)"
    )
    parser.add_argument(
        "--link-port", metavar="N", type=tcp_port, default=0, help="TCP port of the link (any free one)"
    )
    parser.add_argument("--bootargs", default="", help="for the firmware, such as 'measure=1 monitor=0'")
    parser.epilog = "Then, elsewhere: litemrc device --port URL --timeout 60, or litemrc collect --port URL"


def main(args: argparse.Namespace) -> int:
    """Run `litemrc simulate`, until Ctrl-C."""
    end_on_sigterm()
    with Simulator(args.sim, args.firmware, args.out, args.bootargs, args.link_port) as simulator:
        simulator.wait_ready()
        print(f"link: {simulator.url}\nconsole: {simulator.console}\nCtrl-C ends it", flush=True)
        try:
            return simulator.wait()
        except KeyboardInterrupt:
            return 0
