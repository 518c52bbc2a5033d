# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc soc`: the Verilated SoC as a device for the other commands."""

import argparse
import json
from pathlib import Path

from litemrc.cli.shared.arguments import add_out_argument, add_output_formats, tcp_port
from litemrc.cli.shared.device_options import add_build_arguments, end_on_sigterm
from litemrc.cli.shared.messages import note


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc soc`."""
    add_build_arguments(parser)
    add_out_argument(parser, "folder for console and record", metavar="DIR", default=Path("build/run"))
    parser.add_argument(
        "--link-port", metavar="N", type=tcp_port, default=0, help="TCP port of the link (any free port)"
    )
    parser.add_argument(
        "--bootargs", default="", help="boot arguments of the firmware, such as 'measure=1 monitor=0'"
    )
    add_output_formats(parser, csv=False)
    parser.epilog = (
        "Next, in another terminal: litemrc device --port URL --timeout 60, or litemrc collect --port URL"
    )


def main(args: argparse.Namespace) -> int:
    """Run the SoC until Ctrl-C."""
    from litemrc.device.simulation.simulator import Simulator

    end_on_sigterm()
    with Simulator(args.sim, args.firmware, args.out, args.bootargs, args.link_port) as simulator:
        simulator.wait_ready()
        if args.json:
            print(json.dumps({"link": simulator.url, "console": str(simulator.console)}), flush=True)
        else:
            print(f"link: {simulator.url}\nconsole: {simulator.console}", flush=True)
        note("Ctrl-C ends the simulation")
        try:
            return simulator.wait()
        except KeyboardInterrupt:
            return 0
