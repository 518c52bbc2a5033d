# SPDX-License-Identifier: BSD-2-Clause
"""The check of stock targets' taps on memories that none of them has; and a wrong tap is found."""

import json
from dataclasses import replace
from pathlib import Path

import litemrc_gateware.tap.dram_address as dram_address
import litemrc_gateware.tap.dram_tap as dram_tap
import pytest

from scripts.targets import masters, tap_bench, tap_check
from scripts.targets.dram import DRAM
from tests.mutation import mutated_module

ACCESSES = 1500
# Of machdyne_konfekt, digilent_arty and antmicro_lpddr4_test_board.
FACTS = json.loads((Path(__file__).parent / "drams.json").read_text())
DRAMS = {name: DRAM(**facts) for name, facts in FACTS.items()}


def changed(dram: DRAM, **parts: dict) -> DRAM:
    return replace(dram, **{name: getattr(dram, name) | part for name, part in parts.items()})


def with_ranks(dram: DRAM, ranks: int) -> DRAM:
    return changed(dram, phy={"nranks": ranks}, dfi={"selects": ranks})


def with_contiguous_banks(dram: DRAM) -> DRAM:
    bank = dram.phy["databits"] // 8 << dram.geom["rowbits"] + dram.geom["colbits"]
    return changed(dram, controller={"bank_byte_alignment": bank})


CHECKED = {
    "two ranks": with_ranks(DRAMS["DDR3"], 2),
    "two ranks with contiguous banks": with_contiguous_banks(with_ranks(DRAMS["SDR"], 2)),
    "11 columns": changed(DRAMS["DDR3"], geom={"colbits": 11}, phy={"databits": 32, "dfi_databits": 64}),
}


@pytest.mark.parametrize("name", CHECKED)
def test_the_tap_reports_the_accesses_to_the_arrays(name: str) -> None:
    result = tap_check.check(CHECKED[name], ACCESSES)
    assert result["tap_equal"] is True, result["tap_note"]
    assert result["tap_accesses"] >= ACCESSES


def test_a_wrong_tap_is_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = mutated_module(
        Path(dram_address.__file__), "Cat(*below, column, row)", "Cat(*below, row, column)"
    )
    monkeypatch.setattr(dram_tap, "AddressMapping", wrong.AddressMapping)
    result = tap_check.check(DRAMS["SDR"], ACCESSES)
    assert result["tap_equal"] is False
    assert "arrays (" in result["tap_note"] and "tap (" in result["tap_note"]


def test_a_mutant_that_is_not_caught_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    same = {"none": dram_tap.DRAMTap.of_controller}
    monkeypatch.setattr(tap_bench, "faulty_taps", lambda dram: same)
    result = tap_check.check(DRAMS["SDR"], ACCESSES)
    assert result["tap_equal"] is False
    assert "mutant not caught: none" in result["tap_note"]


def test_data_at_another_address_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """The address of an array's word is not assumed: data that masters wrote name their own."""
    true_address = tap_check.ArrayPorts.address
    monkeypatch.setattr(tap_check.ArrayPorts, "address", lambda *at: true_address(*at) ^ 1 << 14)
    result = tap_check.check(DRAMS["SDR"], ACCESSES)
    assert result["tap_equal"] is False
    assert "the data of another one" in result["tap_note"]


def test_a_phy_of_lpddr4_drops_commands_of_several_masters(monkeypatch: pytest.MonkeyPatch) -> None:
    """So one master is what is checked; the tap reports what the controller issues."""
    monkeypatch.setattr(tap_bench, "master_words", lambda dram: [1, 1])
    seen = tap_check.simulate(DRAMS["LPDDR4"], ACCESSES)
    reported = seen.taps["tap"]
    assert seen.arrays.items() < reported.items()
    assert len(reported) == ACCESSES
    assert any("read [0]" in fault for fault in seen.faults)


def test_a_memory_without_a_model_is_not_checked() -> None:
    result = tap_check.check(changed(DRAMS["DDR3"], phy={"memtype": "RPC"}))
    assert result["tap_equal"] is None
    assert "no model of RPC" in result["tap_note"]


def test_markers_of_near_words_differ() -> None:
    assert len({masters.marker(word, 16) for word in range(1000)}) > 980
