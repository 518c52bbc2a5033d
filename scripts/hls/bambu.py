# SPDX-License-Identifier: BSD-2-Clause
"""Makes Verilog from a top function of hls/ with Bambu (PandA), with the ports that Vitis HLS gives it."""

import hashlib
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from scripts.hls.tops import HLS, REPO, TOPS
from scripts.hls.wrapper import wrapped

BUILD = REPO / "build" / "bambu"
CLOCK_NS = 20  # the period of 50 MHz, the clock of the SoCs
LIMIT_S = 1800
OPTIONS = (
    "--std=c++17",
    "-O1",
    "-fno-unroll-loops",
    f"--clock-period={CLOCK_NS}",
    "--generate-interface=INFER",
    "--reset-level=low",
)
BAMBU_HEADERS = ("ap_int.h", "hls_stream.h", "type_traits")
MARK = "@include "
INSTALL = (
    "Bambu is not on PATH. Install PandA 2024.10: the AppImage of https://panda.deib.polimi.it, or build "
    "https://github.com/ferrandi/PandA-bambu (hls/README.md, Bambu)"
)


class NoBambuError(Exception):
    """Bambu is not installed; the message says how to install it."""


@cache
def version() -> str:
    """Return "Bambu" and its version.

    Raises
    ------
    NoBambuError
        if it is not on PATH.
    """
    if shutil.which("bambu") is None:
        raise NoBambuError(INSTALL)
    done = subprocess.run(["bambu", "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"Version:\s*(?:PandA\s*)?(\S+)", done.stdout + done.stderr)
    if not found:
        raise RuntimeError(f"bambu --version prints no version:\n{done.stdout}{done.stderr}")
    return f"Bambu {found[1]}"


def make_verilog(top: str, defines: tuple[str, ...] = (), hls: Path = HLS, label: str = "") -> Path:
    """Compile a top function, unless Bambu has made the same from the same; its Verilog is wrapped each time.

    Parameters
    ----------
    defines
        sizes, ``-DLITEMRC_FRAMES=...``; default those of the SoC.
    hls
        the sources, or a copy of them.
    label
        of the folder, if it is not the one of these sizes.

    Returns
    -------
    the folder: ``<top>.v``, ``origin.txt``, Bambu's output ``bambu.log``.

    Raises
    ------
    NoBambuError
        if Bambu is not installed.
    RuntimeError
        if it fails; the message names its output.
    """
    sizes = "-".join(define.split("=")[1] for define in defines) or "soc"
    folder = BUILD / (label or sizes) / top
    work = folder / "bambu"
    source = _preprocessed(top, defines, hls)
    command = _command(top)
    made_from = hashlib.sha256("\0".join((version(), *command, source)).encode()).hexdigest()
    key_file = folder / "made_from.txt"
    if not key_file.exists() or key_file.read_text() != made_from:
        shutil.rmtree(folder, ignore_errors=True)
        work.mkdir(parents=True)
        (work / f"{top}.cpp").write_text(source)
        _run(top, command, work, folder / "bambu.log")
        (folder / "origin.txt").write_text(f"{version()}\n")
        key_file.write_text(made_from)
    if constants := [path.name for path in work.glob("*.mem") if "1" in path.read_text()]:
        raise RuntimeError(f"{top} has memories with contents, which would be lost: {', '.join(constants)}")
    verilog = wrapped(top, (work / f"{top}.v").read_text(), started=TOPS[top].started)
    (folder / f"{top}.v").write_text(verilog)
    return folder


def _preprocessed(top: str, defines: tuple[str, ...], hls: Path) -> str:
    """A unit as one file that includes Bambu's headers and no other.

    Bambu finds the function of a #pragma, but not of a _Pragma, as macros write it.
    """
    source = hls / TOPS[top].unit / f"{TOPS[top].unit}.cpp"
    with tempfile.TemporaryDirectory() as headers:
        for name in BAMBU_HEADERS:
            (Path(headers) / name).write_text(f"{MARK}{name}\n")
        command = ["g++", "-E", "-P", "-std=c++17", "-nostdinc", "-D__BAMBU__", f"-I{headers}", *defines]
        done = subprocess.run([*command, str(source)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{source} cannot be preprocessed:\n{done.stderr}")
    code = "".join(line for line in done.stdout.splitlines(True) if not line.startswith(MARK))
    return "".join(f"#include <{name}>\n" for name in BAMBU_HEADERS) + code


def _command(top: str) -> list[str]:
    # A RAM outside has one port for the function.
    more = ("--channels-number=1",) if TOPS[top].started else ()
    return ["bambu", f"{top}.cpp", f"--top-fname={top}", *OPTIONS, *more]


def _run(top: str, command: list[str], work: Path, log: Path) -> None:
    with log.open("w") as output:
        output.write(" ".join(command) + "\n")
        output.flush()
        try:
            done = subprocess.run(
                command,
                cwd=work,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=LIMIT_S,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise RuntimeError(f"bambu did not finish {top} within {LIMIT_S} s, see {log}") from error
    if done.returncode or not (work / f"{top}.v").exists():
        lines = log.read_text().splitlines()
        errors = [line for line in lines if "error" in line.lower()] or lines[-5:]
        raise RuntimeError(f"bambu failed with {top}, see {log}:\n" + "\n".join(errors[:10]))
