# SPDX-License-Identifier: BSD-2-Clause
"""Intents files, colors painted by them, and the trays that guidance chooses."""

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.cli.main import main
from litemrc.errors import UserError
from litemrc_studies.jantz2013.policies.color_ranges import ColorRanges
from litemrc_studies.jantz2013.policies.guidance import Guidance, MemNice
from litemrc_studies.jantz2013.policies.intents import COLD, HOT, ColorIntent, intents_text, parse_intents
from litemrc_studies.jantz2013.policies.recycling import Residents, victims
from litemrc_studies.jantz2013.policies.trays import Tray, TrayChoice, map_colors

# Jantz et al. 2013, section 4.1: the declarations of its steps 1 and 2, then step 3 as it stands there.
PAPER = """\
INTENT MEM-INTENSITY
INTENT MEM-CAPACITY
MEM-INTENSITY RED 0 //hot pages
MEM-CAPACITY RED 5 //hint- 5% of RSS
MEM-INTENSITY BLUE 1 //cold pages
MEM-CAPACITY BLUE 3 //hint- 3% of RSS
"""
PAINTS = st.lists(
    st.tuples(st.integers(0, 29), st.integers(1, 12), st.sampled_from(("RED", "BLUE", None))), max_size=12
)


def test_the_papers_example_is_read():
    assert parse_intents(PAPER) == {
        "RED": ColorIntent("RED", intensity=HOT, capacity_percent=5),
        "BLUE": ColorIntent("BLUE", intensity=COLD, capacity_percent=3),
    }


def test_comments_and_empty_lines_say_nothing():
    assert parse_intents("// nothing\n\n   // INTENT X\n") == {}
    spaced = "\n\tINTENT  MEM-CAPACITY//x\n MEM-CAPACITY\tRED  7 // y // z\n"
    assert parse_intents(spaced)["RED"].capacity_percent == 7


def test_a_text_of_intents_is_read_as_the_same():
    colors = parse_intents(PAPER + "INTENT MEM-ISOLATION\nMEM-ISOLATION RED 1\nINTENT MEM-AFFINITY\n")
    assert parse_intents(intents_text(colors)) == colors


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("MEM-INTENSITY RED 0\n", 1, "MEM-INTENSITY is not declared"),
        ("INTENT MEM-INTENSITY\n\nMEM-INTENSITY RED 2\n", 3, "cannot be '2'"),
        ("INTENT MEM-INTENSITY\nMEM-INTENSITY RED -1\n", 2, "cannot be '-1'"),
        ("INTENT MEM-CAPACITY\nMEM-CAPACITY RED 101\n", 2, "cannot be '101'"),
        ("INTENT MEM-CAPACITY\nMEM-CAPACITY RED 5%\n", 2, "cannot be '5%'"),
        ("INTENT MEM-CAPACITY\nMEM-CAPACITY RED \u0665\n", 2, "cannot be"),
        ("INTENT MEM-CAPACITY\nMEM-CAPACITY RED\n", 2, "1 words after MEM-CAPACITY"),
        ("INTENT MEM-CAPACITY\nMEM-CAPACITY RED 5 hint\n", 2, "3 words after MEM-CAPACITY"),
        ("INTENT MEM-CAPACITY\nMEM-CAPACITY 5 RED\n", 2, "'5' is not a color name"),
        ("INTENT\n", 1, "0 words after INTENT"),
        ("INTENT MEM-SPEED\n", 1, "unknown intent 'MEM-SPEED'"),
        ("INTENT MEM-CAPACITY\nMEM-SPEED RED 1\n", 2, "unknown intent 'MEM-SPEED'"),
        ("intent MEM-CAPACITY\n", 1, "unknown intent 'intent'"),
        ("INTENT MEM-CAPACITY\nINTENT MEM-CAPACITY\n", 2, "declared twice, first in line 1"),
        ("INTENT MEM-CAPACITY\nMEM-CAPACITY RED 5\nMEM-CAPACITY RED 5\n", 3, "stated twice; it was 5 before"),
        ("INTENT MEM-CAPACITY\nMEM-CAPACITY A 60\nMEM-CAPACITY B 41\n", 3, "101 % of the resident set"),
    ],
)
def test_what_is_wrong_is_reported_with_its_line_and_a_remedy(text, line, what):
    with pytest.raises(UserError) as error:
        parse_intents(text, "app.intents")
    assert error.value.where == f"app.intents:{line}"
    assert what in error.value.what
    assert error.value.remedy


