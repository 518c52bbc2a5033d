# SPDX-License-Identifier: BSD-2-Clause
"""`make renode` reports a missing Renode before it builds anything; Renode is a stand-in here."""

import subprocess
import sys
from pathlib import Path

import pytest

from scripts.start_renode import why_not

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/start_renode.py"


@pytest.fixture
def renode_says(tmp_path, monkeypatch):
    """renode_says(text): programs `renode` and `renode-test` alone on PATH that print it."""

    def put(text):
        for name in ("renode", "renode-test"):
            program = tmp_path / name
            program.write_text(f"#!/bin/sh\necho '{text}'\n")
            program.chmod(0o755)

    monkeypatch.setenv("PATH", str(tmp_path))
    return put


@pytest.mark.parametrize("version", ["1.15.2", "1.15.3", "1.16.0", "2.0.0"])
def test_a_renode_that_is_new_enough_is_taken(version, renode_says):
    renode_says(f"Renode v{version}\n  build: 03756cb5-202611212104")
    assert why_not() is None
    assert why_not("renode-test") is None


@pytest.mark.parametrize("version", ["1.9.10", "1.15.1"])
def test_an_old_renode_is_refused_with_the_version_needed(version, renode_says):
    renode_says(f"Renode v{version}")
    assert why_not() == f"Renode v{version} is too old; LiteMRC needs 1.15.2 or newer"


def test_a_renode_of_no_version_is_refused(renode_says):
    renode_says("Segmentation fault")
    assert "reports no version" in why_not()


def test_without_renode_it_says_how_to_install_it(renode_says):
    for option in ([], ["--check"]):
        told = subprocess.run([sys.executable, SCRIPT, *option], capture_output=True, text=True)
        assert told.returncode == 2
        assert "renode is not on PATH; LiteMRC needs Renode 1.15.2 or newer" in told.stderr
        for way in ("portable package", "container", "GitHub action"):
            assert way in told.stderr
