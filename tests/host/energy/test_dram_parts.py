# SPDX-License-Identifier: BSD-2-Clause
"""Part files: the ones that come along, and what is said of wrong ones."""

import re

import pytest
from litemrc.energy.model import Operation, energy
from litemrc.energy.parts.files import choose_part, find_part, known_parts, part_of_module
from litemrc.errors import UserError
from litemrc.ranks.activity import RankActivity

WHOLE = """
kind = "sdram"
part = "MINE"
memory = "DDR3"
megabits = 1024
width_bits = 16
refi_ns = 7812.5
datasheet = "mine"
cross_check = ""
[[grades]]
name = "-1"
clock_mhz = 800
rc = 39
ras = 28
rfc = 88
[grades.rails.vdd]
volts = 1.5
idd2n = 40
idd3n = 50
idd6_partial = { "1/2" = 5, "1/4" = 4 }
"""


@pytest.fixture
def mine(tmp_path):
    def write(text=WHOLE):
        path = tmp_path / "mine.toml"
        path.write_text(text)
        return path

    return write


def test_currents_are_those_of_the_data_sheet():
    """Some cells of Micron's tables 20 to 22, read again."""
    cells = {
        "MT41K256M16-187E:E": {"idd0": 55, "idd4r": 185, "idd5b": 224},
        "MT41K256M16-107:E": {"idd2p1": 37, "idd3n": 49, "idd4w": 190},
        "MT41K256M16-125:N": {"idd2p0": 8, "idd2n": 24, "idd6": 12},
        "MT41K256M16-093:P": {"idd0": 34, "idd3p": 19, "idd4w": 140, "idd6": 15},
    }
    for name, currents in cells.items():
        found = find_part(name).rails[0].currents
        assert {key: found[key] for key in currents} == currents


def test_every_part_names_its_data_sheet():
    parts = known_parts()
    assert len({part.name for part in parts}) == len(parts)
    assert all(part.datasheet for part in parts)
    assert {part.memory for part in parts} == {"DDR3", "DDR3L", "LPDDR3", "RDRAM"}
    megabits = {part.megabits for part in parts if part.memory.startswith("DDR3") and part.complete}
    assert megabits == {1024, 2048, 4096}


def test_a_part_without_currents_says_why_when_they_are_needed():
    part = find_part("mt41k128m16-125")
    assert not part.complete
    with pytest.raises(UserError, match=r"IDD2N is not known: .*2gb_ddr3l\.pdf") as caught:
        energy(part, RankActivity(precharge_standby=1), Operation(1e8, 4e8))
    assert re.fullmatch(r".*mt41k128m16\.toml: grades\[1\]\.rails\.vdd\.idd2n", caught.value.where)
    assert "--part FILE.toml" in caught.value.remedy


def test_a_name_that_fits_several_parts_lists_them():
    with pytest.raises(UserError, match="MT41K256M16-125:E, MT41K256M16-125:N, MT41K256M16-125:P"):
        find_part("mt41k256m16-125")
    assert find_part("mt41k256m16-125:n").name == "MT41K256M16-125:N"
    assert find_part("mt41j64m16").name == "MT41J64M16-187E:G"
    with pytest.raises(UserError, match="no part 'mt48'"):
        find_part("mt48")


def test_a_file_of_ones_own_is_a_part(mine):
    part = find_part(str(mine()))
    assert part.name == "MINE-1"
    assert part.rails[0].currents == {"idd2n": 40, "idd3n": 50}
    assert part.rails[0].idd6_partial == {0.5: 5, 0.25: 4}
    assert find_part(f"{mine()}:mine-1") == part


@pytest.mark.parametrize(
    ("was", "is_now", "message", "field"),
    [
        ("rc = 39", "", "rc is missing", "grades[0].rc"),
        ("rc = 39", "rc = 20", "rc is 20, ras 28", "grades[0].rc"),
        ("rc = 39", "rc = 28", "rc is 28, ras 28", "grades[0].rc"),
        ("rc = 39", "rc = 39.5", "rc is 39.5", "grades[0].rc"),
        ("refi_ns = 7812.5", "refi_ns = 1_000_000_000", "refi_ns is 1000000000", "refi_ns"),
        ("idd2n = 40", "idd2n = 0", "idd2n is 0", "grades[0].rails.vdd.idd2n"),
        ("idd2n = 40", "idd2n = 60", "idd2n is above idd3n", "grades[0].rails.vdd.idd2n"),
        ("idd2n = 40", "idd2n = -1", "idd2n is -1", "grades[0].rails.vdd.idd2n"),
        ("idd2n = 40", "idd2n = true", "idd2n is True", "grades[0].rails.vdd.idd2n"),
        ("idd2n = 40", 'idd2n = "40"', "idd2n is '40'", "grades[0].rails.vdd.idd2n"),
        ("idd2n = 40", "idd2 = 40", "idd2 is not a field", "grades[0].rails.vdd.idd2"),
        *(
            (
                '"1/2"',
                f'"{part}"',
                f"{part} is not a part of the array",
                f"grades[0].rails.vdd.idd6_partial.{part}",
            )
            for part in ("3/2", "2/2", "0/2", "x/2", "1/x")
        ),
        ('kind = "sdram"', 'kind = "sram"', "kind is 'sram'", "kind"),
        ("[[grades]]", "[grades]", "grades is missing", "grades"),
        ("[grades.rails.vdd]", "[grades.rails]", "is not a table", "grades[0].rails.volts"),
        ("[grades.rails.vdd]", "[grades.x]", "x is not a field", "grades[0].x"),
        ("width_bits = 16", "width_bits = 16\npins = 3", "pins is not a field", "pins"),
        ("[[grades]]", "[exits]\nnap = { ns = 6 }\n[[grades]]", "nap is not a field", "exits.nap"),
        ("[[grades]]", "[exits]\npower_down = {}\n[[grades]]", "power_down is empty", "exits.power_down"),
        (
            "[[grades]]",
            "[exits]\nself_refresh = { ms = 1 }\n[[grades]]",
            "ms is not a field",
            "exits.self_refresh.ms",
        ),
    ],
)
def test_a_wrong_field_is_named_with_its_file(mine, was, is_now, message, field):
    assert WHOLE.count(was) == 1
    path = mine(WHOLE.replace(was, is_now))
    with pytest.raises(UserError) as caught:
        find_part(str(path))
    assert caught.value.what.startswith(message)
    assert caught.value.where == f"{path}: {field}"
    assert caught.value.remedy


