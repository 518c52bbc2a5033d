"""Captures the traces of glass1997/page.md: `make glass1997-traces`.

Programs are those of ../programs and of the Debian packages in scripts/setup/apt/programs.txt.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
from litemrc.traces.summary import Summary
from litemrc_studies.glass1997.results.inputs import INPUTS
from litemrc_studies.glass1997.results.programs import PROGRAMS, TRACES, opened

from scripts.docs.page_tables import fill_tables, markdown

ROOT = Path(__file__).parents[4]
SOURCES = ROOT / "host/litemrc_studies/glass1997/programs"
INTERVAL = 1_000_000  # instructions
COMPRESSION = pa.Codec("zstd", 22)  # the highest level: the traces are committed
GCC = "gcc-12"
# Malloc by brk, as in Solaris: a mapping that grows moves, and its pages would count as others.
ENVIRONMENTS = {"gnuplot": {"GLIBC_TUNABLES": "glibc.malloc.mmap_threshold=1073741824"}}
COMMANDS = {
    "cc1": ("-quiet", "-imultiarch", "x86_64-linux-gnu", "-O2", "-o", "cc1.s", str(SOURCES / "processor.c")),
    "ld": ("-r", "--whole-archive", "-o", "whole.o", "libm.a"),
    "gnuplot": ("points.gp",),
    "cjpeg": ("-progressive", "-optimize", "-sample", "1x1", "-outfile", "image.jpg", "image.ppm"),
    "perl": ("words.pl", "text.txt"),
    "sqlite3": (":memory:", ".read statements.sql"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("names", nargs="*", metavar="NAME", help="programs (default: all)")
    parser.add_argument("--build", type=Path, default=ROOT / "build/glass1997", help="folder of executables")
    args = parser.parse_args()
    names = [program.name for program in PROGRAMS]
    if unknown := set(args.names) - set(names):
        parser.error(f"no such program: {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    args.build.mkdir(parents=True, exist_ok=True)
    for name in args.names or names:
        print(f"{name} ...", flush=True)
        _capture(name, args.build)
    fill_tables(TRACES / "README.md", {"captured": _table()})


def _capture(name: str, folder: Path) -> None:
    """Make the executable and its input, capture, and compress as far as possible."""
    if name in INPUTS:
        INPUTS[name](folder)
    executable = _executable(name, folder)
    plain = folder / f"{name}.inout"
    command = [str(executable), *COMMANDS.get(name, ())]
    # A program's environment lies in its memory.
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": "/", "PERL_HASH_SEED": "0"}
    environment |= ENVIRONMENTS.get(name, {})
    litemrc = ["litemrc", "trace", "capture", "--quiet", "--interval", str(INTERVAL)]
    subprocess.run(
        [*litemrc, "--out", str(plain.resolve()), "--", *command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        check=True,
    )
    TRACES.mkdir(parents=True, exist_ok=True)
    (TRACES / f"{name}.inout.zst").write_bytes(COMPRESSION.compress(plain.read_bytes(), asbytes=True))
    plain.unlink()
    sizes_path = TRACES / "executables.json"
    sizes = json.loads(sizes_path.read_text("utf-8")) if sizes_path.exists() else {}
    sizes[name] = executable.stat().st_size
    sizes_path.write_text(json.dumps(sizes, indent=1, sort_keys=True) + "\n", "utf-8")


def _table() -> str:
    """Return the list of all traces."""
    rows = []
    for program in PROGRAMS:
        if not program.path.exists():
            continue
        summary = Summary()
        with opened(program) as trace:
            for chunk in trace:
                summary.add(chunk)
        arguments = [argument.replace(f"{ROOT}/", "") for argument in COMMANDS.get(program.name, ())]
        command = " ".join([program.name, *arguments])
        numbers = (summary.last_time or 0, summary.pages.numbers().size, program.path.stat().st_size)
        cells = [f"`{program.path.name}`", f"`{command}`", *(f"{number:,}" for number in numbers)]
        rows.append(cells)
    return markdown(["file", "command", "instructions", "pages", "bytes"], rows)


def _executable(name: str, folder: Path) -> Path:
    source = SOURCES / f"{name}.c"
    if source.exists():
        executable = (folder / name).resolve()
        subprocess.run([GCC, "-O2", "-static", "-o", str(executable), str(source), "-lm"], check=True)
        return executable
    if name == "cc1":
        asked = subprocess.run([GCC, "-print-prog-name=cc1"], check=True, capture_output=True, text=True)
        return Path(asked.stdout.strip())
    found = shutil.which(name)
    if found is None:
        sys.exit(f"{name} is not installed; install the packages of scripts/setup/apt/programs.txt")
    return Path(found).resolve()


if __name__ == "__main__":
    main()
