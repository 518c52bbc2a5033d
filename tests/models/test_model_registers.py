# SPDX-License-Identifier: BSD-2-Clause
"""The registers read and act as the gateware's; the units behind them count what the golden models do."""

import shutil
import subprocess
from pathlib import Path

import pytest
from litemrc_gateware.counters.dram_traffic import BANK_WORDS, HEAD_WORDS

from tests.models.model_bus import SIZE, ModelBus
from tests.models.model_library import HOT_PAGES, REPO, Model
from tests.models.random_pages import run_pages, run_references
from tests.mutation import mutated_source

EVENTS = {"ev_status", "ev_pending"}  # levels


@pytest.fixture
def bus(library: Path) -> ModelBus:
    return ModelBus(library)


def test_after_reset_every_register_reads_as_the_gatewares(bus: ModelBus) -> None:
    for block, registers in bus.registers.items():
        for each in registers:
            # The gateware's status is 0 until its first clock.
            expected = {"scale": 0, "status": 1}.get(each.name, each.reset) if block == "mrc" else each.reset
            assert bus.read(block, each.name) == expected, f"{block}_{each.name}"


def test_every_register_keeps_as_many_bits_as_the_gatewares(bus: ModelBus) -> None:
    for block, registers in bus.registers.items():
        for each in registers:
            if each.access == "read-only" or each.name in EVENTS:
                continue
            bus.write(block, each.name, 0xFFFFFFFF)
            assert bus.read(block, each.name) == (1 << each.size) - 1, f"{block}_{each.name}"
            bus.write(block, each.name, 0)
            assert bus.read(block, each.name) == 0, f"{block}_{each.name}"


def test_the_state_of_ranks_has_its_upper_word_first(bus: ModelBus) -> None:
    bus.model.set_time(100)
    bus.write("ranks", "command", 2 | 3 << 4)  # domain 2 to self-refresh
    bus.model.set_time(200)
    assert (bus.read("ranks", "state"), bus.model.bus_read(bus.map["blocks"]["ranks"] + 0x24)) == (0, 3 << 8)


def dram_words(bus: ModelBus) -> list[int]:
    """The words of the window behind hits, bits of frames and the list of hot pages."""
    model = bus.model
    before = 2 * model.groups * model.contexts + 2 * model.frames // 32 + 2 * HOT_PAGES
    return bus.window("mrc", before, HEAD_WORDS + BANK_WORDS)


def test_reads_and_writes_of_an_epoch_are_those_of_one_bank_and_no_more_is_known(library: Path) -> None:
    """Of 60 accesses each third writes, whatever the range is; ten are frozen, and a clear begins anew."""
    bus = ModelBus(library, access_bytes=8)
    model = bus.model
    known = bus.fields("mrc", "dram_capabilities")
    assert known == {"banks": 1, "rows": 0, "access_bytes_log2": 3, "refresh_cycles": 0, "row_bytes_log2": 0}
    bus.write("mrc", "range_upper", 20)
    bus.write("mrc", "control", 3)
    for access in range(60):
        model.access_frame(access, access % 3 == 0)
    bus.write("mrc", "control", 3 | 8)
    for access in range(10):
        model.access_frame(access, 1)
    bus.write("mrc", "control", 3)
    bus.write("mrc", "command", 2)  # end_epoch
    zeros = [0] * (BANK_WORDS - 2)
    assert dram_words(bus) == [0] * HEAD_WORDS + [40, 20, *zeros]
    for access in range(5):
        model.access_frame(access, 0)
    assert dram_words(bus)[HEAD_WORDS:] == [40, 20, *zeros]  # the window is held
    bus.write("mrc", "command", 1)  # clear
    model.access_frame(7, 1)
    bus.write("mrc", "command", 4)  # release
    bus.write("mrc", "command", 2)
    assert dram_words(bus)[HEAD_WORDS:] == [0, 1, *zeros]


def test_without_the_bytes_of_an_access_there_are_no_counts_of_dram(library: Path) -> None:
    """As of the plugin of QEMU without caches, whose accesses have any size."""
    bus = ModelBus(library)
    assert not any(bus.fields("mrc", "dram_capabilities").values())
    assert bus.model.set_memory(0, bus.model.frames << 12, 12, 24, 2) == 2**32 - 1  # no power of two


def test_the_interrupt_is_the_end_of_an_epoch_and_a_hot_page_as_enabled(bus: ModelBus) -> None:
    for name, word in {"epoch_length": 3, "hot_threshold": 2, "hot_control": 15, "control": 3}.items():
        bus.write("mrc", name, word)
    # The second access makes the page hot, the third ends the epoch.
    assert [bus.model.access_frame(5, 0) for _ in range(3)] == [0, 1, 1]
    for enabled, asserted in ((0, 0), (1, 1), (2, 1)):
        bus.write("mrc", "ev_enable", enabled)
        assert bus.model.interrupt() == asserted
    bus.write("mrc", "command", 4)  # release
    for enabled, asserted in ((1, 0), (2, 1)):
        bus.write("mrc", "ev_enable", enabled)
        assert bus.model.interrupt() == asserted
    bus.write("mrc", "hot_command", 1)  # take
    assert not bus.model.interrupt()


