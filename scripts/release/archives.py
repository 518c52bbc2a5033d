# SPDX-License-Identifier: BSD-2-Clause
"""What every sdist and wheel must be before it is uploaded; nothing is installed or run."""

import base64
import csv
import hashlib
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path, PurePosixPath

from packaging.utils import parse_sdist_filename, parse_wheel_filename
from pathspec import GitIgnoreSpec
from trove_classifiers import classifiers as known_classifiers

from scripts.release.environments import REPO, VERSION, CheckError

# Distributions by the names of their files: folder of the project; the package, with its folder in the sdist.
PROJECTS = {
    "litemrc": (REPO, "host/litemrc"),
    "litemrc_studies": (REPO / "host", "litemrc_studies"),
    "litemrc_gateware": (REPO / "litex-soc", "litemrc_gateware"),
}
PURE = "litemrc_gateware"


def check_archives(archives: list[Path]) -> None:
    """Check that each distribution has its sdist and a wheel, and each of these files.

    Raises
    ------
    CheckError
        the first that is not as PyPI and the users' Pythons need it.
    """
    if not archives:
        raise CheckError("no archive to check; build them: make dist")
    folder = archives[0].parent
    for name in PROJECTS:
        own = [each for each in archives if distribution(each) == name]
        sdists = [each for each in own if each.name.endswith(".tar.gz")]
        wheels = [each for each in own if each.suffix == ".whl"]
        if len(sdists) != 1 or not wheels:
            found = f"{len(sdists)} sdists and {len(wheels)} wheels"
            raise CheckError(
                f"{folder}: {found} of {name}, not one sdist and its wheels; empty it, and build again"
            )
        check_metadata(sdists[0], sdist_metadata(sdists[0]))
        for wheel in wheels:
            check_wheel(wheel, sdists[0])
    tool("twine", "check", "--strict", *archives)


def distribution(archive: Path) -> str:
    """The name of a file's distribution, as files spell it.

    Raises
    ------
    CheckError
        the name is none of an sdist or wheel, or is of another version or project.
    """
    try:
        if archive.suffix == ".whl":
            name, version, _, _ = parse_wheel_filename(archive.name)
        else:
            name, version = parse_sdist_filename(archive.name)
    except ValueError as error:
        raise CheckError(f"{archive}: {error}; build it again: make dist") from error
    if str(version) != VERSION or name.replace("-", "_") not in PROJECTS:
        raise CheckError(f"{archive}: not of this repository's version {VERSION} (file VERSION); remove it")
    return name.replace("-", "_")


def tags(wheel: Path) -> list[str]:
    """The tags in a wheel's name, one for each platform."""
    return sorted(map(str, parse_wheel_filename(wheel.name)[3]))


def check_wheel(wheel: Path, sdist: Path) -> None:
    """Check tags, contents and metadata of a wheel, and the symbols that its modules need."""
    name = distribution(wheel)
    with zipfile.ZipFile(wheel) as archive:
        files = {each: archive.read(each) for each in archive.namelist() if not each.endswith("/")}
    folder = f"{name}-{VERSION}.dist-info"
    for needed in ("METADATA", "WHEEL", "RECORD"):
        if f"{folder}/{needed}" not in files:
            raise CheckError(f"{wheel}: no {folder}/{needed}; build it again: make dist")
    check_record(wheel, files, f"{folder}/RECORD")
    check_tags(wheel, files[f"{folder}/WHEEL"].decode(), name)
    check_metadata(wheel, files[f"{folder}/METADATA"].decode())
    missing = sorted(wanted_files(sdist, name) - files.keys())
    if missing:
        raise CheckError(
            f"{wheel}: {len(missing)} files of the sdist are missing, first {missing[0]};"
            f" see wheel.packages and wheel.exclude in {PROJECTS[name][0] / 'pyproject.toml'}"
        )
    if name == PURE:
        return
    if not any(re.fullmatch(r"\w+(/\w+)*/_core\.(abi3\.so|pyd)", each) for each in files):
        raise CheckError(
            f"{wheel}: no native module _core of the stable ABI; see wheel.py-api in pyproject.toml"
        )
    tool("abi3audit", "--strict", wheel)


