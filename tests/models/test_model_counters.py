# SPDX-License-Identifier: BSD-2-Clause
"""The library counts what the golden model counts, and ends epochs as the gateware's intake does."""

import random
import subprocess
import sys
from pathlib import Path

import pytest
from litemrc.checks.counters import replay
from litemrc.device.simulation.recording import read_recording

from tests.models.model_library import HOT_PAGES, REPO, SIZES, Model, build
from tests.models.random_operations import check, expected_rows, golden_of, run

PAGE_SHIFT = 12


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seed", range(3))
def test_counters_are_the_golden_models_over_random_operations(library: Path, size: str, seed: int) -> None:
    assert run(Model(library, size), seed, 20_000) > 50


def test_memory_and_arithmetic_are_clean_under_sanitizers() -> None:
    # The ap_int headers shift negative numbers to the left.
    flags = "-O1 -fsanitize=address,undefined -fno-sanitize=shift -fno-sanitize-recover=all"
    sanitized = build(REPO / "build/models_sanitized", flags)
    preload = subprocess.run(
        ["g++", "-print-file-name=libasan.so"], check=True, capture_output=True, text=True
    ).stdout.strip()
    environment = {"LD_PRELOAD": preload, "ASAN_OPTIONS": "detect_leaks=0", "PYTHONMALLOC": "malloc"}
    result = subprocess.run(
        [sys.executable, "-m", "tests.models.random_operations", sanitized],
        env=environment,
        cwd=REPO,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-3000:]
    assert result.stdout.count("epochs equal") == len(SIZES)


def test_unknown_sizes_are_refused_and_the_known_ones_named(library: Path) -> None:
    model = Model(library, SIZES[0])
    assert sorted(model.sizes()) == sorted(SIZES)
    assert model._call("create", 1, 512, 256, 16, 4, 4, 0, 0) is None
    assert model._call("create", 1, 256, 256, 16, 4, 4, 0, HOT_PAGES // 2) is None


def test_an_epoch_has_just_its_length_of_accesses(library: Path) -> None:
    model = Model(library, SIZES[0])
    golden = golden_of(model)
    model.control(1, 1, 0, 0, 0)
    model.set_epoch_length(100)
    for epoch in range(3):
        for access in range(100):
            ended = model.access_frame(access * 7 % 64, 0)
            golden.access(access * 7 % 64, 0)
            assert ended == (access == 99)
        check(model, golden.end_epoch())
        assert model.epoch() == epoch + 1
        model.release()


def test_a_held_window_makes_the_epoch_longer_until_it_is_released(library: Path) -> None:
    model = Model(library, SIZES[0])
    model.control(1, 1, 0, 0, 0)
    model.set_epoch_length(10)
    accesses_of = 16 + 1  # the word of context 0
    for _ in range(10 + 25):
        model.access_frame(3, 0)
    assert (model.epoch(), model.window(accesses_of)) == (1, 10)
    model.release()  # the other 25 are an epoch at once
    assert (model.epoch(), model.window(accesses_of), model.epoch_ready()) == (2, 25, 1)
    # Without hold the window is overwritten.
    model.control(1, 0, 0, 0, 0)
    for _ in range(10):
        model.access_frame(3, 0)
    assert (model.epoch(), model.window(accesses_of)) == (3, 10)


def test_single_shot_freezes_behind_an_epoch_until_armed(library: Path) -> None:
    model = Model(library, SIZES[0])
    model.control(1, 1, 0, 0, 1)
    model.set_epoch_length(10)
    for _ in range(30):
        model.access_frame(3, 0)
    model.release()
    assert (model.frozen(), model.epoch()) == (1, 1)
    model.arm()
    for _ in range(10):
        model.access_frame(3, 0)
    assert (model.frozen(), model.epoch(), model.window(16 + 1)) == (1, 2, 10)


def test_cycles_end_epochs_only_where_they_are_the_unit(library: Path) -> None:
    for by_cycles, ends in ((0, 0), (1, 1)):
        model = Model(library, SIZES[0])
        model.set_epoch_length(1000)
        model.control(1, 1, by_cycles, 0, 0)
        model.access_frame(3, 0)
        model.set_time(999)
        assert (model.epoch(), model.cycles_left()) == (0, by_cycles)
        model.set_time(1000)
        assert (model.epoch(), model.cycles_left()) == (ends, 0 if not by_cycles else 1000)
    model.release()
    model.control(0, 1, 1, 0, 0)
    model.set_time(6000)
    assert (model.epoch(), model.cycles_left()) == (1, 0)  # disabled: time stands still


def test_epochs_that_end_within_a_step_of_time_end_in_their_cycles(library: Path) -> None:
    model = Model(library, SIZES[-1])
    model.set_epoch_length(1000)
    model.control(1, 0, 1, 0, 0)
    model.set_time(3500)
    assert (model.epoch(), model.snapshot_clocks(), model.cycles_left()) == (3, 1000, 500)
    model.end_epoch()  # the next one begins here
    assert (model.epoch(), model.snapshot_clocks(), model.cycles_left()) == (4, 500, 1000)


def test_nothing_counts_while_disabled_and_a_reset_forgets(library: Path) -> None:
    model = Model(library, SIZES[0])
    model.access_frame(3, 0)
    model.end_epoch()
    assert not any(map(any, model.window_rows()))
    model.control(1, 1, 0, 0, 0)
    model.access_frame(3, 0)
    model.reset()
    assert (model.epoch(), model.epoch_ready()) == (0, 0)
    model.control(1, 1, 0, 0, 0)
    model.access_frame(3, 0)
    model.end_epoch()
    assert model.window(16) == 1  # a miss again


@pytest.mark.parametrize("size", SIZES[1:3])
def test_the_log_replayed_by_the_golden_model_gives_the_same_epochs(
    library: Path, size: str, tmp_path: Path
) -> None:
    model, draw = Model(library, size), random.Random(5)
    assert model.set_memory(0x4000_0000, model.frames << PAGE_SHIFT, PAGE_SHIFT, 8, 2) == 0
    assert model.set_caches(512, 1, 32, 1024, 16) == 0
    assert model.log(str(tmp_path / "record.npy").encode()) == 0
    model.set_filter(0, model.frames - 10, 1, 0)
    model.control(1, 1, 0, 0, 0)
    model.clear()
    model.set_epoch_length(1500)
    windows = []
    for access in range(20_000):
        if access % 3000 == 17:
            model.set_context(access // 3000 % model.contexts)
            model.invalidate(draw.randrange(model.frames))
            model.claim(draw.randrange(model.frames - 7), draw.randrange(model.contexts), order=3)
        page = int(draw.random() ** 3 * model.frames)
        if model.access(0x4000_0000 + (page << PAGE_SHIFT) + draw.randrange(1024) * 4, draw.getrandbits(1)):
            windows.append(model.window_rows())
            model.release()
    dram_accesses = model.dram_accesses()
    assert model.log(None) == 0

    recording = read_recording(tmp_path / "record.npy", PAGE_SHIFT)
    assert recording.tap.exact and recording.tap.accesses == dram_accesses > 10_000
    counts = recording.counts()
    assert counts["claim"] == 8 * counts["invalidate"] > 0
    epochs = replay(recording, golden_of(model)).epochs
    assert [expected_rows(epoch, model.groups) for epoch in epochs] == windows
    assert len(windows) == dram_accesses // 1500


def test_a_log_that_cannot_be_written_is_reported(library: Path, tmp_path: Path) -> None:
    assert Model(library, SIZES[0]).log(str(tmp_path / "none" / "record.npy").encode()) == 2**32 - 1
