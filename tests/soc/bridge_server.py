"""Starts the SoC without a processor, and LiteX's own server in front of it."""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from litemrc.device.bridge.client import BridgeClient
from litemrc.device.bridge.csr_file import read_csr_file
from litemrc.device.bridge.url import BridgeURL
from litemrc.device.simulation.simulator import Simulator
from patience import patience

ROOT = Path(__file__).resolve().parents[2]
SLOWEST_HZ = 50_000  # of a simulation on a busy machine


@dataclass
class Bridged:
    """A running SoC behind a `litex_server`.

    Attributes:
        url: of the device.
        words: reads and writes its bus, beside the device.
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


@contextmanager
def litex_server(log: Path, *options: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Run `litex_server`; yields the process and its TCP port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "litex.tools.litex_server", *options, "--bind-port", str(port)]
    with log.open("wb") as output, subprocess.Popen(command, stdout=output, stderr=output) as server:
        try:
            deadline = time.monotonic() + patience(30)
            while not _listens(port):
                assert server.poll() is None and time.monotonic() < deadline, log.read_text()
                time.sleep(0.1)
            yield server, port
        finally:
            server.kill()


def _listens(port: int) -> bool:
    # Not by a connection, which would take one of the server's four threads.
    listening = f"0100007F:{port:04X} 00000000:0000 0A"
    return listening in Path("/proc/net/tcp").read_text()


@contextmanager
def bridged(build: Path, run_dir: Path) -> Iterator[Bridged]:
    """Run a SoC of `sim_bridge.py` with UARTBone, and start its DRAM."""
    with Simulator(build, None, run_dir) as simulator:
        link = simulator.wait_ready(patience(30)).url
        with litex_server(run_dir / "server.log", "--uart", "--uart-port", link) as (server, port):
            url = f"litex://localhost:{port}?csr={build / 'csr.json'}"
            where = BridgeURL.parse(url)
            words = BridgeClient(url, where, read_csr_file(where.csr), patience(60))
            try:
                found = Bridged(simulator, server, url, words)
                start_dram(words, build)
                yield found
            finally:
                words.close()
