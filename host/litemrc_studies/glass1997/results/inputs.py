"""Inputs of the captured programs of glass1997/page.md, from fixed seeds."""

import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

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
