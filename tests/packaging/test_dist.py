# SPDX-License-Identifier: BSD-2-Clause
"""The checks of `make dist` accept a sound wheel and refuse each seeded fault; versions agree everywhere."""

import base64
import hashlib
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path, PurePosixPath

import litemrc.native._core
import pytest

from scripts.release import archives, dist, environments, notes
from scripts.release.environments import REPO, VERSION, CheckError
from scripts.release.pypi_readme import absolute_links

pytestmark = pytest.mark.packaging

INFO = f"litemrc-{VERSION}.dist-info"
TAG = "cp311-abi3-manylinux_2_28_x86_64"
Files = dict[str, bytes]


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    code = "import sys, scikit_build_core.build as backend; backend.build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, folder], cwd=REPO, check=True, capture_output=True)
    return next(folder.glob("*.tar.gz"))


@pytest.fixture(scope="module")
def files(sdist: Path) -> Files:
    """The contents of a sound wheel: files of the sdist, and the native module that this Python imported."""
    wanted = archives.wanted_files(sdist, "litemrc")
    with tarfile.open(sdist) as archive:
        members = {str(PurePosixPath(*PurePosixPath(each.name).parts[2:])): each for each in archive}
        found = {name: archive.extractfile(members[name]).read() for name in sorted(wanted)}
    native = Path(litemrc.native._core.__file__)
    found[f"litemrc/native/{native.name}"] = native.read_bytes()
    found[f"{INFO}/METADATA"] = archives.sdist_metadata(sdist).encode()
    return found


def write_wheel(folder: Path, files: Files, tag: str = TAG, inside: str | None = None) -> Path:
    """Write a wheel with its list of files; `inside` is the tag of its contents if not that of its name."""
    wheel = folder / f"litemrc-{VERSION}-{tag}.whl"
    files = files | {f"{INFO}/WHEEL": f"Wheel-Version: 1.0\nTag: {inside or tag}\n".encode()}
    digests = {
        name: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        for name, data in files.items()
    }
    rows = [f"{name},sha256={digest},{len(files[name])}" for name, digest in digests.items()]
    files[f"{INFO}/RECORD"] = "\n".join([*rows, f"{INFO}/RECORD,,", ""]).encode()
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return wheel


def replaced(old: str, new: str) -> Callable[[Files], Files]:
    """A fault in the metadata."""

    def change(files: Files) -> Files:
        text = files[f"{INFO}/METADATA"].decode()
        assert old in text
        return files | {f"{INFO}/METADATA": text.replace(old, new, 1).encode()}

    return change


def without(pattern: str) -> Callable[[Files], Files]:
    """A fault: files are missing, also in RECORD."""
    return lambda files: {name: data for name, data in files.items() if not re.fullmatch(pattern, name)}


FAULTS = {
    "a module": (without("litemrc/errors.py"), "files of the sdist are missing, first litemrc/errors.py"),
    "a data file": (without("litemrc/device/.*registers.json"), "registers.json; see wheel.packages"),
    "the native module": (without(".*_core.*"), "no native module _core of the stable ABI"),
    "the version": (replaced(f"Version: {VERSION}", "Version: 9.9"), "version 9.9, not"),
    "a classifier": (
        replaced("Classifier: Environment", "Classifier: Enviroment"),
        "PyPI knows no classifier",
    ),
    "a keyword": (replaced("Keywords: ", "Keyword: "), "no Keywords in its metadata"),
    "a link": (replaced("# LiteMRC", "# [LiteMRC](docs/README.md)"), "relative link ](docs/README.md)"),
}


def test_a_sound_wheel_passes(files: Files, sdist: Path, tmp_path: Path) -> None:
    archives.check_wheel(write_wheel(tmp_path, files), sdist)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wheel_with_a_fault_is_refused(fault: str, files: Files, sdist: Path, tmp_path: Path) -> None:
    change, message = FAULTS[fault]
    wheel = write_wheel(tmp_path, change(files))
    with pytest.raises(CheckError, match=re.escape(message)) as refused:
        archives.check_wheel(wheel, sdist)
    assert str(wheel) in str(refused.value)


def test_a_file_that_is_not_in_the_list_or_differs_is_refused(
    files: Files, sdist: Path, tmp_path: Path
) -> None:
    wheel = write_wheel(tmp_path, files)
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("litemrc/extra.py", "")
    with pytest.raises(CheckError, match=r"litemrc/extra\.py is not in RECORD"):
        archives.check_wheel(wheel, sdist)
    with zipfile.ZipFile(wheel) as archive:
        sound = {name: archive.read(name) for name in archive.namelist() if name != "litemrc/extra.py"}
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, data in sound.items():
            archive.writestr(name, data + b"#" if name == "litemrc/errors.py" else data)
    with pytest.raises(CheckError, match=r"litemrc/errors.py is not the file whose digest is in RECORD"):
        archives.check_wheel(wheel, sdist)


@pytest.mark.parametrize("tag", ["cp311-abi3-linux_x86_64", "cp312-abi3-win_amd64", "cp311-cp311-win_amd64"])
def test_a_tag_that_pypi_or_a_python_refuses_is_refused(
    tag: str, files: Files, sdist: Path, tmp_path: Path
) -> None:
    with pytest.raises(CheckError, match=f"tag {tag}, not cp311-abi3"):
        archives.check_wheel(write_wheel(tmp_path, files, tag), sdist)
    with pytest.raises(CheckError, match="not its name's"):
        archives.check_wheel(write_wheel(tmp_path, files, TAG, inside=tag), sdist)


