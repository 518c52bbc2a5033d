# SPDX-License-Identifier: BSD-2-Clause
"""The tracker without hardware behind the daemon: only the name of the engine tells host commands of it."""

import json
import re
import subprocess

import pytest
from litemrc.epochs.files import read_epochs

from tests.linux.daemon.conftest import LITEMRC, booted

PAGES = 300  # LOOP_PAGES of guest.c
GROUP_PAGES = 256  # 16,384 frames in 64 groups
OTHERS = 60  # at most: pages of code, stack, C library and page tables' users
MEMORY = 0x80000000
# Shorter than the loop: each access is a protection fault. Scans come too rarely to see one.
TRACKER = f'"tracker=memory={MEMORY} frames_log2=14 scan_list=64 period_ms=60000"'


@pytest.fixture(scope="module")
def tracker_port(tmp_path_factory):
    with booted(tmp_path_factory.mktemp("tracker") / "qemu.log", TRACKER) as port:
        yield port


def litemrc(*words):
    return subprocess.run([*LITEMRC, *words], check=True, capture_output=True, text=True, timeout=120).stdout


def test_the_device_names_the_engine(tracker_port):
    assert re.search(
        r"^stack engine +os, 16384 pages", litemrc("device", "--port", tracker_port, "--timeout", "30"), re.M
    )


def test_collect_gets_the_curve_of_a_loop(tracker_port, tmp_path):
    """20 rounds over 300 pages: 300 first accesses, and 19 x 300 at distance 299, in the second group."""
    rounds = 20
    out = tmp_path / "loop.parquet"
    link = ["--port", tracker_port, "--timeout", "30"]
    half_seconds = ["--epochs", "40", "--epoch-length", "25000000", "--epoch-unit", "cycles"]
    litemrc("collect", *link, *half_seconds, "--run", f"loop:2:{rounds}", "-o", str(out))
    table = read_epochs(out)
    assert table.engine == "os"
    rows = table.context == 2
    hits, misses = table.hits[rows].sum(axis=0), int(table.misses[rows].sum())
    assert 0 <= int(hits[1]) - (rounds - 1) * PAGES <= OTHERS
    assert 0 <= misses - PAGES <= OTHERS
    curve = json.loads(litemrc("curve", str(out), "--json"))
    assert curve["misses"] == misses
