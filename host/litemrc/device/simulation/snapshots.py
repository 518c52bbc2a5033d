# SPDX-License-Identifier: BSD-2-Clause
"""Snapshots of a simulation: kept in a folder, used only for exactly the inputs they were made from."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

INDEX = "snapshot.json"
FORMAT = 1  # of the index, and of litemrc_soc/simulation/snapshot.cpp

Fingerprint = Mapping[str, str]
"""SHA-256 of each input of a simulation, by the input's name."""


class UnusableSnapshotError(Exception):
    """There is no snapshot, or it must not be used; the message says why."""


def fingerprint(build: Path, inputs: Mapping[str, bytes]) -> Fingerprint:
    """Return the digest of everything that a simulation depends on.

    Parameters
    ----------
    build
        folder made by `litemrc_soc/sim.py`.
    inputs
        what the simulator is given at run time, by name.

    Raises
    ------
    OSError
        a file cannot be read.
    """
    built = hashlib.sha256()
    gateware = build / "gateware"
    parts = [gateware / "obj_dir/Vsim", gateware / "sim_config.js"]
    for path in (*parts, *sorted(gateware.glob("modules/*.so")), *sorted(gateware.glob("*.init"))):
        contents = path.read_bytes()
        built.update(f"{path.relative_to(gateware)} {len(contents)}\n".encode() + contents)
    return {"simulator": built.hexdigest()} | {
        name: hashlib.sha256(contents).hexdigest() for name, contents in inputs.items()
    }


def find(folder: Path, wanted: Fingerprint) -> Path:
    """Return the state file of a folder's snapshot.

    Raises
    ------
    UnusableSnapshotError
        there is none, it was made from other inputs, or it is damaged.
    """
    try:
        index = json.loads((folder / INDEX).read_text())
        made_from, state, digest = index["inputs"], folder / index["state"], index["sha256"]
        if index["format"] != FORMAT:
            raise UnusableSnapshotError(
                f"the snapshot in {folder} has format {index['format']}, not {FORMAT}"
            )
    except FileNotFoundError as error:
        raise UnusableSnapshotError(f"there is no snapshot in {folder}") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UnusableSnapshotError(f"the snapshot in {folder} is damaged ({INDEX}: {error!r})") from error
    other = sorted(name for name in {*made_from, *wanted} if made_from.get(name) != wanted.get(name))
    if other:
        raise UnusableSnapshotError(f"the snapshot in {folder} is stale ({', '.join(other)} changed)")
    try:
        with state.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UnusableSnapshotError(
            f"the snapshot in {folder} is damaged ({state.name}: {error.strerror})"
        ) from error
    if found != digest:
        raise UnusableSnapshotError(f"the snapshot in {folder} is damaged ({state.name} has other contents)")
    return state


def keep(folder: Path, made_from: Fingerprint, state: Path) -> Path:
    """Make a state file, which must be in the same file system, the folder's only snapshot; returns its path.

    Raises
    ------
    OSError
        a file cannot be written.
    """
    with state.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    kept = folder / f"{digest[:16]}.state"
    state.replace(kept)
    index = {"format": FORMAT, "inputs": dict(made_from), "state": kept.name, "sha256": digest}
    written = folder / f"{INDEX}.new"
    written.write_text(json.dumps(index, indent=4) + "\n")
    written.replace(folder / INDEX)
    for old in folder.glob("*.state"):
        if old != kept:
            old.unlink()
    return kept


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder, created if need be, against other processes that make its snapshot.

    Raises
    ------
    OSError
        the folder cannot be written.
    """
    from fcntl import LOCK_EX, flock  # POSIX only

    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        flock(lock, LOCK_EX)
        yield
