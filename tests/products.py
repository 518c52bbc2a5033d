# SPDX-License-Identifier: BSD-2-Clause
"""What tools make for benches, in the cache of all clones, named after the contents of what it was made from.

A second run makes nothing; and what two benches share is made once.
"""

import fcntl
import hashlib
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path

from litemrc_soc.simulation import verilated

from scripts.setup.kept import cache_folder, delete_unused

REPO = Path(__file__).resolve().parents[1]
BUILD = REPO / "build" / "cosim"  # what tests make for themselves


def product(name: str, inputs: Iterable[Path | str], build: Callable[[Path], Path]) -> Path:
    """The file that `build` makes in a folder; made only if an input or a tool has changed.

    Parameters
    ----------
    name
        of the product; two that may be needed at once need two names.
    inputs
        files, and words of the command, that it is made from.

    Returns
    -------
    the file, which may not be changed.
    """
    tools = [verilated.version(), _version("g++"), version("migen"), version("litex")]
    digest = hashlib.sha256("\0".join(tools).encode())
    for each in inputs:
        words = each.encode() if isinstance(each, str) else each.name.encode() + b"\0" + each.read_bytes()
        digest.update(b"\0" + words)
    kept = cache_folder() / "cosim"
    made = kept / f"{name}-{digest.hexdigest()[:16]}"
    if made.exists():
        os.utime(made)
        return made
    kept.mkdir(parents=True, exist_ok=True)
    # Built aside and moved in at once: what is there is complete, even if two processes build it.
    with tempfile.TemporaryDirectory(dir=kept, prefix="new-") as folder:
        build(Path(folder)).replace(made)
    delete_unused(kept)
    return made


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Of all that run tests only this process builds in the folder now; it is made."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def make(folder: Path, *words: str) -> str:
    """Run make in a folder, without what a calling make set; return what it prints."""
    unset = ("MAKEFLAGS", "MAKELEVEL", "CFLAGS", "LDFLAGS")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    return run_tool(["make", "--no-print-directory", "-C", folder, *words], env=environment)


def run_tool(command: list, **options) -> str:
    """What a tool prints.

    Raises
    ------
    RuntimeError
        if it fails; its output is in the message.
    """
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, **options)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}\nreturned {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


@cache
def _version(tool: str) -> str:
    return run_tool([tool, "--version"]).splitlines()[0]
