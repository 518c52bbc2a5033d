"""The console of a simulator on this terminal."""

import os
import sys
import termios
import threading
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from litemrc.device.simulation.simulator import Simulator

POLL_S = 0.05


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
