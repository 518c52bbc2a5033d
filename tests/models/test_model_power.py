# SPDX-License-Identifier: BSD-2-Clause
"""Ranks of the library under policies and commands: those of the golden model and of the RTL."""

import json
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from litemrc.golden.ranks.meter import MeterWord, PowerState
from litemrc_studies.jantz2013.golden import RankVisitsModel
from litemrc_studies.jantz2013.machine.hardware import RankTiming

from tests.cosim.builder import rank_bench
from tests.cosim.running import counts_of
from tests.models.model_library import REPO, SIZES, Model
from tests.models.random_power import EXITS, REST, SIZE, STATES, run
from tests.models.rank_streams import DYNAMIC, STATIC, play
from tests.mutation import mutated_source

DOMAINS = 4
ENABLE, DISABLE = (1, 1, 0, 0, 0), (0, 1, 0, 0, 0)
EXIT = EXITS[PowerState.SELF_REFRESH]


def ranks_of(library: Path, *, slices: bool = False) -> Model:
    model = Model(library, SIZE)
    model.set_ranks(0, slices, STATES, EXITS[PowerState.POWER_DOWN], EXIT)
    return model


def counted(model: Model, domain: int, word: MeterWord) -> int:
    return model.meter_window(domain * 16 + word)


@pytest.mark.parametrize("slices", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_ranks_are_the_golden_models_in_every_cycle(library: Path, seed: int, slices: bool) -> None:
    sums = run(library, seed, 30_000, slices=slices)
    for word in (MeterWord.ENTERED_POWER_DOWN, MeterWord.ENTERED_SELF_REFRESH, MeterWord.WAKE_UPS):
        assert sums[word] > 20


# A source of the library, a text in it, and what stands there instead; whether the domains are slices.
MUTANTS = (
    ("rank_power.hpp", "idle_since_ = std::max(now, ready_) + 1;", "idle_since_ = now + 1;", False),
    ("rank_power.hpp", "            commanded_ = AWAKE;\n", "", False),
    ("rank_power.hpp", "view.may_lose && settings.partial", "view.may_lose", False),
    ("rank_power.hpp", ": std::min(settings.mrc_state, base)", ": settings.mrc_state", True),
)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant[1].strip()[:40])
def test_a_fault_in_the_ranks_is_found(
    mutant: tuple[str, str, str, bool], library: Path, tmp_path: Path
) -> None:
    source, text, fault, slices = mutant
    sources = tmp_path / "model"
    shutil.copytree(REPO / "models", sources)
    (sources / source).write_text(mutated_source(sources / source, text, fault))
    faulty = tmp_path / "liblitemrc_model.so"
    objects = sorted(
        each for each in library.parent.glob("*.o") if each.name != "model.o"
    )  # without power states
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
    with pytest.raises(AssertionError, match="cycle"):
        run(faulty, 1, 60_000, slices=slices)


