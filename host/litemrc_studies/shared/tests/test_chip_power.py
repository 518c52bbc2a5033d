# SPDX-License-Identifier: BSD-2-Clause
"""The states of a chip, from part files."""

import pytest
from litemrc.errors import UserError
from litemrc_studies.shared.chip_power import find_power


def test_rdram_is_table_4():
    power = find_power("rdram")
    assert power.states == ("active", "standby", "nap", "powerdown")
    assert (power.access_ns, power.access_mw) == (60, 300)
    assert power.waiting_mw == (300, 180, 30, 3)
    assert (power.exit_ns, power.exit_mw) == ((0, 6, 60, 600), (0, 240, 160, 150))


def test_ddr3_by_hand():
    """MT41J64M16-187E:G at 1.5 V and 533.333 MHz: IDD2N 35, IDD2P0 12, IDD3N 45, IDD5B 160, IDD6 8, IDD0 75,
    IDD4R 140.

    A refresh of 59 clocks each 7812.5 ns: (240 - 52.5) mW x 110.625 ns / 7812.5 ns = 2.655 mW. A read: IDD0
    for 27 clocks, 50.625 ns, and (210 - 67.5) mW for 4 of them. tXPDLL 24 ns, tXSDLL 512 clocks, 960 ns.
    """
    power = find_power("ddr3-mt41j64m16")
    assert power.waiting_mw == pytest.approx((67.5 + 2.655, 52.5 + 2.655, 18 + 2.655, 12), abs=1e-4)
    assert (power.access_ns, power.access_mw) == (
        pytest.approx(50.625, abs=1e-4),
        pytest.approx(112.5 + 142.5 * 4 / 27),
    )
    assert power.exit_ns == pytest.approx((0, 0, 24, 960), abs=1e-3)
    assert power.exit_mw == pytest.approx((0, 52.5, 52.5, 52.5))


def test_lpddr3_adds_its_supplies():
    """IDD2N 0.8 mA at 1.8 V and 26 mA at 1.2 V; IDD6 0.5 and 1.8 mA."""
    power = find_power("lpddr3")
    assert power.exit_mw[3] == pytest.approx(0.8 * 1.8 + 26 * 1.2)
    assert power.waiting_mw[3] == pytest.approx(0.5 * 1.8 + 1.8 * 1.2)
    assert power.exit_ns == (0, 0, 7.5, 140)


def test_a_kind_that_several_parts_have_lists_them():
    with pytest.raises(UserError, match="3 parts fit 'ddr3'") as caught:
        find_power("ddr3")
    assert "ddr3-mt41j64m16-187e:g" in caught.value.remedy
    with pytest.raises(UserError, match="no parts fit 'lpddr3-x'") as caught:
        find_power("lpddr3-x")
    assert "lpddr3-edf8132a1mc-1600" in caught.value.remedy


def test_a_part_file_without_exit_times_says_so(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(
        'kind = "sdram"\npart = "MINE"\nmemory = "DDR3"\nmegabits = 1\nwidth_bits = 8\nrefi_ns = 7800\n'
        'datasheet = ""\ncross_check = ""\n[[grades]]\nname = "-1"\nclock_mhz = 500\n'
        "rc = 2\nras = 1\nrfc = 3\n[grades.rails.vdd]\nvolts = 1.5\n"
    )
    with pytest.raises(UserError, match="MINE-1: the exit latency of a low state is unknown"):
        find_power(str(file))


def test_every_part_that_is_complete_can_be_simulated():
    from litemrc.energy.parts.files import known_parts

    for part in known_parts():
        if part.complete:
            power = find_power(part.name)
            assert list(power.waiting_mw) == sorted(power.waiting_mw, reverse=True)
            assert list(power.exit_ns) == sorted(power.exit_ns)
