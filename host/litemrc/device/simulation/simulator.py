# SPDX-License-Identifier: BSD-2-Clause
"""The Verilated SoC as a device: starts it in a separate folder and reports the address of its link."""

import json
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from litemrc.device.simulation.dram_files import DRAMLayout, Image, ModuleDRAM, bank_texts, dram_of, offsets
from litemrc.errors import UserError

ROM_INIT = "sim_rom.init"
CONFIG = "sim_config.js"
PORT_FILE = "link.port"
BITS_PER_BYTE = 10  # of a UART: start, data, stop
DRAM = "dram.json"
DESCRIPTION = "csr.json"
WORD_BYTES = 4  # of a ROM, unless the description says otherwise
STATE_FILE = "snapshot.state"  # of litemrc_soc/simulation/snapshot.cpp
PROFILE_FILE = "profile.txt"  # of litemrc_soc/simulation/profile.cpp
SAVE_S = 60.0


class Simulator:
    """A running simulator; a context manager that ends it.

    Parameters
    ----------
    build : Path
        folder made by ``litemrc_soc/sim.py``.
    firmware : Path or None
        raw image for the ROM: LiteMRC's firmware, or with images the shim that starts Linux. None: a SoC
        without a processor.
    run_dir : Path
        where console, record and port go; files of an earlier run are replaced.
    bootargs : str
        text for the firmware, such as "measure=1 monitor=0".
    link_port : int
        TCP port of the link; 0: any free one.
    images : sequence of (int, bytes)
        what DRAM holds at the start, by physical address; only the Linux variant of the SoC takes them.
    state : Path or None
        a file of :meth:`save` of the same build, from which the simulation continues: memories, console and
        record as they were then. Firmware and images have no effect.
    sd_card : Path or None
        image of the SD card of a simulated board (``litemrc_soc/sim_board.py``), whose BIOS boots from it.
    link_baud : int
        bits a second of the link, ten for each byte, as on a board; 0: a byte in each cycle.

    Attributes
    ----------
    url : str
        pyserial URL of the link, once :meth:`wait_ready` returned.
    record : Path
        the recorder's file; complete after :meth:`stop`.
    console : Path
        what the console UART said.
    clocks : Path
        the same, each line behind the clock at which it began; only of the Linux variant of the SoC.
    """

    def __init__(
        self,
        build: Path,
        firmware: Path | None,
        run_dir: Path,
        bootargs: str = "",
        link_port: int = 0,
        images: Sequence[Image] = (),
        state: Path | None = None,
        sd_card: Path | None = None,
        link_baud: int = 0,
    ) -> None:
        self._arguments = [f"+restore={Path(state).resolve()}"] if state else []
        self.build = Path(build).resolve()
        self.run_dir = Path(run_dir).resolve()
        self.record = self.run_dir / "record.npy"
        self.console = self.run_dir / "console.log"
        self.clocks = self.run_dir / "console.clocks"
        self._started: subprocess.Popen[bytes] | None = None
        self._sd_card = sd_card and Path(sd_card).resolve()
        self._link = {"port": link_port}
        if link_baud:
            clock_hz = self._constants()["config_clock_frequency"]
            self._link["cycles_per_byte"] = BITS_PER_BYTE * clock_hz // link_baud
        self._prepare(firmware and Path(firmware), bootargs, images)

    def _prepare(self, firmware: Path | None, bootargs: str, images: Sequence[Image]) -> None:
        gateware = self.build / "gateware"
        binary = gateware / "obj_dir" / "Vsim"
        makers = ("make sim-linux", "make shim") if images else ("make sim", "make firmware")
        for needed, made_by in zip((binary, firmware), makers, strict=True):
            if needed and not needed.exists():
                raise UserError("the simulator is not built", where=str(needed), remedy=f"run: {made_by}")
        self._binary = binary
        try:
            self._lay_out(gateware)
            if firmware:
                rom = firmware.read_bytes() if images and not bootargs else set_bootargs(firmware, bootargs)
                (self.run_dir / ROM_INIT).write_text(as_words(rom, self._bus_bytes()))
            if images:
                self._fill_dram(images)
        except OSError as error:
            raise UserError(
                f"cannot write: {error.strerror}", where=str(error.filename), remedy="name another folder"
            ) from error

    def _bus_bytes(self) -> int:
        """Return the bytes of a word of the ROM."""
        return self._constants().get("config_bus_data_width", 8 * WORD_BYTES) // 8

    def _constants(self) -> dict[str, int]:
        """Return the constants of the SoC's description."""
        described = self.build / DESCRIPTION
        return json.loads(described.read_text())["constants"] if described.exists() else {}

    def _lay_out(self, gateware: Path) -> None:
        """Fill the run's folder, the simulator's working directory."""
        self.run_dir.mkdir(parents=True, exist_ok=True)
        for name in ("modules", PORT_FILE, STATE_FILE, self.record.name):
            (self.run_dir / name).unlink(missing_ok=True)
        (self.run_dir / "modules").symlink_to(gateware / "modules")
        for init in gateware.glob("*.init"):
            shutil.copy(init, self.run_dir)
        config = json.loads((gateware / CONFIG).read_text())
        for module in config:
            if module.get("module") == "serial_link":
                module["args"] |= self._link
            if module.get("module") == "sd_card" and self._sd_card:
                module["args"]["image"] = str(self._sd_card)
        (self.run_dir / CONFIG).write_text(json.dumps(config))

    def _fill_dram(self, images: Sequence[Image]) -> None:
        described = self.build / DRAM
        if not described.exists():
            raise UserError(
                "this simulator's DRAM takes no images", where=str(self.build), remedy="run: make sim-linux"
            )
        dram = dram_of(json.loads(described.read_text()))
        if isinstance(dram, DRAMLayout):
            for name, text in bank_texts(dram, images).items():
                (self.run_dir / name).write_text(text)
        else:
            self._give_to_module(dram, images)

    def _give_to_module(self, dram: ModuleDRAM, images: Sequence[Image]) -> None:
        """Write each image into a file and name it in the module's arguments."""
        contents = {}
        for number, (start, (_, image)) in enumerate(zip(offsets(dram, images), images, strict=True)):
            contents[str(start)] = f"image{number}.bin"
            (self.run_dir / contents[str(start)]).write_bytes(image)
        config = json.loads((self.run_dir / CONFIG).read_text())
        for module in config:
            if module.get("module") == dram.module:
                module["args"]["contents"] = contents
        (self.run_dir / CONFIG).write_text(json.dumps(config))

    def start(self) -> Self:
        """Start the simulator; returns self."""
        with self.console.open("wb") as console:
            self._started = subprocess.Popen(
                [self._binary, *self._arguments],
                cwd=self.run_dir,
                stdin=subprocess.PIPE,
                stdout=console,
                stderr=console,
            )
        return self

    def wait_ready(self, timeout_s: float = 30) -> Self:
        """Wait until the link listens; raises UserError if it does not."""
        port_file = self.run_dir / PORT_FILE
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline and self._process.poll() is None:
            if port_file.exists() and (port := port_file.read_text().strip()):
                self.url = f"socket://localhost:{port}"
                return self
            time.sleep(0.05)
        raise UserError(
            "the simulator did not start", where=str(self.console), remedy="read its console output"
        )

    def wait_console(self, text: str, timeout_s: float) -> str:
        """Wait for ``text`` on the console and return all its output; UserError after ``timeout_s``."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            said = self.console.read_text(errors="replace")
            if text in said:
                return said
            if self._process.poll() is not None:
                break
            time.sleep(0.2)
        raise UserError(f"the console never said {text!r}", where=str(self.console))

    @property
    def running(self) -> bool:
        """Return whether the simulator was started and has not ended."""
        return self._started is not None and self._started.poll() is None

    @property
    def _process(self) -> subprocess.Popen[bytes]:
        if self._started is None:
            raise RuntimeError("the simulator was not started")
        return self._started

    def type(self, typed: bytes) -> None:
        """Type on the console; BrokenPipeError if the simulator has ended."""
        console = self._process.stdin
        assert console is not None, "started with a pipe"
        console.write(typed)
        console.flush()

    def save(self, timeout_s: float = SAVE_S) -> Path:
        """Save the state of the running simulation, which then goes on; only of the Linux variant of the SoC.

        Returns
        -------
        The file, in the run's folder; the caller may move it. An earlier one is replaced.

        Raises
        ------
        UserError
            the simulator ended, for instance because the disk is full, or took too long.
        """
        return self._signal_for(STATE_FILE, signal.SIGUSR1, timeout_s)

    def begin_profile(self) -> None:
        """Begin to count the processor's cycles by call stack; only of the Linux variant of the SoC."""
        self._process.send_signal(signal.SIGUSR2)

    def end_profile(self, timeout_s: float = SAVE_S) -> Path:
        """Return the file of the cycles since :meth:`begin_profile`; UserError as for :meth:`save`.

        Its lines are those of litemrc_soc/simulation/profile.cpp.
        """
        return self._signal_for(PROFILE_FILE, signal.SIGUSR2, timeout_s)

    def _signal_for(self, name: str, number: signal.Signals, timeout_s: float) -> Path:
        """Send a signal and wait for the file that the simulator then writes."""
        file = self.run_dir / name
        file.unlink(missing_ok=True)
        self._process.send_signal(number)
        deadline = time.monotonic() + timeout_s
        while not file.exists():
            if not self.running or time.monotonic() >= deadline:
                raise UserError(
                    f"the simulator did not write {name}",
                    where=str(self.console),
                    remedy="read its output; is there space on the disk?",
                )
            time.sleep(0.01)
        return file

    def wait(self, timeout_s: float | None = None) -> int:
        """Wait until the simulator ends by itself and return its exit code.

        Raises
        ------
        subprocess.TimeoutExpired
            it did not end in time.
        """
        return self._process.wait(timeout_s)

    def stop(self) -> None:
        """End the simulator and wait until its record is complete."""
        if self.running:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exception: object) -> None:
        self.stop()


def set_bootargs(firmware: Path, text: str) -> bytes:
    """Return the firmware's image with ``text`` as its boot arguments (see firmware/baremetal/bootargs.c)."""
    image = firmware.read_bytes()
    place = re.search(rb"bootargs=( +);", image)
    if not place:
        raise UserError(
            "not an image of LiteMRC's firmware", where=str(firmware), remedy="run: make firmware"
        )
    start, end = place.span(1)
    encoded = text.encode("ascii", errors="replace")
    if len(encoded) > end - start:
        raise UserError(f"boot arguments longer than {end - start} bytes", where=text, remedy="shorten them")
    return image[:start] + encoded.ljust(end - start) + image[end:]


def as_words(image: bytes, word_bytes: int = WORD_BYTES) -> str:
    """Return an image as a Verilog memory file: one little-endian word per line, in hex."""
    padded = image + bytes(-len(image) % word_bytes)
    words = (padded[start : start + word_bytes] for start in range(0, len(padded), word_bytes))
    return "".join(f"{word[::-1].hex()}\n" for word in words)
