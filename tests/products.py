"""What tools make for benches, under build/cosim, named after the contents of what it was made from.

A second run makes nothing; and what two benches share is made once.
"""

import fcntl
import hashlib
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path

REPO = Path(__file__).resolve().parents[1]
BUILD = REPO / "build" / "cosim"


def product(name: str, inputs: Iterable[Path | str], build: Callable[[Path], Path]) -> Path:
    """The file that `build` makes in a folder; made only if an input or a tool has changed.

    :param name: of the product; two that may be needed at once need two names.
    :param inputs: files, and words of the command, that it is made from.
    :return: the file, which may not be changed.
    """
    tools = [_version("verilator"), _version("g++"), version("migen"), version("litex")]
    digest = hashlib.sha256("\0".join(tools).encode())
    for each in inputs:
        words = each.encode() if isinstance(each, str) else each.name.encode() + b"\0" + each.read_bytes()
        digest.update(b"\0" + words)
    made = BUILD / f"{name}-{digest.hexdigest()[:16]}"
    if not made.exists():
        BUILD.mkdir(parents=True, exist_ok=True)
        for outdated in BUILD.glob(f"{name}-{'[0-9a-f]' * 16}"):
            outdated.unlink(missing_ok=True)
        # Built aside and moved in at once: what is there is complete, even if two processes build it.
        with tempfile.TemporaryDirectory(dir=BUILD, prefix="new-") as folder:
            build(Path(folder)).replace(made)
    return made


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Of all that run tests only this process builds in the folder now; it is made."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def run_tool(command: list, **options) -> str:
    """What a tool prints.

    :raises RuntimeError: if it fails; its output is in the message.
    """
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, **options)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}\nreturned {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


@cache
def _version(tool: str) -> str:
    return run_tool([tool, "--version"]).splitlines()[0]