def test_the_command_shows_colors(tmp_path, capsys):
    file = tmp_path / "app.intents"
    file.write_text(PAPER)
    assert main(["intents", "check", str(file)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "color  MEM-INTENSITY   MEM-CAPACITY",
        "RED                0              5",
        "BLUE               1              3",
    ]
    assert main(["intents", "check", str(file), "--json"]) == 0
    first = json.loads(capsys.readouterr().out)["colors"][0]
    assert (first["color"], first["intensity"], first["capacity_percent"]) == ("RED", 0, 5)


@pytest.mark.parametrize("content", [b"INTENT X\n", b"\nMEM-CAPACITY \xff 3\n"])
def test_the_command_ends_with_2_for_a_bad_file(tmp_path, capsys, content):
    file = tmp_path / "bad.intents"
    file.write_bytes(content)
    assert main(["intents", "check", str(file)]) == 2
    shown = capsys.readouterr().err
    assert f"bad.intents:{content.count(b'X') or 2}" in shown
    assert "remedy" in shown
    assert main(["intents", "check", str(tmp_path / "none")]) == 2


def trays(count=4, free=100, nodes=1, used=()):
    return [Tray(number, number * nodes // count, 100, free, int(number in used)) for number in range(count)]


def intents(**colors):
    """Of each color what is said, by the ends of the intents' names."""
    said = {f"MEM-{name}" for values in colors.values() for name in values}
    lines = [f"INTENT {name}" for name in sorted(said)]
    lines += [
        f"MEM-{name} {color} {value}" for color, values in colors.items() for name, value in values.items()
    ]
    return parse_intents("\n".join(lines))


@settings(max_examples=200, deadline=None)
@given(PAINTS, st.integers(0, 20), st.integers(1, 25))
def test_pages_have_the_color_they_were_painted_last(paints, begin, length):
    ranges, pages = ColorRanges(), [None] * 60
    for first, count, color in paints:
        ranges.paint(first, first + count, color)
        pages[first : first + count] = [color] * count
    assert [ranges.color(page) for page in range(60)] == pages
    within = list(ranges.within(begin, begin + length))
    assert [color for one, two, color in within for _ in range(one, two)] == pages[begin : begin + length]
    assert all(one[1] == two[0] and one[2] != two[2] for one, two in pairwise(within))
    assert ranges.pages("RED") == pages.count("RED")


@pytest.mark.parametrize(("begin", "end"), [(3, 3), (4, 3), (-1, 2)])
def test_ranges_without_pages_are_refused(begin, end):
    with pytest.raises(UserError, match=f"pages {begin} to {end} are not a range"):
        ColorRanges().paint(begin, end, "RED")


def test_an_overlap_is_refused_where_it_is_not_wanted_and_changes_nothing():
    ranges = ColorRanges()
    ranges.paint(10, 20, "RED")
    ranges.paint(15, 25, "RED", over=False)
    with pytest.raises(UserError, match="pages 20 to 25 already have color RED, not BLUE"):
        ranges.paint(20, 30, "BLUE", over=False)
    ranges.paint(25, 30, "BLUE", over=False)
    ranges.paint(5, 10, "BLUE", over=False)
    ranges.paint(5, 10, None)
    with pytest.raises(UserError, match="pages 12 to 22 already have color RED, not BLUE"):
        ranges.paint(12, 22, "BLUE", over=False)
    assert list(ranges) == [(10, 25, "RED"), (25, 30, "BLUE")]


def test_hot_and_cold_pages_are_led_to_different_trays():
    """Of 300 resident pages 50 % are hot: 150, on 2 trays of 100."""
    choices = map_colors(
        intents(RED={"INTENSITY": 0, "CAPACITY": 50}, BLUE={"INTENSITY": 1, "CAPACITY": 3}), trays(), 300
    )
    assert choices["RED"].preferred == (0, 1, 2, 3)
    assert choices["BLUE"].preferred == (3, 2, 1, 0)
    assert not choices["RED"].bound
    assert choices[None] == TrayChoice()


def test_an_isolated_color_has_its_trays_for_itself():
    """150 pages need 2 trays; the last one is in use already, so the two before it come first."""
    choices = map_colors(
        intents(OLD={"ISOLATION": 1, "CAPACITY": 50}, RED={"INTENSITY": 0}), trays(used=(3,)), 300
    )
    assert choices["OLD"] == TrayChoice((2, 1), True)
    assert choices[None] == TrayChoice((0, 3), True)
    assert set(choices["RED"].preferred) == {0, 3}
    assert choices["RED"].bound


def test_a_share_is_rounded_up_to_pages():
    """A quarter of 401 resident pages is 100.25: 101 pages, on 2 trays of 100."""
    for resident, own in ((400, (3,)), (401, (3, 2))):
        choices = map_colors(intents(OLD={"ISOLATION": 1, "CAPACITY": 25}), trays(), resident)
        assert choices["OLD"].preferred == own


def test_hot_and_cold_pages_begin_at_opposite_ends_of_what_isolation_leaves():
    choices = map_colors(
        intents(
            OLD={"ISOLATION": 1, "CAPACITY": 10, "INTENSITY": 0},
            WARM={"INTENSITY": 0, "CAPACITY": 25},
            COLD={"INTENSITY": 1},
            PLAIN={"ISOLATION": 0, "RECYCLE": 0},
        ),
        trays(),
        400,
    )
    assert choices["OLD"] == TrayChoice((3,), True, False)
    assert choices["WARM"] == TrayChoice((0, 1, 2), True)
    assert choices["COLD"] == TrayChoice((2, 1, 0), True)
    assert choices["PLAIN"] == TrayChoice((0, 1, 2), True)
    assert map_colors(intents(PLAIN={"RECYCLE": 0}), trays(), 400)["PLAIN"] == TrayChoice()


def test_isolation_and_affinity_take_unused_trays_of_the_node():
    colors = intents(OLD={"ISOLATION": 1, "CAPACITY": 10, "AFFINITY": 0}, NEAR={"AFFINITY": 0})
    choices = map_colors(colors, trays(nodes=2), 400)
    assert choices["OLD"] == TrayChoice((1,), True)
    assert choices["NEAR"] == TrayChoice((0,), True)
    assert map_colors(colors, trays(nodes=2, used=(1,)), 400)["OLD"].preferred == (0,)


def test_a_color_recycled_locally_begins_with_the_roomiest_or_the_hottest_tray():
    free = [Tray(number, 0, 100, pages) for number, pages in enumerate((10, 50, 30))]
    for percent, own in ((50, (1,)), (51, (1, 2)), (100, (1, 2, 0))):
        choices = map_colors(intents(RED={"RECYCLE": 1, "CAPACITY": percent}), free, 100)
        assert choices["RED"] == TrayChoice(own, True, True)
    warm = map_colors(intents(RED={"RECYCLE": 1, "CAPACITY": 50, "INTENSITY": 0}), free, 100)["RED"]
    assert warm == TrayChoice((0, 1), True, True)
    near = map_colors(intents(RED={"RECYCLE": 1, "CAPACITY": 10, "AFFINITY": 1}), trays(nodes=2), 100)["RED"]
    assert near == TrayChoice((2,), True, True)


def test_affinity_binds_to_the_trays_of_a_node():
    choices = map_colors(intents(A={"AFFINITY": 0}, B={"AFFINITY": 1}), trays(nodes=2), 100)
    assert (choices["A"], choices["B"]) == (TrayChoice((0, 1), True), TrayChoice((2, 3), True))


def test_a_color_recycled_locally_is_bound_to_what_its_share_needs():
    choices = map_colors(intents(RED={"RECYCLE": 1, "CAPACITY": 40}), trays(), 300)
    assert choices["RED"] == TrayChoice((0, 1), True, True)


@pytest.mark.parametrize(
    ("colors", "what"),
    [
        ({"A": {"AFFINITY": 2}}, "A: no tray of node 2"),
        ({"A": {"ISOLATION": 1, "CAPACITY": 100}}, "A needs 500 pages on trays of its own; 4 trays"),
        ({"A": {"ISOLATION": 1, "CAPACITY": 75}}, "A needs 375 pages"),
        ({"A": {"ISOLATION": 1, "CAPACITY": 30}, "B": {"ISOLATION": 1, "CAPACITY": 50}}, "B needs 250 pages"),
    ],
)
def test_what_the_trays_cannot_give_is_reported_with_the_line_of_the_color(colors, what):
    with pytest.raises(UserError) as error:
        map_colors(intents(**colors), trays(nodes=2), 500)
    assert what in error.value.what
    assert error.value.where.startswith("intents:")
    assert error.value.remedy


def test_a_child_inherits_its_parents_limit_and_cannot_widen_it():
    nice = MemNice(4)
    nice.limit(1, (0, 2))
    nice.fork(1, 2)
    nice.fork(2, 3)
    assert nice.allowed(3) == (0, 2)
    nice.limit(3, (2,))
    with pytest.raises(UserError, match="tray 1 is outside its parent"):
        nice.limit(2, (0, 1))
    nice.limit(1, (0, 1, 2, 3))  # allowed: no parent limited it
    assert (nice.allowed(1), nice.allowed(2), nice.allowed(3)) == ((0, 1, 2, 3), (0, 2), (2,))
    nice.exit(3)
    assert nice.allowed(3) is None


@pytest.mark.parametrize("bad", [(), (4,), (-1,), (0, 0)])
def test_limits_that_cannot_be_are_refused(bad):
    with pytest.raises(UserError):
        MemNice(4).limit(1, bad, "here")


def test_a_limit_is_stronger_than_a_color():
    nice = MemNice(4)
    nice.limit(1, (0, 1))
    assert nice.narrow(1, TrayChoice((3, 1))) == TrayChoice((1, 0), True)
    assert nice.narrow(1, TrayChoice((3, 1), True)) == TrayChoice((1,), True)
    assert nice.narrow(1, TrayChoice((3, 2), True, True)) == TrayChoice((0, 1), True, True)
    assert nice.narrow(2, TrayChoice((3,))) == TrayChoice((3,))


def test_guidance_is_inherited_changed_at_any_time_and_ends_with_the_process():
    guidance = Guidance(trays())
    guidance.intend(1, intents(OLD={"ISOLATION": 1, "CAPACITY": 10}), 100, trays())
    guidance.paint(1, 0, 10, "OLD")
    guidance.fork(1, 2)
    guidance.paint(2, 5, 10, None)
    assert [guidance.color(process, 7) for process in (1, 2, 3)] == ["OLD", None, None]
    assert guidance.choice(2, "OLD").preferred == (3,)
    assert guidance.choice(3, None) == TrayChoice((0, 1, 2), True)  # the isolated tray is closed
    for process, known in ((1, "OLD"), (7, "none")):
        with pytest.raises(UserError, match=f"process {process} has no intent with color RED") as refused:
            guidance.paint(process, 0, 1, "RED")
        assert refused.value.remedy.endswith(f"its colors are {known}")
    assert list(guidance.colors(2, 3, 8)) == [(3, 5, "OLD"), (5, 8, None)]
    assert list(guidance.colors(3, 3, 8)) == [(3, 8, None)]
    guidance.paint(3, 0, 2, None)
    guidance.fork(5, 6)
    assert guidance.choice(6, "OLD") == guidance.choice(5, None) == TrayChoice((0, 1, 2), True)
    guidance.exit(1)
    assert guidance.choice(3, None) == TrayChoice((0, 1, 2), True)  # the child still has it
    guidance.exit(2)
    assert guidance.choice(3, None) == TrayChoice()


def test_two_applications_cannot_isolate_the_same_tray():
    guidance = Guidance(trays())
    for process, tray in ((1, 3), (2, 2), (3, 1)):
        guidance.intend(process, intents(OLD={"ISOLATION": 1, "CAPACITY": 10}), 100, trays())
        assert guidance.choice(process, "OLD").preferred == (tray,)
    with pytest.raises(UserError, match="on trays of its own"):
        guidance.intend(4, intents(OLD={"ISOLATION": 1, "CAPACITY": 10}), 100, trays())


def residents(rows):
    last_used, tray, color, file, pinned = np.array(rows).T
    return Residents(last_used, tray, color, file.astype(bool), pinned.astype(bool))


def test_victims_are_files_first_then_the_oldest_within_trays_and_color():
    pages = residents(
        # last used, tray, color, file, pinned
        [(5, 0, 1, 0, 0), (9, 0, 1, 1, 0), (1, 1, 1, 0, 0), (2, 0, 2, 0, 0), (0, 0, 1, 0, 1), (7, 1, 1, 1, 0)]
    )
    assert victims(pages, 9).tolist() == [5, 1, 2, 3, 0]
    assert victims(pages, 3).tolist() == [5, 1, 2]
    assert victims(pages, 9, trays=(0,)).tolist() == [1, 3, 0]
    assert victims(pages, 1, trays=(0,), color=1).tolist() == [1]
    assert victims(pages, 9, color=2).tolist() == [3]
    assert victims(pages, 9, color=3).tolist() == []
    assert victims(pages, 0).tolist() == []


def test_a_node_whose_trays_are_all_isolated_is_reported():
    colors = intents(OLD={"ISOLATION": 1, "CAPACITY": 50}, NEAR={"AFFINITY": 1})
    with pytest.raises(UserError, match="NEAR: all trays of node 1 are isolated") as error:
        map_colors(colors, trays(nodes=2), 400)
    assert error.value.where == "intents:6"  # behind three declarations and OLD's intents


def test_hot_pages_of_a_node_are_led_within_it():
    near = map_colors(intents(A={"AFFINITY": 1, "INTENSITY": 1}), trays(nodes=2), 100)["A"]
    assert near == TrayChoice((3, 2), True)