def test_a_part_without_a_supply_and_one_without_grades_are_refused(mine):
    head, _, _ = WHOLE.partition("[grades.rails.vdd]")
    with pytest.raises(UserError, match="rails is empty"):
        find_part(str(mine(head + "[grades.rails]\n")))
    with pytest.raises(UserError, match="grades is missing"):
        find_part(str(mine("grades = []\n" + head.partition("[[grades]]")[0])))


def test_the_whole_name_wins_over_others_that_begin_so(mine):
    grades = WHOLE + "[[grades]]" + WHOLE.partition("[[grades]]")[2].replace('"-1"', '"-12"')
    path = mine(grades)
    assert [find_part(f"{path}:mine-{grade}").name for grade in ("1", "12")] == ["MINE-1", "MINE-12"]
    with pytest.raises(UserError, match="several parts match: MINE-1, MINE-12"):
        find_part(str(path))


def test_a_part_is_chosen_by_file_by_grade_or_by_the_clock(tmp_path, mine):
    """Without a hyphen or a file it is a module's name, of which the clock chooses the grade."""
    assert choose_part(str(mine()), 1e6).name == "MINE-1"
    assert choose_part("mt41k64m16-107", 400e6).name == "MT41K64M16-107:J"
    assert choose_part("mt41k64m16", 400e6).name == "MT41K64M16-187E:J"


def test_rdram_is_complete_and_a_clock_may_be_a_thousandth_faster_than_its_grade():
    """MT41K64M16-187E: 533.333 MHz, which are 0.999 of 533.866867."""
    assert find_part("rdram").complete
    assert part_of_module("MT41K64M16", 533.8668e6).name == "MT41K64M16-187E:J"
    assert part_of_module("MT41K64M16", 533.8670e6).name == "MT41K64M16-15E:J"


def test_of_an_exits_nanoseconds_and_clocks_the_longer_counts(mine):
    """At 800 MHz, 10 clocks are 12.5 ns, 512 are 640."""
    text = (
        "[exits]\npower_down = { ns = 24, clocks = 10 }\nself_refresh = { ns = 24, clocks = 512 }\n[[grades]]"
    )
    part = find_part(str(mine(WHOLE.replace("[[grades]]", text))))
    assert (part.power_down_exit_ns, part.self_refresh_exit_ns) == (24, 640)
    assert find_part(str(mine())).self_refresh_exit_ns is None


def test_a_file_that_is_none_is_said_to_be_none(tmp_path, mine):
    with pytest.raises(UserError, match="cannot read: No such file"):
        find_part(str(tmp_path / "not.toml"))
    with pytest.raises(UserError, match="not a TOML file"):
        find_part(str(mine("kind")))
    with pytest.raises(UserError, match="kind is missing"):
        find_part(str(mine("")))


def test_the_name_that_a_board_reports_finds_the_slowest_grade_that_reaches_the_clock():
    cases = [
        ("MT41K64M16", 400e6, "MT41K64M16-187E:J"),
        ("MT41K64M16", 800e6, "MT41K64M16-125:J"),
        ("mt41k256m16", 666.6e6, "MT41K256M16-15E:E"),
        ("MT41K256M16", 2e9, "MT41K256M16-093:P"),  # none reaches it
        ("MT41J128M16", 400e6, "MT41J128M16-125E:D"),
        ("MT41K128M16", 400e6, "MT41K128M16-15E:K"),  # its currents are not known: said when needed
    ]
    assert [part_of_module(module, clock).name for module, clock, _ in cases] == [name for *_, name in cases]
    with pytest.raises(UserError, match="no part 'MT48LC16M16' is known"):
        part_of_module("MT48LC16M16", 100e6)
    with pytest.raises(UserError, match="did not report"):
        part_of_module("", 100e6)
