"""`litemrc simulate`: the Verilated SoC as a device for the other commands, or a trace-driven machine."""

import argparse
from pathlib import Path

from litemrc.cli.shared.arguments import add_build_arguments, end_on_sigterm, tcp_port
from litemrc.cli.shared.commands import add_commands

MACHINES = {
    "mm": ("machines.mm", "processes that share a memory under several memory policies"),
    "energy": ("machines.energy", "energy and delay of a trace on memory chips with low-power states"),
    "numa": ("machines.numa", "processors that share memory, with pages replicated by reference counters"),
    "placement": ("machines.placement", "the memory banks that page allocators leave empty and offline"),
    "trays": ("machines.trays", "power of programs on a memory organized by ranks"),
}


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc simulate`."""
    add_build_arguments(parser)
    parser.add_argument(
        "--out", type=Path, default=Path("build/run"), help="folder for console and record (%(default)s)"
    )
    parser.add_argument(
        "--link-port", metavar="N", type=tcp_port, default=0, help="TCP port of the link (any free port)"
    )
    parser.add_argument(
        "--bootargs", default="", help="boot arguments of the firmware, such as 'measure=1 monitor=0'"
    )
    parser.epilog = (
        "Next, in another terminal: litemrc device --port URL --timeout 60, or litemrc collect --port URL"
    )
    add_commands(parser, MACHINES, title="trace-driven machines", metavar="MACHINE")


def main(args: argparse.Namespace) -> int:
    """Run the SoC until Ctrl-C."""
    from litemrc.device.simulation.simulator import Simulator

    end_on_sigterm()
    with Simulator(args.sim, args.firmware, args.out, args.bootargs, args.link_port) as simulator:
        simulator.wait_ready()
        print(f"link: {simulator.url}\nconsole: {simulator.console}\nCtrl-C ends the simulation", flush=True)
        try:
            return simulator.wait()
        except KeyboardInterrupt:
            return 0