def test_a_symbol_beyond_the_stable_abi_of_311_is_refused(files: Files, sdist: Path, tmp_path: Path) -> None:
    name = next(each for each in files if "_core" in each)
    # A function of Python 3.11's stable ABI becomes one of the same length that 3.12 added to it.
    old, new = b"\0PyEval_SaveThread\0", b"\0PyVectorcall_Call\0"
    assert files[name].count(old) == 1 and len(old) == len(new)
    files = files | {name: files[name].replace(old, new)}
    with pytest.raises(CheckError, match="abi3audit"):
        archives.check_wheel(write_wheel(tmp_path, files), sdist)


def test_a_fault_ends_dist_with_exit_code_2_place_and_remedy(
    sdist: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / sdist.name).write_bytes(sdist.read_bytes())
    assert dist.main(["--check", "--no-install", "--out", str(tmp_path)]) == 2
    printed = capsys.readouterr().err
    wrong = "1 sdists and 0 wheels of litemrc, not one sdist and its wheels"
    assert printed == f"dist: {tmp_path}: {wrong}; empty it, and build again\n"
    (tmp_path / "litemrc-9.9.tar.gz").write_bytes(b"")
    assert dist.main(["--check", "--no-install", "--out", str(tmp_path)]) == 2
    assert f"not of this repository's version {VERSION} (file VERSION); remove it" in capsys.readouterr().err


def test_versions_agree() -> None:
    citation = (REPO / "CITATION.cff").read_text()
    assert re.search(r"(?m)^version: (.*)$", citation)[1] == VERSION
    for name in ("litemrc", "litemrc-studies", "litemrc-gateware"):
        assert metadata.version(name) == VERSION, name
    assert f"litemrc=={VERSION}" in metadata.requires("litemrc-studies")
    command = [sys.executable, "-m", "litemrc.cli.main", "--version"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert printed == f"litemrc {VERSION}\n"
    modules = [path.read_text() for path in (REPO / "firmware/linux/driver").rglob("*.c")]
    named = [each for text in modules for each in re.findall(r'MODULE_VERSION\("(.*)"\)', text)]
    assert named and set(named) == {VERSION}
    # The newest version of the change log that has a date; before the first release there is none.
    released = re.search(r"(?m)^## \[(.*)\] - ", (REPO / "CHANGELOG.md").read_text())
    assert released is None or released[1] == VERSION


def test_authors_keywords_and_address_are_those_of_the_citation() -> None:
    citation = (REPO / "CITATION.cff").read_text()
    authors = re.findall(r"(?m)^  - name: (.*)$", citation)
    keywords = re.search(r"(?m)^keywords: \[(.*)\]$", citation)[1].split(", ")
    address = re.search(r"(?m)^repository-code: *(\S+)", citation)
    for folder, _ in archives.PROJECTS.values():
        project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
        assert [each["name"] for each in project["authors"]] == authors
        assert project["keywords"] == keywords
        assert project.get("urls", {}).get("Repository") == (address and address[1])


def test_relative_links_lead_to_the_tag_of_the_version() -> None:
    text = "![curves](docs/curves.svg) [boards](docs/boards/) [here](#quick-start) [paper](https://example.org/x)"
    assert absolute_links(text, "https://example.org/a/b", "1.2") == (
        "![curves](https://example.org/a/b/raw/v1.2/docs/curves.svg)"
        " [boards](https://example.org/a/b/blob/v1.2/docs/boards/) [here](#quick-start) [paper](https://example.org/x)"
    )
    assert absolute_links(text, None, "1.2") == " boards [here](#quick-start) [paper](https://example.org/x)"
    linked = "[![curves](docs/curves.svg)](docs/serve.md#a-recording)"
    assert absolute_links(linked, "https://example.org/a/b", "1.2") == (
        "[![curves](https://example.org/a/b/raw/v1.2/docs/curves.svg)]"
        "(https://example.org/a/b/blob/v1.2/docs/serve.md#a-recording)"
    )
    assert absolute_links(linked, None, "1.2") == ""


@pytest.mark.parametrize(
    ("suite", "wrong"),
    [
        ("jammy", "the suite is bookworm, trixie or noble (got jammy)"),
        ("trixie", "build/fresh/trixie is there already: remove it"),
    ],
)
def test_fresh_machines_that_cannot_be_made_are_refused(suite: str, wrong: str, tmp_path: Path) -> None:
    script = tmp_path / "scripts/release/fresh_machines.sh"
    (tmp_path / "build/fresh/trixie").mkdir(parents=True)
    script.parent.mkdir(parents=True)
    shutil.copy(REPO / "scripts/release/fresh_machines.sh", script)
    done = subprocess.run([script, suite], capture_output=True, text=True)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr == f"fresh_machines: {wrong}\n"


def test_pythons_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONS", sys.executable)
    found = environments.interpreters()
    own = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert [version for version, python in found.items() if python] == [own]
    assert {"3.11", "3.12", "3.13", "3.14"} <= found.keys()
    monkeypatch.setenv("PYTHONS", "python3.0")
    with pytest.raises(CheckError, match=r"PYTHONS: python3\.0 is not a program"):
        environments.interpreters()


def test_the_text_of_a_release_is_the_section_of_its_version() -> None:
    changes = "# Changelog\n\n## [Unreleased]\n\n- new\n\n"
    changes += "## [1.2.0] - 2027-01-02\n\n- a\n\n## [1.1.0] - 2026-01-02\n\n- b\n"
    assert notes.section("v1.2.0", "1.2.0", changes) == "- a\n"
    assert notes.section("v1.1.0", "1.1.0", changes) == "- b\n"
    with pytest.raises(CheckError, match=r"the tag is v1\.2, and VERSION has 1\.2\.0"):
        notes.section("v1.2", "1.2.0", changes)
    with pytest.raises(CheckError, match=r"no line `## \[1\.3\.0\] - DATE`"):
        notes.section("v1.3.0", "1.3.0", changes)
