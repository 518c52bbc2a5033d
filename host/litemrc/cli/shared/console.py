"""A simulator's console on this terminal, both ways."""

import os
import sys
import termios
import threading
import tty
from collections.abc import Iterator
from contextlib import contextmanager

from litemrc.device.simulation.simulator import Simulator

POLL_S = 0.05


def converse(simulator: Simulator, greeting: str) -> int:
    """Shows what the console says and types what is typed here, until the simulator ends; its exit code.

    `greeting` goes to stderr, once what is typed goes to the console.
    """
    done = threading.Event()
    with _each_key(), simulator.console.open("rb") as console:
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


def _show(said: bytes) -> None:
    if said:
        sys.stdout.buffer.write(said)
        sys.stdout.buffer.flush()


def _type(simulator: Simulator, done: threading.Event) -> None:
    """Passes on what comes from stdin, until that ends."""
    while not done.is_set() and (typed := os.read(sys.stdin.fileno(), 1024)):
        try:
            simulator.type(typed)
        except BrokenPipeError:
            return


@contextmanager
def _each_key() -> Iterator[None]:
    """A terminal hands on each key at once and unseen, as Linux echoes it; Ctrl-C stays ours."""
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
