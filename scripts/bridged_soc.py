# SPDX-License-Identifier: BSD-2-Clause
"""Runs the simulated SoC without a processor and LiteX's own server in front of it, and starts its DRAM.

    python -m scripts.bridged_soc                build/sim-bridge (make sim-bridge), until Ctrl-C

It prints the URL for `litemrc --port`. docs/bridges.md shows its use. Exit code 2: it cannot be started.
"""

import argparse
import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from litemrc.cli.shared.device_options import end_on_sigterm
from litemrc.device.bridge.client import BridgeClient
from litemrc.device.bridge.csr_file import read_csr_file
from litemrc.device.bridge.layout import BridgeURL
from litemrc.device.simulation.simulator import Simulator
from litemrc.errors import UserError

LIMIT_S = 60.0
SLOWEST_HZ = 50_000  # of a simulation on a busy machine


@dataclass
class Bridged:
    """A running SoC behind a `litex_server`.

    Attributes
    ----------
    url
        of the device.
    words
        reads and writes its bus, beside the device.
    """

    simulator: Simulator
    server: subprocess.Popen[bytes]
    url: str
    words: BridgeClient

    def address(self, register: str) -> int:
        """Return the address of a register."""
        return read_csr_file(BridgeURL.parse(self.url).csr).registers[register][0]

    def write(self, register: str, word: int) -> None:
        """Write a register."""
        self.words.write(self.address(register), word)


def start_dram(words: BridgeClient, build: Path) -> None:
    """Make the writes that a SoC with a processor leaves to liblitedram."""
    registers = read_csr_file(build / "csr.json").registers
    for register, word, cycles in json.loads((build / "dram_init.json").read_text()):
        address, _ = registers[register]
        words.write(address, word)
        while words.read(address, 1) != [word] and not register.endswith("_issue"):
            words.write(address, word)  # Etherbone's packets can be lost
        time.sleep(cycles / SLOWEST_HZ)


def free_port(port: int = 0) -> int:
    """Return the TCP port; of 0 any free one.

    Raises
    ------
    UserError
        it is in use, or no port.
    """
    try:
        with socket.socket() as free:
            free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as litex_server does
            free.bind(("127.0.0.1", port))
            return int(free.getsockname()[1])
    except (OSError, OverflowError) as error:
        what, remedy = f"litex_server cannot listen there: {error}", "name another with --port"
        raise UserError(what, where=f"port {port}", remedy=remedy) from error


@contextmanager
def litex_server(
    log: Path, *options: str, port: int = 0, limit_s: float = LIMIT_S
) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Run `litex_server`; yields the process and its TCP port, of 0 any free one.

    Raises
    ------
    UserError
        it does not listen within the limit.
    """
    port = free_port(port)
    command = [sys.executable, "-m", "litex.tools.litex_server", *options, "--bind-port", str(port)]
    with log.open("wb") as output, subprocess.Popen(command, stdout=output, stderr=output) as server:
        try:
            deadline = time.monotonic() + limit_s
            while not _listens(port):
                if server.poll() is not None or time.monotonic() > deadline:
                    raise UserError("litex_server does not listen", where=str(log), remedy="read its output")
                time.sleep(0.1)
            yield server, port
        finally:
            server.kill()


def _listens(port: int) -> bool:
    # Not by a connection, which would take one of the server's four threads.
    listening = f"0100007F:{port:04X} 00000000:0000 0A"
    return listening in Path("/proc/net/tcp").read_text()


@contextmanager
def bridged(build: Path, run_dir: Path, port: int = 0, limit_s: float = LIMIT_S) -> Iterator[Bridged]:
    """Run a SoC of `sim_bridge.py` with UARTBone, and start its DRAM.

    Raises
    ------
    UserError
        the simulator or the server cannot be started.
    """
    port = free_port(port)  # before the folder of a SoC that runs there is used
    with Simulator(build, None, run_dir) as simulator:
        uart = ("--uart", "--uart-port", simulator.wait_ready(limit_s).url)
        with litex_server(run_dir / "server.log", *uart, port=port, limit_s=limit_s) as (server, port):
            url = f"litex://localhost:{port}?csr={build / 'csr.json'}"
            where = BridgeURL.parse(url)
            words = BridgeClient(url, where, read_csr_file(where.csr), limit_s)
            try:
                found = Bridged(simulator, server, url, words)
                start_dram(words, build)
                yield found
            finally:
                words.close()


def main() -> int:
    """Run the SoC until Ctrl-C."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sim", type=Path, default=Path("build/sim-bridge"), help="simulator (%(default)s)")
    parser.add_argument(
        "--out", type=Path, default=Path("build/run-bridge"), help="folder for its record (%(default)s)"
    )
    parser.add_argument("--port", type=int, default=1234, help="of litex_server (%(default)s)")
    args = parser.parse_args()
    end_on_sigterm()
    try:
        if not (args.sim / "dram_init.json").exists():
            raise UserError(
                "there is no SoC without a processor", where=str(args.sim), remedy="run: make sim-bridge"
            )
        with bridged(args.sim, args.out, args.port) as soc:
            print(soc.url, flush=True)
            signal.pause()
    except KeyboardInterrupt:
        return 130
    except UserError as error:
        print(f"bridged_soc.py: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
