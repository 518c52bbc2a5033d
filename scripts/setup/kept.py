# SPDX-License-Identifier: BSD-2-Clause
"""Makes a folder by a command, once for all clones.

    kept.py FOLDER [--groups NAME...] [--from FILE...] [--leave PATTERN...] -- COMMAND...

What the command made is kept in the cache, under a digest of the files, the command, the compilers and the
Python packages that it is made with. Where the cache has it already it is copied from there. Text that names
this clone's path names the path of the clone into which it is copied. Nothing is kept that was made with a
package that can change unseen (an editable one).

The cache is $LITEMRC_CACHE, or litemrc in $XDG_CACHE_HOME or ~/.cache. It can be deleted at any time;
archives that were not used for two months delete themselves. `kept.py --folder` prints it.
"""

import argparse
import fcntl
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import deque
from collections.abc import Iterable
from fnmatch import fnmatch
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
CLONE = b"@the clone's path@"
COMPILERS = ("g++", "riscv64-unknown-elf-gcc")
UNUSED_S = 60 * 24 * 3600
LINES_OF_A_FAILURE = 40


def cache_folder() -> Path:
    """The folder, which may not be there yet."""
    if named := os.environ.get("LITEMRC_CACHE"):
        return Path(named).absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "litemrc"


def delete_unused(folder: Path) -> None:
    """Delete what nobody has touched for two months."""
    limit = time.time() - UNUSED_S
    for path in folder.iterdir():
        if path.is_file() and path.stat().st_mtime < limit:
            path.unlink(missing_ok=True)


def digest(files: Iterable[Path], words: Iterable[str]) -> str:
    """Of the files' paths and contents, and of the words; of no path of this clone."""
    made_of = hashlib.sha256()
    for word in words:
        made_of.update(word.replace(str(REPO), "").encode() + b"\0")
    for path in sorted({path.resolve() for path in files}):
        name = path.relative_to(REPO) if path.is_relative_to(REPO) else path
        made_of.update(str(name).encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return made_of.hexdigest()[:16]


def packages(names: Iterable[str]) -> list[str] | None:
    """The Python packages of these groups of pyproject.toml, with their versions; None if one is editable."""
    import tomllib  # Python 3.11's; make asks for --folder before it has looked for that

    groups = tomllib.loads((REPO / "pyproject.toml").read_text())["dependency-groups"]
    found = []
    for requirement in [each for name in names for each in groups[name]]:
        try:
            package = distribution(requirement.split(";")[0].strip())
        except PackageNotFoundError:
            continue
        origin = json.loads(package.read_text("direct_url.json") or "{}")
        if origin.get("dir_info", {}).get("editable"):
            return None
        found.append(f"{package.name} {package.version} {origin}")
    return found


def compilers() -> list[str]:
    asked = (
        subprocess.run([name, "--version"], capture_output=True, text=True, check=False) for name in COMPILERS
    )
    return [answer.stdout.partition("\n")[0] for answer in asked]


def store(folder: Path, kept: Path, leave: Iterable[str]) -> None:
    """Write the folder's files into an archive, which appears when it is complete."""
    with (
        tempfile.NamedTemporaryFile(dir=kept.parent, prefix="new-", delete=False) as new,
        tarfile.open(fileobj=new, mode="w") as archive,
    ):
        for path in sorted(folder.rglob("*")):
            name = str(path.relative_to(folder))
            if path.is_file() and not any(fnmatch(name, pattern) for pattern in leave):
                member = archive.gettarinfo(path, name)
                content = path.read_bytes()
                if member.isfile() and _is_text(content):
                    content = content.replace(os.fsencode(REPO), CLONE)
                    member.size = len(content)
                archive.addfile(member, io.BytesIO(content) if member.isfile() else None)
    Path(new.name).replace(kept)


def restore(kept: Path, folder: Path) -> None:
    """Write the archive's files into the empty folder, all with the time of now."""
    with tarfile.open(kept) as archive:
        for member in archive:
            path = folder / member.name
            path.parent.mkdir(parents=True, exist_ok=True)
            if member.issym():
                path.symlink_to(member.linkname)
                continue
            content = archive.extractfile(member).read()
            path.write_bytes(content.replace(CLONE, os.fsencode(REPO)) if _is_text(content) else content)
            path.chmod(member.mode)
    os.utime(kept)


def _is_text(content: bytes) -> bool:
    return b"\0" not in content


def emptied(folder: Path) -> None:
    """Leave nothing of an earlier version in it, which would be kept with the new one."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def run(command: list[str], folder: Path) -> int:
    """Run the command with its output in the folder's build.log; print the end of it if the command fails."""
    emptied(folder)
    log = folder / "build.log"
    with log.open("w") as output:
        returned = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, check=False).returncode
    if returned:
        sys.stderr.writelines(deque(log.open(errors="replace"), LINES_OF_A_FAILURE))
    return returned


def main() -> int:
    """Copy the folder from the cache, or make and keep it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--folder", dest="asked", action="store_true", help="print the cache's folder")
    parser.add_argument(
        "--groups", nargs="+", default=[], metavar="NAME", help="of packages, in pyproject.toml"
    )
    parser.add_argument("--from", dest="files", type=Path, nargs="+", default=[], metavar="FILE")
    parser.add_argument("--leave", nargs="+", default=[], metavar="PATTERN", help="files that are not kept")
    options, command = sys.argv[1:], []
    if "--" in options:
        at = options.index("--")
        options, command = options[:at], options[at + 1 :]
    arguments = parser.parse_args(options)
    if arguments.asked:
        print(cache_folder())
        return 0
    folder = arguments.folder
    if not folder or not command:
        parser.error("needs a folder and a command")
    found = packages(arguments.groups)
    if found is None:
        print(f"making {folder} ({folder}/build.log); it is not kept, as a package is editable", flush=True)
        return run(command, folder)
    cache_folder().mkdir(parents=True, exist_ok=True)
    words = [*command, *found, *compilers(), sys.version, os.uname().machine, *arguments.leave]
    kept = cache_folder() / f"{folder.name}-{digest(arguments.files, words)}.tar"
    with Path(f"{kept}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another clone may be making it
        if kept.exists():
            try:
                emptied(folder)
                restore(kept, folder)
                print(f"{folder} is a copy of {kept}")
                return 0
            except (tarfile.TarError, EOFError) as error:
                print(f"{kept} is damaged ({error}), and is made again", file=sys.stderr)
        print(f"making {folder} ({folder}/build.log)", flush=True)
        if returned := run(command, folder):
            return returned
        store(folder, kept, arguments.leave)
    delete_unused(cache_folder())
    return 0


if __name__ == "__main__":
    sys.exit(main())
