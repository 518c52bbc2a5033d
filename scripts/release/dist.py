# SPDX-License-Identifier: BSD-2-Clause
"""Builds sdists and wheels of all three distributions and checks them: `make dist`.

    python -m scripts.release.dist             # build/dist/*.tar.gz, *.whl, report.json
    python -m scripts.release.dist --check     # checks what is in build/dist
    PYTHONS="python3.11 /opt/python3.14/bin/python3" python -m scripts.release.dist --check

Wheels are built of the unpacked sdists, with the tools of .venv. Each for this machine is installed in a
fresh environment of each Python that pyproject.toml names and this machine has; there the README's example,
commands with known results and a SoC run. Exit code 2: an archive is not as it must be.
"""

import argparse
import json
import os
import shutil
import sys
import tarfile
import tempfile
import time
from pathlib import Path

from packaging.tags import sys_tags
from packaging.utils import parse_wheel_filename

from scripts.release import environments
from scripts.release.archives import PROJECTS, PURE, check_archives, distribution, tags, tool
from scripts.release.environments import REPO, VERSION, CheckError

OUT = REPO / "build/dist"
GOAL_S = 20  # from an empty environment to a curve


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="dist", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=OUT, help="folder of the archives (default: build/dist)")
    parser.add_argument(
        "--check", action="store_true", help="build nothing; check the archives in the folder"
    )
    parser.add_argument("--no-install", action="store_true", help="check the files only; make no environment")
    args = parser.parse_args(arguments)
    out = args.out.resolve()
    try:
        if not args.check:
            build(out)
        archives = sorted([*out.glob("*.tar.gz"), *out.glob("*.whl")])
        check_archives(archives)
        tried = {} if args.no_install else install_all(archives)
    except CheckError as error:
        print(f"dist: {error}", file=sys.stderr)
        return 2
    rows = [describe(archive, tried) for archive in archives]
    report = {"version": VERSION, "archives": rows, "pythons": tried}
    (out / "report.json").write_text(json.dumps(report, indent=4) + "\n")
    print_table(rows, tried)
    return 0


def build(out: Path) -> None:
    """Make the folder anew, with an sdist of each project and a wheel of each sdist, on Linux manylinux."""
    shutil.rmtree(out, ignore_errors=True)
    work = out.with_name(out.name + "-work")
    shutil.rmtree(work, ignore_errors=True)
    out.mkdir(parents=True)
    for name, (project, _) in PROJECTS.items():
        progress(f"{name}: sdist and wheel")
        tool("build", "--no-isolation", "--sdist", "--outdir", out, project)
        sdist = out / f"{name}-{VERSION}.tar.gz"
        with tarfile.open(sdist) as archive:
            archive.extractall(work, filter="data")
        made = work / "wheels"
        tool("build", "--no-isolation", "--wheel", "--outdir", made, work / f"{name}-{VERSION}")
        for wheel in made.glob(f"{name}-*.whl"):
            if name != PURE and sys.platform == "linux":
                tool("auditwheel", "repair", "--wheel-dir", out, wheel)
            else:
                shutil.copy(wheel, out)
    shutil.rmtree(work)


def install_all(archives: list[Path]) -> dict[str, dict[str, object]]:
    """Install and run the wheels for this machine; returns what each Python was tried with, and seconds."""
    here = {str(tag) for tag in sys_tags()}
    wheels = {
        distribution(each): each
        for each in archives
        if each.suffix == ".whl" and here & {str(tag) for tag in parse_wheel_filename(each.name)[3]}
    }
    if missing := sorted(PROJECTS.keys() - wheels.keys()):
        raise CheckError(
            f"{archives[0].parent}: no wheel of {missing[0]} for this machine; build it: make dist"
        )
    found = environments.interpreters()
    if not any(found.values()):
        raise CheckError(f"none of Python {', '.join(found)} is on this machine; name them in PYTHONS")
    tried: dict[str, dict[str, object]] = {}
    gateware = True
    for version, python in found.items():
        if python is None:
            tried[version] = {}
            continue
        progress(f"Python {version} ({python})")
        with tempfile.TemporaryDirectory() as folder:
            tried[version] = install(Path(folder), python, wheels, gateware)
        gateware = False  # LiteX is large, and this wheel has no native code: once
    return tried


def install(folder: Path, python: Path, wheels: dict[str, Path], gateware: bool) -> dict[str, object]:
    """Install the wheels for one Python and run them; returns the wheels' names and what took how long."""
    # pip's cache is filled first: the time is to be that of installing, not of the network.
    programs = environments.new_environment(folder / "first", python)
    pip = (programs / "python", "-m", "pip", "--quiet", "download", "--dest", folder / "cached")
    environments.run(*pip, wheels["litemrc"], cwd=folder)
    programs = environments.new_environment(folder / "venv", python)
    begin, before = time.monotonic(), os.times()
    environments.install(programs, "--only-binary", ":all:", wheels["litemrc"])
    installed = time.monotonic()
    environments.check_example(programs, folder)
    end, after = time.monotonic(), os.times()
    environments.check_host(programs, folder, VERSION)
    environments.install(programs, "--only-binary", ":all:", wheels["litemrc_studies"])
    environments.check_studies(programs, folder)
    names = ["litemrc", "litemrc_studies"]
    if gateware:
        programs = environments.new_environment(folder / "gateware", python)
        environments.install(programs, wheels[PURE])
        environments.check_gateware(programs, folder)
        names.append(PURE)
    return {
        "wheels": [wheels[name].name for name in names],
        "install_s": round(installed - begin, 1),
        "curve_s": round(end - begin, 1),
        # what the children took of the processor: does not depend on what else the machine does
        "curve_cpu_s": round(sum(after[2:4]) - sum(before[2:4]), 1),
    }


def describe(archive: Path, tried: dict[str, dict[str, object]]) -> dict[str, object]:
    """The row of an archive in the report."""
    return {
        "file": archive.name,
        "bytes": archive.stat().st_size,
        "tags": tags(archive) if archive.suffix == ".whl" else [],
        "pythons": [version for version, row in tried.items() if archive.name in row.get("wheels", ())],
    }


def print_table(rows: list[dict[str, object]], tried: dict[str, dict[str, object]]) -> None:
    """Print the report."""
    cells = [["file", "bytes", "Pythons tried", "tags"]]
    for row in rows:
        wheel = row["file"].endswith(".whl")
        pythons = " ".join(row["pythons"]) or ("none" if wheel else "its wheel")
        cells.append([row["file"], f"{row['bytes']:,}", pythons, " ".join(row["tags"])])
    widths = [max(len(row[column]) for row in cells) for column in range(3)]
    for file, size, pythons, names in cells:
        print(f"{file:<{widths[0]}}  {size:>{widths[1]}}  {pythons:<{widths[2]}}  {names}".rstrip())
    for version, row in tried.items():
        if not row:
            print(f"Python {version}: not on this machine, not tried (PYTHONS names interpreters)")
        else:
            late = f", goal {GOAL_S} s missed" if row["curve_s"] > GOAL_S else ""
            print(
                f"Python {version}: empty environment to the README's curve in {row['curve_s']} s{late};"
                f" {row['install_s']} s of them pip, its cache filled; processor time {row['curve_cpu_s']} s"
            )


def progress(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
