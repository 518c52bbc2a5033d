# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc linux`: Linux on the Verilated SoC, with its console on this terminal."""

import argparse
import os
import sys
import termios
import threading
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from litemrc.cli.shared.arguments import add_out_argument, positive, tcp_port
from litemrc.cli.shared.device_options import add_cold_argument, add_linux_build_arguments, end_on_sigterm
from litemrc.cli.shared.messages import note

if TYPE_CHECKING:
    from litemrc.device.simulation.simulator import Simulator


POLL_S = 0.05


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
    parser.add_argument(
        "--link-baud",
        metavar="N",
        type=positive,
        default=0,
        help="bits a second of the link, as on a board (none: a byte in each cycle)",
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
            args.out,
            link_port=args.link_port,
            link_baud=args.link_baud,
            cold=args.cold,
            on_boot=note,
            on_line=show,
        )
        with at_prompt as simulator:
            simulator.wait_ready()
            greeting = f"link: {simulator.url}\nconsole: {simulator.console}\nCtrl-C ends the simulation"
            return converse(simulator, greeting, skip_lines=shown)
    except KeyboardInterrupt:
        return 0


def converse(simulator: "Simulator", greeting: str, skip_lines: int = 0) -> int:
    """Connect this terminal to the console until the simulator ends, and return the simulator's exit code.

    `greeting` is printed on stderr as soon as keys reach the console. The first `skip_lines` are not shown.
    """
    done = threading.Event()
    with _unbuffered_keys(), simulator.console.open("rb") as console:
        while simulator.running and console.read().count(b"\n") < skip_lines:
            done.wait(POLL_S)
            console.seek(0)
        console.seek(0)
        for _ in range(skip_lines):
            console.readline()
        threading.Thread(target=_type, args=(simulator, done), daemon=True).start()
        print(greeting, file=sys.stderr, flush=True)
        try:
            while True:
                ended = not simulator.running
                _show(console.read())
                if ended:
                    return simulator.wait()
                done.wait(POLL_S)
        finally:
            done.set()


def _show(output: bytes) -> None:
    if output:
        sys.stdout.buffer.write(output)
        sys.stdout.buffer.flush()


def _type(simulator: "Simulator", done: threading.Event) -> None:
    """Forward stdin to the console until stdin ends."""
    while not done.is_set() and (typed := os.read(sys.stdin.fileno(), 1024)):
        try:
            simulator.type(typed)
        except BrokenPipeError:
            return


@contextmanager
def _unbuffered_keys() -> Iterator[None]:
    """Read keys one by one and without echo: Linux echoes them. Ctrl-C still interrupts this process."""
    if not sys.stdin.isatty():
        yield
        return
    fd = sys.stdin.fileno()
    before = termios.tcgetattr(fd)
    try:
        tty.setcbreak(fd)
        yield
    finally:
        termios.tcsetattr(fd, termios.TCSADRAIN, before)
