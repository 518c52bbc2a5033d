# SPDX-License-Identifier: BSD-2-Clause
"""Colors, memnice and init's policy place a program's pages on ranks, by system calls of a stock kernel."""

import re

import pytest

from tests.linux.ranks.placed import HOLD, LET_GO, RANK_PAGES, nodes
from tests.timeouts import wait_until

REFUSED = 2


def all_nodes(output):
    return [[int(word) for word in line.split()] for line in re.findall(r"^nodes (.*)$", output, re.M)]


def test_programs_leave_rank_0_to_the_kernel_while_others_have_room(ranks):
    assert nodes(ranks.check("/nodes touch 5000"))[0] == 0
    assert nodes(ranks.check("/nodes touch 1000")) == [0, 1000, 0, 0]


def test_hot_and_cold_colors_are_on_ranks_of_their_own(ranks):
    """The example of Jantz et al. 2013, section 4.1: one rank less has to stay awake."""
    output = ranks.check("litemrc-guide /intents -- /nodes color HOT 200 COLD 700")
    hot, cold = all_nodes(output)
    assert cold == [0, 0, 0, 700]
    assert hot[3] == 0 and sum(hot) == 200


def test_the_ranges_of_hotcold_are_interleaved_or_colored(ranks):
    """Of 60 and 240 pages each rank has a quarter if interleaved; if colored, the cold ones have rank 3."""
    run = (
        "{} >/tmp/out & until grep -q filled /tmp/out; do sleep 0.1; done;"
        " grep -E 'anon=(60|240) ' /proc/$(pidof hotcold)/numa_maps; kill $(pidof hotcold); wait"
    )
    interleaved = ranks.check(run.format("hotcold 60 240 /tmp/turns interleaved"))
    for pages in (60, 240):
        line = re.search(rf".*anon={pages} .*", interleaved)[0]
        assert re.findall(r"N\d=(\d+)", line) == [str(pages // 4)] * 4
    colored = ranks.check(run.format("litemrc-guide --color HOT /intents -- hotcold 60 240 /tmp/turns"))
    assert re.search(r"anon=240 .*N3=240 ", colored)
    assert "N3" not in re.search(r".*anon=60 .*", colored)[0]
    assert len(ranks.check("cat /tmp/turns").splitlines()) > 1


def test_an_isolated_color_has_its_ranks_and_no_other_page_of_the_program(ranks):
    output = ranks.check("litemrc-guide --resident 2000 /isolated -- /nodes color OWN 900 HOT 300")
    own, hot = all_nodes(output)
    assert own == [0, 0, 0, 900], "the upper end, as 50 % of 2,000 pages fit one rank"
    assert hot[3] == 0
    plain = ranks.check("litemrc-guide --resident 2000 /isolated -- /nodes touch 9000")
    assert nodes(plain)[3] == 0, "uncolored pages may not use it either, and swap instead"


def test_a_recycled_color_stays_on_its_rank_when_it_outgrows_it(ranks):
    """Section 8.2: a tenth of 20,000 pages is one rank."""
    plan = ranks.check("litemrc-guide --resident 20000 /intents")
    rank = int(re.search(r"^SCRATCH bind (\d)", plan, re.M)[1])
    found = nodes(
        ranks.check(f"litemrc-guide --resident 20000 /intents -- /nodes color SCRATCH {RANK_PAGES + 400}")
    )
    assert [pages for node, pages in enumerate(found) if node != rank] == [0, 0, 0]
    assert found[rank] > RANK_PAGES // 2


def test_a_program_that_colors_nothing_has_one_color(ranks):
    assert nodes(ranks.check("litemrc-guide --color COLD /intents -- /nodes touch 500")) == [0, 0, 0, 500]


def test_without_the_guide_colors_do_nothing(ranks):
    assert nodes(ranks.check("/nodes color HOT 300")) == [0, 300, 0, 0]


def test_an_unknown_color_is_an_error_of_the_call(ranks):
    code, output = ranks.run("litemrc-guide /intents -- /nodes color MAUVE 3")
    assert code == 1 and "No such file" in output


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("litemrc-guide /nothing", "give an existing file"),
        ("litemrc-guide --color MAUVE /intents -- true", "no intent for the color 'MAUVE'"),
        ("litemrc-guide /intents -- /no/program", "give a program"),
        ("litemrc-guide --resident 4000 --color SCRATCH /intents -- true", "start the program with memnice"),
        ("litemrc-guide", "usage"),
        ("memnice 5 -- true", "ranks 0-4 are not all there"),
        ("memnice 0 -- true", "is no number of ranks"),
        ("memnice 2", "usage"),
        ("memnice 1-2 -- memnice 3 -- true", "give ranks of"),
    ],
)
def test_what_cannot_be_is_refused_with_a_remedy(ranks, command, message):
    code, output = ranks.run(command)
    assert code == REFUSED and message in output
    assert ranks.run("ls -d /sys/fs/cgroup/memnice-*")[0] != 0, "nothing is left behind"


def test_memnice_keeps_a_program_and_its_children_on_their_ranks(ranks):
    for limit, allowed in (("2-3", {2, 3}), ("2", {0, 1}), ("3,1", {1, 3})):
        found = nodes(ranks.check(f"memnice {limit} -- sh -c '/nodes touch 3000; true'"))
        assert {node for node, pages in enumerate(found) if pages} <= allowed
        assert sum(found) > 2500


def test_memnice_holds_against_colors_and_system_calls(ranks):
    """The limit protects others, a color is a hint (policies/guidance.py)."""
    found = all_nodes(ranks.check("memnice 1-2 -- litemrc-guide /intents -- /nodes color COLD 300"))
    assert found == [[0, 0, 300, 0]], "of COLD's order 3, 2, 1, 0 the first that is allowed"
    found = all_nodes(ranks.check("memnice 1-2 -- litemrc-guide /isolated -- /nodes touch 300"))
    assert sum(found[0][1:3]) == 300, "a policy without rank 0 would starve the kernel: it is a hint"
    code, output = ranks.run("memnice 1 -- /nodes bind 3 10")
    assert code == 1 and "Invalid argument" in output


def test_a_limit_within_a_limit_is_narrower(ranks):
    assert nodes(ranks.check("memnice 1-3 -- memnice 3-3 -- /nodes touch 400")) == [0, 0, 0, 400]


def test_the_pages_views_of_the_paper_are_files_of_linux(ranks):
    """Section 5.3: free memory of each tray, and the trays behind a virtual range."""
    ranks.check(HOLD.format("hold 2 350"))
    maps = ranks.check("grep bind:2 /proc/$(pidof nodes)/numa_maps")
    assert "N2=350" in maps
    meminfo = "grep MemUsed /sys/devices/system/node/node2/meminfo"
    # The counters of a processor join those of its node each second.
    wait_until(lambda: int(re.search(r"(\d+) kB", ranks.check(meminfo))[1]) >= 350 * 4)
    ranks.check(LET_GO)