def test_idle_thresholds_are_those_of_the_model_of_visits(library: Path) -> None:
    """The reference of the tray machine; there the program waits for a rank that wakes."""
    timing = RankTiming(300, 4000, EXITS[PowerState.POWER_DOWN], EXIT, 1 << 40)
    golden, model, draw = RankVisitsModel(DOMAINS, timing), ranks_of(library), random.Random(3)
    model.control(*ENABLE)
    model.set_policy(DYNAMIC, 0, 0, 0)
    model.set_thresholds(300, 4000)
    visits = [(10, rank) for rank in range(DOMAINS)]  # before a rank sleeps for the first time
    visits += [(draw.randrange(1, draw.choice([20, 400, 6000])), draw.randrange(DOMAINS)) for _ in range(400)]
    for gap, rank in visits:
        model.set_time(golden.now + gap)
        model.access_frame(rank * model.frames // DOMAINS, 0)
        golden.visit(gap, 1, rank, 1, 0)
    golden.pause(10_000)
    golden.finish()
    model.set_time(golden.now)
    model.end_epoch()
    (expected,) = golden.samples()
    for domain, ranks in enumerate(expected):
        standby = counted(model, domain, MeterWord.PRECHARGE_STANDBY)
        assert standby == ranks.precharge_standby + ranks.active_standby
        for word in (
            MeterWord.POWER_DOWN,
            MeterWord.SELF_REFRESH,
            MeterWord.ENTERED_POWER_DOWN,
            MeterWord.ENTERED_SELF_REFRESH,
            MeterWord.WAKE_UPS,
            MeterWord.WAKING,
        ):
            assert counted(model, domain, word) == getattr(ranks, word.name.lower()), (domain, word)
        assert ranks.wake_ups > 20


@pytest.mark.cosim
def test_residencies_and_wake_ups_are_those_of_the_rtl(library: Path, tmp_path: Path) -> None:
    """Rank power beside LiteDRAM at DDR3-800; the library has no refreshes, and no cycles of an entry."""
    bench, events = rank_bench("power", "800"), tmp_path / "events.txt"
    sums = dict.fromkeys(MeterWord, 0)
    for seed in range(2):
        model = ranks_of(library)
        events.write_text("\n".join(play(model, seed, 60)) + "\n")
        rtl = counts_of(bench, "replay", events)
        for domain in range(DOMAINS):
            found = {word: counted(model, domain, word) for word in MeterWord}
            expected = {
                word: rtl[f"domain{domain}_{word.name.lower()}"]
                for word in (
                    MeterWord.POWER_DOWN,
                    MeterWord.SELF_REFRESH,
                    MeterWord.ENTERED_SELF_REFRESH,
                    MeterWord.WAKE_UPS,
                    MeterWord.WAKING,
                )
            }
            for word in (MeterWord.ENTERED_SELF_REFRESH, MeterWord.WAKE_UPS):
                assert found[word] == expected[word]
            # An entry parks the controller; two self-refreshes are a quarter of tREFI apart.
            deep = MeterWord.SELF_REFRESH
            assert abs(found[deep] - expected[deep]) <= EXIT * found[MeterWord.ENTERED_SELF_REFRESH]
            # In power-down a rank is raised for each refresh: some 25 cycles of 780.
            down, entries = MeterWord.POWER_DOWN, found[MeterWord.ENTERED_POWER_DOWN]
            assert 0.96 * found[down] - 64 * entries <= expected[down] <= found[down] + 64 * entries
            # The RTL counts until the gate opens, the library until the first column access.
            waking = MeterWord.WAKING
            slept = found[MeterWord.ENTERED_SELF_REFRESH] + entries
            assert abs(found[waking] - expected[waking]) <= 10 * slept
            for word in MeterWord:
                sums[word] += found[word]
    assert sums[MeterWord.WAKE_UPS] > 60 and sums[MeterWord.ENTERED_SELF_REFRESH] > 30


def test_accesses_matter_while_a_rank_sleeps_or_may(library: Path) -> None:
    model = ranks_of(library)
    model.set_time(1000)
    assert not model.needs_accesses()
    model.command(1, PowerState.SELF_REFRESH)
    assert model.state(1) == PowerState.SELF_REFRESH and model.needs_accesses()
    # The monitor is disabled, and an access wakes the rank all the same.
    model.set_time(2000)
    model.access_frame(model.frames // DOMAINS, 0)
    assert model.state(1) == 0 and not model.needs_accesses()
    model.set_policy(STATIC, PowerState.POWER_DOWN, 0, 0)
    assert model.needs_accesses()
    model.set_policy(0, 0, 0, 0)
    assert not model.needs_accesses()
    model.control(*ENABLE)
    assert model.needs_accesses()
    model.control(*DISABLE)
    assert not model.needs_accesses()


def test_when_accesses_begin_to_matter_caches_are_empty_and_idle_cycles_start(library: Path) -> None:
    model = ranks_of(library)
    model.set_memory(0, model.frames << 12, 12, 8, 2)
    model.set_caches(256, 1, 32, 512, 16)
    model.set_thresholds(100, 0)
    model.control(*ENABLE)
    model.access(64, 0)
    fetched = model.dram_accesses()
    model.control(*DISABLE)
    assert not model.needs_accesses()
    model.set_time(5000)  # for all the library knows, a processor without a hook accessed memory until now
    model.set_policy(DYNAMIC, 0, 0, 0)
    model.set_time(5000 - REST + 99)  # it has rested, so that a command would have an effect at once
    assert model.state(0) == 0
    model.set_time(5000 - REST + 100)
    assert model.state(0) == PowerState.POWER_DOWN
    model.access(64, 0)
    assert model.dram_accesses() == 2 * fetched
    # The monitor joins: the caches stay as they are.
    model.control(*ENABLE)
    model.access(64, 0)
    assert model.dram_accesses() == 2 * fetched


def test_a_counter_beyond_32_bits_is_reported(library: Path) -> None:
    model = ranks_of(library)
    model.set_time(2**32)
    model.end_epoch()
    assert counted(model, 0, MeterWord.PRECHARGE_STANDBY) == 2**32 - 1 and model.meter_overflow()
    model.release()
    model.set_time(2**32 + 5)
    model.end_epoch()
    assert counted(model, 0, MeterWord.PRECHARGE_STANDBY) == 5 and not model.meter_overflow()


def test_a_reset_wakes_all_ranks_and_forgets_the_policy(library: Path) -> None:
    model = ranks_of(library)
    model.set_policy(STATIC, PowerState.SELF_REFRESH, 0, 0)
    model.set_time(500)
    assert model.state(2) == PowerState.SELF_REFRESH
    model.reset()
    model.set_time(500)
    assert [model.state(domain) for domain in range(DOMAINS)] == [0] * DOMAINS
    assert not model.needs_accesses()


def test_without_ranks_nothing_sleeps(library: Path) -> None:
    ranks = ranks_of(library)
    model = Model(library, SIZES[0])
    assert "ranks" not in model.blocks
    base = json.loads(ranks.bus_map())["blocks"]["ranks"]
    for address in range(base, base + 0x40, 4):
        model.bus_write(address, 0xFFFFFFFF)
        assert model.bus_read(address) == 0
    model.set_time(1000)
    assert not model.needs_accesses()