def check_record(wheel: Path, files: dict[str, bytes], record: str) -> None:
    """Check that a wheel has just the files of its list, with their contents."""
    rows = {row[0]: row[1] for row in csv.reader(files[record].decode().splitlines())}
    if differ := sorted(rows.keys() ^ files.keys()):
        where = "not in the wheel" if differ[0] in rows else "not in RECORD"
        raise CheckError(f"{wheel}: {differ[0]} is {where}; build it again: make dist")
    for name, digest in rows.items():
        found = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).decode().rstrip("=")
        if name != record and digest != f"sha256={found}":
            raise CheckError(
                f"{wheel}: {name} is not the file whose digest is in RECORD; build it again: make dist"
            )


def check_tags(wheel: Path, about: str, name: str) -> None:
    """Check that a wheel is for every Python from 3.11 on, and for platforms that PyPI accepts."""
    inside = {line.removeprefix("Tag: ") for line in about.splitlines() if line.startswith("Tag: ")}
    named = tags(wheel)
    wanted = "py3-none-any" if name == PURE else "cp311-abi3 of manylinux, macosx or win"
    if inside != set(named):
        raise CheckError(
            f"{wheel}: tags in WHEEL are {', '.join(sorted(inside))}, not its name's; build it again"
        )
    for tag in named:
        python, abi, platform = tag.split("-")
        if name == PURE:
            right = tag == "py3-none-any"
        else:
            right = (python, abi) == ("cp311", "abi3") and platform.startswith(
                ("manylinux_", "manylinux2", "macosx_", "win")
            )
        if not right:
            raise CheckError(
                f"{wheel}: tag {tag}, not {wanted}; see wheel.py-api in pyproject.toml, `auditwheel repair`"
            )


def check_metadata(archive: Path, text: str) -> None:
    """Check what the name, the page and the search of PyPI show."""
    about = Parser().parsestr(text)
    if about["Version"] != VERSION:
        raise CheckError(
            f"{archive}: in its metadata version {about['Version']}, not {VERSION} of VERSION; build it again"
        )
    if missing := [
        each for each in ("Summary", "Keywords", "Author", "License-Expression") if not about[each]
    ]:
        raise CheckError(f"{archive}: no {missing[0]} in its metadata; see [project] in pyproject.toml")
    for classifier in about.get_all("Classifier", []):
        if classifier not in known_classifiers:
            raise CheckError(f"{archive}: PyPI knows no classifier {classifier!r}; see pyproject.toml")
    if link := re.search(r"\]\((?![a-z]+:|#)[^)]*\)", str(about.get_payload())):
        raise CheckError(
            f"{archive}: its description has the relative link {link[0]}; see scripts/release/pypi_readme.py"
        )


def sdist_metadata(sdist: Path) -> str:
    """PKG-INFO of an sdist."""
    with tarfile.open(sdist) as archive:
        file = archive.extractfile(f"{sdist.name.removesuffix('.tar.gz')}/PKG-INFO")
        return file.read().decode() if file else ""


def wanted_files(sdist: Path, name: str) -> set[str]:
    """The files of an sdist that its wheel must have, by their paths in the wheel."""
    project, package = PROJECTS[name]
    settings = tomllib.loads((project / "pyproject.toml").read_text())["tool"].get("scikit-build", {})
    excluded = GitIgnoreSpec.from_lines(settings.get("wheel", {}).get("exclude", []))
    with tarfile.open(sdist) as archive:
        names = [PurePosixPath(each.name) for each in archive.getmembers() if each.isfile()]
    inside = [PurePosixPath(*each.parts[1:]) for each in names]
    inside = [
        each.relative_to(PurePosixPath(package).parent) for each in inside if each.is_relative_to(package)
    ]
    return {str(each) for each in inside if not excluded.match_file(each)}


def tool(name: str, *arguments: str | Path) -> str:
    """What a tool of the group `release` prints.

    Raises
    ------
    CheckError
        if it fails; with what it printed.
    """
    words = [sys.executable, "-m", name, *map(str, arguments)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CheckError(
            f"{name} {' '.join(words[3:])}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
        )
    return done.stdout + done.stderr
