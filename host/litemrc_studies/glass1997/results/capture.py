# SPDX-License-Identifier: BSD-2-Clause
"""Captures the traces of glass1997/page.md: `make glass1997-traces`.

Programs are those of ../programs and of the Debian packages in scripts/setup/apt/programs.txt.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
from litemrc.traces.summary import Summary
from litemrc_studies.glass1997.results.programs import PROGRAMS, TRACES, opened

from scripts.docs.page_tables import fill_tables, markdown

WORDS = 150_000  # of the text
VOCABULARY = 12_000
POINTS = 120_000
VIEWS = 8  # of the points
SIDE = 1_150  # of the image, in pixels
ROWS = 6_000
SORTER = """\
my %by_prefix;
open my $text, '<', $ARGV[0] or die;
while (<$text>) {
    push @{$by_prefix{substr $_, 0, 2}}, $_ for split;
}
my $most = '';
for my $prefix ((sort keys %by_prefix)[0 .. 39]) {
    my %count;
    $count{$_}++ for sort @{$by_prefix{$prefix}};
    my ($best) = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
    $most .= "$prefix $best $count{$best}\\n";
}
print length $most, "\\n";
"""
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


def text(folder: Path) -> None:
    """Write words of a large vocabulary, and a program that sorts those with each of 40 prefixes."""
    random = np.random.default_rng(1)
    letters = np.array(list("etaoinshrdlu"))
    words = ["".join(random.choice(letters, size)) for size in random.integers(4, 14, VOCABULARY)]
    lines = [
        " ".join(words[word] for word in line) for line in random.integers(VOCABULARY, size=(WORDS // 10, 10))
    ]
    (folder / "text.txt").write_text("\n".join(lines) + "\n", "utf-8")
    (folder / "words.pl").write_text(SORTER, "utf-8")


def points(folder: Path) -> None:
    """Write points of a noisy curve, and a script that draws part after part of them, enlarged."""
    random = np.random.default_rng(2)
    x = np.linspace(0, VIEWS, POINTS)
    y = np.sin(10 * x) * np.exp(-x / VIEWS) + 0.05 * random.standard_normal(POINTS)
    np.stack([x, y], axis=1).astype("<f4").tofile(folder / "points.bin")
    script = ["set terminal postscript", "set output 'points.ps'"]
    plot = "plot 'points.bin' binary format='%float%float' with lines"
    for view in range(VIEWS):
        script += [f"set xrange [{view}:{view + 1}]", "refresh" if view else plot]
    (folder / "points.gp").write_text("\n".join(script) + "\n", "utf-8")


def image(folder: Path) -> None:
    """Write an image: smooth colours, edges and noise."""
    random = np.random.default_rng(3)
    row, column = np.mgrid[0:SIDE, 0:SIDE]
    bands = [
        120
        + 60 * np.sin(row / (20 + 9 * band)) * np.cos(column / (30 + 7 * band))
        + 40 * ((row // 64 + column // 96) % 2)
        + 6 * random.standard_normal((SIDE, SIDE))
        for band in range(3)
    ]
    pixels = np.clip(np.stack(bands, axis=2), 0, 255).astype(np.uint8)
    (folder / "image.ppm").write_bytes(f"P6\n{SIDE} {SIDE}\n255\n".encode() + pixels.tobytes())


def statements(folder: Path) -> None:
    """Write SQL: a table with an index is filled, looked up by either key, and changed."""
    random = np.random.default_rng(4)
    names = [f"{number:07d}" for number in random.permutation(ROWS)]
    lines = ["CREATE TABLE part (id INTEGER PRIMARY KEY, name TEXT, weight REAL, note TEXT);"]
    lines += ["CREATE INDEX by_name ON part (name);", "BEGIN;"]
    lines += [
        f"INSERT INTO part VALUES ({number}, 'p{name}', {number % 97}, '{name * 120}');"
        for number, name in enumerate(names)
    ]
    lines.append("COMMIT;")
    for name in random.choice(names, ROWS // 2):
        lines.append(f"SELECT weight FROM part WHERE name = 'p{name}';")
    for number in random.choice(ROWS, ROWS // 4):
        lines.append(f"UPDATE part SET weight = weight + 1 WHERE id = {number};")
        lines.append(f"DELETE FROM part WHERE id = {(number * 7) % ROWS};")
    (folder / "statements.sql").write_text("\n".join(lines) + "\n", "utf-8")


def library(folder: Path) -> None:
    """Copy the library of mathematics, of Debian 12."""
    found = subprocess.run(
        ["gcc-12", "-print-file-name=libm-2.36.a"], check=True, capture_output=True, text=True
    )
    shutil.copy(found.stdout.strip(), folder / "libm.a")


INPUTS: Mapping[str, Callable[[Path], None]] = {
    "cjpeg": image,
    "gnuplot": points,
    "ld": library,
    "perl": text,
    "sqlite3": statements,
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
