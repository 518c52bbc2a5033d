# SPDX-License-Identifier: BSD-2-Clause
"""A change concerns the tests of all that depends on it, and no others."""

import subprocess
from pathlib import Path

import pytest

from tests.affected import BUILT, REPO, STUDIES, ImportGraph, affected, changed_files


@pytest.fixture(scope="module")
def graph() -> ImportGraph:
    return ImportGraph()


@pytest.mark.parametrize(
    ("path", "folders", "others"),
    [
        (
            "host/litemrc/curves/curve.py",
            ["tests/host/curves", "tests/host/policies", f"{STUDIES}/jantz2013/tests"],
            ["tests/gateware/tap"],
        ),
        (
            "litex-soc/litemrc_gateware/tap/dram_tap.py",
            ["tests/gateware", "tests/cosim", "tests/soc"],
            ["tests/host/curves"],
        ),
        ("hls/common/words.hpp", ["tests/cosim", "tests/hls", "tests/models"], ["tests/linux"]),
        ("firmware/linux/driver/core.c", ["tests/linux"], ["tests/soc", "tests/cosim"]),
        ("tests/cosim/builder.py", ["tests/cosim"], ["tests/host/curves", "tests/linux"]),
        ("tests/linux/conftest.py", ["tests/linux"], ["tests/host/curves"]),
        ("tests/host/curves/test_curve.py", ["tests/host/curves"], ["tests/host/policies"]),
        ("README.md", [], ["tests/cosim"]),
    ],
)
def test_folders_of_a_change(graph: ImportGraph, path: str, folders: list[str], others: list[str]) -> None:
    found = affected([path], graph)
    for folder in folders:
        assert any(
            folder == each or each.startswith(f"{folder}/") or folder.startswith(f"{each}/") for each in found
        )
    for other in others:
        assert not any(
            other == each or each.startswith(f"{other}/") or other.startswith(f"{each}/") for each in found
        )


@pytest.mark.parametrize("path", ["pyproject.toml", "conftest.py"])
def test_settings_of_all_concern_all_tests(graph: ImportGraph, path: str) -> None:
    # No other folder, as those of the packages in .venv.
    assert affected([path, "hls/common/words.hpp"], graph) == {"tests": path, STUDIES: path}


def test_what_is_built_and_its_tests_exist() -> None:
    for source, folders in BUILT.items():
        assert (REPO / source).exists(), source
        for folder in folders:
            assert folder in ("*", STUDIES) or (REPO / "tests" / folder).is_dir(), folder


def test_an_unknown_commit_is_no_change_of_nothing() -> None:
    assert changed_files("0" * 40) is None


def test_the_change_of_a_commit_is_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def git(*words: str) -> None:
        identity = ["-c", "user.name=any", "-c", "user.email=any@example.org"]
        subprocess.run(["git", *identity, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init")
    for name in ("first", "second"):
        (tmp_path / name).write_text(name)
        git("add", name)
        git("commit", "--message", name)
    (tmp_path / "not yet committed").write_text("any")
    monkeypatch.setattr("tests.affected.REPO", tmp_path)
    assert changed_files("HEAD~1") == ["second", "not yet committed"]
    assert changed_files(None) is None  # the repository is younger than a day
