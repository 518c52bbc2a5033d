# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc memnice`: run a program and its children on some of this machine's memory nodes."""

import argparse
import errno
import os
import re
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from litemrc.cli.shared.arguments import listed, numbers_of
from litemrc.errors import UserError

_EPILOG = """\
NODES is a number of nodes from 0 on, or a list:

  litemrc memnice 2 -- make -j 8       # nodes 0 and 1
  litemrc memnice 1-2,4 -- ./server

The limit is cpuset.mems of a cgroup (version 2): children inherit it, no system call of theirs widens it,
and a memnice inside it can only be narrower. On a Linux whose nodes are DRAM ranks this is the memnice of
Jantz et al. 2013, section 7; a SoC without Python has the program `memnice` for it. For simulated programs:
`litemrc simulate trays SCENARIO --memnice TRAYS`.
"""
_MOST_NODES = 1024  # of a Linux kernel
_PROGRAM = "program"  # the cgroup of the processes: only a cgroup without processes can divide what it has


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc memnice`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("nodes", metavar="NODES", type=nodes_of, help="memory nodes, such as 2 or 0,2-3")
    parser.add_argument("command", metavar="COMMAND", nargs="+", help="program and its arguments, after --")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc memnice`; returns the program's exit code, or 128 and the signal that ended it."""
    with limited_to(args.nodes, own_cgroup()) as cgroup:
        return run_in(cgroup, args.command)


def nodes_of(text: str) -> frozenset[int]:
    """Parse a number of nodes from 0 on, or a list in the kernel's format."""
    return numbers_of(text, "nodes", _MOST_NODES)


def own_cgroup(proc: Path = Path("/proc/self")) -> Path:
    """Return the folder of this process's cgroup.

    Raises
    ------
    UserError
        no cgroup file system of version 2 is mounted.
    """
    mounts = re.findall(r"^\S+ \S+ \S+ \S+ (\S+) .* - cgroup2 ", (proc / "mountinfo").read_text(), re.M)
    found = re.search(r"^0::(/.*)$", (proc / "cgroup").read_text(), re.M)
    if not mounts or not found:
        raise UserError(
            "no cgroups of version 2: memory nodes cannot be limited",
            where=str(proc / "mountinfo"),
            remedy="mount -t cgroup2 none /sys/fs/cgroup",
        )
    folder = Path(mounts[0] + found[1])
    return folder.parent if folder.name == _PROGRAM else folder


@contextmanager
def limited_to(nodes: frozenset[int], own: Path) -> Iterator[Path]:
    """Make a cgroup in another one, on these nodes only; at the end it is removed unless processes remain.

    Raises
    ------
    UserError
        there is no such node, no controller, no permission, or the other cgroup has processes.
    """
    text = ",".join(map(str, sorted(nodes)))
    if "cpuset" not in (own / "cgroup.controllers").read_text().split():
        raise UserError(
            "the cgroup has no controller cpuset",
            where=str(own / "cgroup.controllers"),
            remedy="enable it in cgroup.subtree_control of the cgroups above; while it is mounted with "
            "version 1 it is not available (boot with cgroup_no_v1=cpuset)",
        )
    limit = own / f"memnice-{os.getpid()}"
    try:
        _write(own / "cgroup.subtree_control", "+cpuset")
        limit.mkdir()
    except OSError as error:
        raise _explained(error, own, text) from error
    try:
        with suppress(OSError):  # a node that is not there; seen below
            _write(limit / "cpuset.mems", text)
        effective = (limit / "cpuset.mems.effective").read_text().strip()
        if not effective or listed(effective) != nodes:
            raise UserError(
                f"nodes {text} are not all there (got {effective or 'none'})",
                where=str(limit / "cpuset.mems.effective"),
                remedy=f"choose nodes of {own / 'cpuset.mems.effective'}",
            )
        _write(limit / "cgroup.subtree_control", "+cpuset")
        (limit / _PROGRAM).mkdir()
        yield limit / _PROGRAM
    finally:
        for folder in (limit / _PROGRAM, limit):
            with suppress(OSError):
                folder.rmdir()


def run_in(cgroup: Path, command: Sequence[str]) -> int:
    """Run a program in a cgroup; signals of the terminal are for it alone."""

    def enter() -> None:
        signal.signal(signal.SIGINT, interrupted)
        _write(cgroup / "cgroup.procs", "0")

    interrupted = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        code = subprocess.Popen(command, preexec_fn=enter).wait()
    except subprocess.SubprocessError as error:
        raise UserError(
            "the program cannot enter its cgroup", where=str(cgroup), remedy="run as root"
        ) from error
    except OSError as error:
        raise UserError(
            f"cannot be run: {error.strerror}", where=command[0], remedy="name a program"
        ) from error
    finally:
        signal.signal(signal.SIGINT, interrupted)
    return code if code >= 0 else 128 - code


def _write(path: Path, text: str) -> None:
    path.write_text(text)


def _explained(error: OSError, own: Path, nodes: str) -> UserError:
    service = f"systemd-run --scope -p AllowedMemoryNodes={nodes} -- COMMAND"
    if error.errno == errno.EBUSY:
        what, remedy = "the cgroup has processes, so it cannot be divided", f"as root: {service}"
    elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        what, remedy = "no permission to divide the cgroup", f"run as root, or {service}"
    else:
        what, remedy = f"the cgroup cannot be divided: {error.strerror}", f"try {service}"
    return UserError(what, where=str(own), remedy=remedy)
