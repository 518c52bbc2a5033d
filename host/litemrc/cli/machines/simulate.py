"""`litemrc simulate`: the Verilated SoC as a device for the other commands, or a machine that runs traces."""

import argparse
from importlib import import_module
from pathlib import Path

from litemrc.cli.shared.arguments import add_build_arguments, end_on_sigterm, tcp_port
from litemrc.device.simulation.simulator import Simulator

# Machines by name: module and one line of help.
MACHINES: dict[str, tuple[str, str]] = {
    "mm": ("litemrc.cli.machines.mm", "run processes that share a memory under several memory policies"),
    "energy": ("litemrc.cli.machines.energy", "energy and delay of a trace whose memory chips sleep"),
    "numa": (
        "litemrc.cli.machines.numa",
        "processors that share memory, replicating pages by reference counters",
    ),
    "placement": ("litemrc.cli.machines.placement", "which banks page allocators leave unused, to sleep"),
    "trays": ("litemrc.cli.machines.trays", "power of programs whose memory is organised by ranks"),
}


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
    parser.set_defaults(machine=_run_soc)
    parser.epilog = "Then, elsewhere: litemrc device --port URL --timeout 60, or litemrc collect --port URL"
    machines = parser.add_subparsers(title="machines that run traces, instead of the SoC", metavar="MACHINE")
    for name, (module, purpose) in MACHINES.items():
        machine = machines.add_parser(name, help=purpose, description=purpose, allow_abbrev=False)
        import_module(module).set_argparser(machine)
        machine.set_defaults(machine=import_module(module).main)


def main(args: argparse.Namespace) -> int:
    """Run `litemrc simulate`."""
    return args.machine(args)


def _run_soc(args: argparse.Namespace) -> int:
    """The SoC, until Ctrl-C."""
    end_on_sigterm()
    with Simulator(args.sim, args.firmware, args.out, args.bootargs, args.link_port) as simulator:
        simulator.wait_ready()
        print(f"link: {simulator.url}\nconsole: {simulator.console}\nCtrl-C ends it", flush=True)
        try:
            return simulator.wait()
        except KeyboardInterrupt:
            return 0
