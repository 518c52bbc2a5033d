# SPDX-License-Identifier: BSD-2-Clause
"""Finds the QEMU that runs a program, and the plugin for it."""

import re
import shutil
import struct
import subprocess
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path

from litemrc.errors import UserError

_PACKAGE = "install QEMU's user mode with plugins: apt-get install qemu-user"
_OTHERS = re.compile(r"(^|accel=)(kvm|xen|hvf|whpx|nvmm|hax)\b")  # accelerators that are no translator
# e_machine of ELF (System V ABI): names of QEMU for 32 and 64 bits; a pair is for little and big endian.
_Name = str | tuple[str, str] | None
_MACHINES: dict[int, tuple[_Name, _Name]] = {
    2: ("sparc", None),
    3: ("i386", None),
    4: ("m68k", None),
    8: (("mipsel", "mips"), ("mips64el", "mips64")),
    15: ("hppa", None),
    20: ("ppc", None),
    21: (None, ("ppc64le", "ppc64")),
    22: (None, "s390x"),
    40: (("arm", "armeb"), None),
    42: (("sh4", "sh4eb"), None),
    43: (None, "sparc64"),
    62: ("x86_64", "x86_64"),
    183: (None, ("aarch64", "aarch64_be")),
    243: ("riscv32", "riscv64"),
    258: (None, "loongarch64"),
    0x9026: (None, "alpha"),
}


def program_path(name: str) -> Path:
    """Return the file of a program.

    Raises
    ------
    UserError
        there is none.
    """
    found = shutil.which(name)
    if found is None:
        raise UserError("the program does not exist", where=name, remedy="give its path or install it")
    return Path(found)


def architecture(program: Path) -> str:
    """Return QEMU's name of the architecture that a program is for.

    Raises
    ------
    UserError
        a script, no ELF file, or an architecture that QEMU's user mode does not have.
    """
    try:
        with program.open("rb") as file:
            head = file.read(256)
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}", where=str(program)) from error
    if head.startswith(b"#!"):
        interpreter = head[2:].split(b"\n")[0].decode(errors="replace").strip()
        raise UserError(
            "is a script, and QEMU runs programs of machine code",
            where=str(program),
            remedy=f"run its interpreter: {interpreter} {program} ...",
        )
    if head[:4] != b"\x7fELF" or len(head) < 20 or head[4] not in (1, 2) or head[5] not in (1, 2):
        raise UserError(
            "is no program that QEMU runs (no ELF header)", where=str(program), remedy="name an ELF program"
        )
    big = head[5] == 2
    (machine,) = struct.unpack_from(">H" if big else "<H", head, 18)
    name = _MACHINES.get(machine, (None, None))[head[4] - 1]
    if name is None:
        raise UserError(
            f"is for an architecture that is not known here (ELF machine {machine})",
            where=str(program),
            remedy=f"known are {', '.join(sorted(_names()))}",
        )
    return name if isinstance(name, str) else name[big]


def user_emulator(architecture: str) -> Path:
    """Return the emulator of an architecture's programs.

    Raises
    ------
    UserError
        it is not installed.
    """
    found = shutil.which(f"qemu-{architecture}")
    if found is None:
        static = shutil.which(f"qemu-{architecture}-static")
        why = f"; {static} takes no plugins" if static else ""
        raise UserError(f"qemu-{architecture} is not installed{why}", remedy=_PACKAGE)
    return Path(found)


def machine_emulator(command: Sequence[str]) -> Path:
    """Return the emulator that a command line for a whole machine names.

    Parameters
    ----------
    command
        such as qemu-system-riscv64, and its arguments.

    Raises
    ------
    UserError
        it is none, is not installed, or does not run the machine by its translator.
    """
    found = shutil.which(command[0])
    if found is None:
        raise UserError(
            "the emulator does not exist",
            where=command[0],
            remedy="install the Debian package qemu-system-x86 or -misc",
        )
    if not Path(found).name.startswith("qemu-system-"):
        raise UserError(
            "is no emulator of a machine",
            where=command[0],
            remedy="with --system, name qemu-system-ARCHITECTURE and its arguments after --",
        )
    for word, value in zip_longest(command[1:], command[2:], fillvalue=""):
        option = "-" + word.lstrip("-") if word.startswith("-") else ""
        if option == "-enable-kvm" or (option in ("-accel", "-machine", "-M") and _OTHERS.search(value)):
            raise UserError(
                "the processor itself runs this machine, and the plugin sees none of its accesses",
                where=f"{word} {value}" if option != "-enable-kvm" else word,
                remedy="give -accel tcg instead",
            )
        if option == "-daemonize":
            raise UserError("the machine would go on without this command", where=word, remedy="drop it")
    return Path(found)


def mixes_processors(command: Sequence[str], emulator: Path) -> bool:
    """Return whether a machine's accesses may come with the number of another of its processors.

    From version 9 on QEMU gives an access the number of the processor for which the code was translated. That
    is another one if several processors take turns in one thread.
    """
    options = list(zip_longest(command[1:], command[2:], fillvalue=""))
    turns = any(word.lstrip("-") == "icount" or "thread=single" in value for word, value in options)
    several = any(word.lstrip("-") == "smp" and value.partition(",")[0] != "1" for word, value in options)
    return turns and several and major_version(emulator) >= 9


def plugin_for(emulator: Path) -> Path:
    """Return the plugin library for an emulator.

    Raises
    ------
    UserError
        an emulator without plugins, or a package without the library.
    """
    if "-plugin" not in _output([emulator, "--help"]):
        raise UserError("this QEMU was built without plugins", where=str(emulator), remedy=_PACKAGE)
    name = "liblitemrc_qemu.so" if major_version(emulator) < 9 else "liblitemrc_qemu_2.so"
    core = find_spec("litemrc.native._core")
    library = Path(core.origin).with_name(name) if core and core.origin else Path(name)
    if not library.is_file():
        raise UserError(
            "the plugin is missing: it is compiled with the package, on Linux only",
            where=str(library),
            remedy="install the package again: make setup, or pip install .",
        )
    return library


def major_version(emulator: Path) -> int:
    """Return the first number of an emulator's version.

    Raises
    ------
    UserError
        it prints none.
    """
    version = re.search(r"version (\d+)\.", _output([emulator, "--version"]))
    if version is None:
        raise UserError("does not print its version", where=str(emulator), remedy=_PACKAGE)
    return int(version[1])


def _output(command: Sequence[str | Path]) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=60).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UserError(f"does not run: {error}", where=str(command[0]), remedy=_PACKAGE) from error


def _names() -> set[str]:
    names: set[str] = set()
    for pair in _MACHINES.values():
        for name in pair:
            names.update((name,) if isinstance(name, str) else name or ())
    return names