def test_a_memory_without_page_units_has_none_of_their_registers(library: Path) -> None:
    bus = ModelBus(library, hot_pages=0)
    assert bus.map["blocks"].keys() == {"mrc", "ranks"}
    fields = bus.fields("mrc", "stack_capabilities")
    assert (fields["page_bitmap"], fields["hot_pages_log2"]) == (0, 0)
    bus.write("mrc", "hot_control", 0xFFFFFFFF)
    assert bus.read("mrc", "hot_control") == 0
    words = bus.model.contexts * 2 * bus.model.groups
    assert bus.map["regions"]["mrc_window"][1] == 4 * words


def test_capabilities_are_those_of_the_memory_and_its_ranks(library: Path) -> None:
    model = Model(library, SIZE)
    model.set_memory(0x4000_0000, model.frames << 14, 14, 8, 512)
    model.set_ranks(1, 1, 0b01011, 3, 128)
    capabilities = model.mrc.fields("capabilities")
    assert [capabilities[name] for name in ("page_shift", "queue_log2", "ranks")] == [14, 9, 1]
    assert model.ranks.fields("capabilities") == {"domains_log2": 2, "virtual": 1, "states": 0b01011}
    model.set_time(100)
    model.command(0, 2)  # power-down, which this DRAM cannot reach
    model.set_time(200)
    assert model.state(0) == 0
    model.command(0, 3)
    model.set_time(300)
    assert model.state(0) == 3


@pytest.mark.parametrize("seed", range(3))
def test_bitmap_and_hot_pages_of_every_epoch_are_the_golden_models(bus: ModelBus, seed: int) -> None:
    assert run_pages(bus, seed) > 100


@pytest.mark.parametrize("seed", range(3))
def test_reference_counters_are_the_golden_models(bus: ModelBus, seed: int) -> None:
    assert run_references(bus, seed) > 200


def run_claims(bus: ModelBus, seed: int = 0) -> None:
    """Claims four frames from the last but one on, with bits of frame and context that do not count."""
    model = bus.model
    bus.write("mrc", "control", 3)  # enable, hold
    bus.write("mrc", "claim", (model.frames + model.frames - 2) | (model.contexts + 2) << 24 | 2 << 29)
    for frame in (model.frames - 3, model.frames - 2, model.frames - 1, 0, 1):
        model.access_frame(frame, 0)
    bus.write("mrc", "command", 2)  # end_epoch
    assert [row[model.groups] for row in model.window_rows()] == [3, 0, 2, 0]  # misses


def test_a_claim_leaves_out_the_frames_behind_the_last_one(bus: ModelBus) -> None:
    run_claims(bus)


MUTANTS = (
    ("monitor.hpp", "frame < behind && frame < frames_", "frame < behind", run_claims),
    ("monitor.hpp", "frame, context, true,", "frame, context_, true,", run_claims),
    ("registers/monitor.hpp", "field(value, LITEMRC_CLAIM_ORDER)", "0", run_claims),
    ("registers/monitor.hpp", "words_[LITEMRC_HOT_LOWER], words_", "0, words_", run_pages),
    (
        "registers/monitor.hpp",
        "word -= pages.bitmap_words();",
        "word -= pages.bitmap_words() - 2;",
        run_pages,
    ),
    ("monitor.hpp", "operation.frame < filter_.lower ||", "", run_pages),
    (
        "registers/refs.hpp",
        "UPPER = LITEMRC_REFS_DELAY_UPPER",
        "UPPER = LITEMRC_REFS_DELAY_LOWER",
        run_references,
    ),
    ("registers/refs.hpp", "? initial : value", "? value : value", run_references),
)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant[1])
def test_a_fault_in_the_registers_is_found(mutant: tuple, library: Path, tmp_path: Path) -> None:
    source, text, fault, run = mutant
    sources = tmp_path / "model"
    shutil.copytree(REPO / "models", sources)
    (sources / source).write_text(mutated_source(sources / source, text, fault))
    faulty = tmp_path / "liblitemrc_model.so"
    objects = sorted(each for each in library.parent.glob("*.o") if each.name != "model.o")
    command = [
        "g++",
        "-std=c++17",
        "-fPIC",
        "-shared",
        "-fvisibility=hidden",
        "-I",
        REPO / "firmware/include",
    ]
    subprocess.run([*command, sources / "model.cpp", *objects, "-o", faulty], check=True)
    with pytest.raises(AssertionError):
        run(ModelBus(faulty), 0)
