# SPDX-License-Identifier: BSD-2-Clause
"""Scenarios of the tray machine: files, their keys, what is refused."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from litemrc.cli.main import main
from litemrc.energy.parts.files import find_part
from litemrc.errors import UserError
from litemrc_studies.jantz2013.machine.hardware import Controller, Hardware
from litemrc_studies.jantz2013.machine.machine import Configuration, Costs, Scrambler, TrayMachine
from litemrc_studies.jantz2013.machine.placing import Placer
from litemrc_studies.jantz2013.machine.scenario import Case, TrayScenario
from litemrc_studies.jantz2013.machine.scenario_file import read_tray_scenario
from litemrc_studies.jantz2013.machine.workloads.collector import Collector
from litemrc_studies.jantz2013.machine.workloads.compilation import Compilation
from litemrc_studies.jantz2013.machine.workloads.programs import Program, Programs, Range
from litemrc_studies.jantz2013.machine.workloads.staged import Staged
from litemrc_studies.jantz2013.policies.placement import PlacementParameters
from litemrc_studies.jantz2013.tests.tray_machines import small

SHIPPED = sorted((Path(__file__).parents[1] / "scenarios").glob("*.toml"))
INTENTS = "INTENT MEM-INTENSITY\nMEM-INTENSITY RED 0\nMEM-INTENSITY BLUE 1\n"
SMALL = """\
title = "small"
workload = "programs"
seed = 1
visits = 20000
[machine]
trays = 4
tray_mib = 8
sample_ms = 1
[[process]]
name = "p"
intents = "app.intents"
trays = [0, 2]
[[process.range]]
name = "hot"
mib = 4
color = "RED"
[[process.range]]
name = "cold"
mib = 6
weight = 0.1
color = "BLUE"
[[configuration]]
name = "default"
allocator = "buddy"
[[configuration]]
name = "colors"
"""
COMPILATION = """\
title = "make"
workload = "compilation"
[machine]
trays = 4
tray_mib = 8
[compilation]
units = 3
header_pages = 100
heap_pages = 100
[[configuration]]
name = "one"
memnice = 1
"""


@pytest.fixture
def write(tmp_path):
    def write_it(text=SMALL, intents=INTENTS):
        (tmp_path / "app.intents").write_text(intents)
        path = tmp_path / "small.toml"
        path.write_text(text)
        return path

    return write_it


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_every_scenario_that_comes_along_can_be_read(path):
    scenario = read_tray_scenario(path)
    assert len(scenario.cases) > 1
    assert all(case.workload.resident_pages <= case.configuration.hardware.pages for case in scenario.cases)


def test_what_a_scenario_says_is_what_runs(write):
    scenario = read_tray_scenario(write())
    default, colors = (case.configuration for case in scenario.cases)
    assert (default.allocator, default.guidance, colors.allocator, colors.guidance) == (
        *("buddy", False),
        *("tray", True),
    )
    assert (colors.hardware.trays, colors.hardware.tray_pages) == (4, 2048)
    program = scenario.cases[0].workload.programs[0]
    assert program.trays == (0, 2)
    assert program.colors == ((0, 1024, "RED"), (1024, 2560, "BLUE"))
    assert set(program.intents) == {"RED", "BLUE"}


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("trays = [0, 2]", "trays = [0, 4]", "tray 4 does not exist"),
        ("trays = [0, 2]", "trays = []", "no tray is given"),
        ("trays = [0, 2]", "trays = [1, 1]", "a tray is given twice"),
        ("trays = [0, 2]", "trays = 2", "is 2"),
        ("trays = [0, 2]", "trays = [0, true]", "is [0, True]"),
        ("trays = [0, 2]", 'trays = [0, "1"]', "is [0, '1']"),
        ("visits = 20000", "visits = 0", "is 0"),
        ('name = "hot"', 'name = "hot"\nreads = 0', "a visit has no lines"),
        ('name = "hot"', 'name = "hot"\nreads = 65', "is 65"),
        ('name = "hot"', 'name = "hot"\nwrites = -1', "is -1"),
        ("trays = 4", "trays = 4\nchips = 65", "is 65"),
        ("sample_ms = 1", "sample_ms = 0.001", "is 0.001"),
        ("tray_mib = 8", "tray_mib = 65537", "is 65537"),
        ('color = "BLUE"', 'color = "GREEN"', "color GREEN has no intent"),
        ('intents = "app.intents"', 'intents = "no.intents"', "cannot read"),
        ("trays = 4", "trays = 0", "is 0"),
        ("trays = 4", "trays = 65", "65 trays on 1 nodes"),
        ("tray_mib = 8", "tray_mib = 5", "trays of 1280 pages"),
        ("weight = 0.1", "weight = -1", "is -1"),
        ('name = "colors"', 'name = "default"', "'default' is taken"),
        ('name = "colors"', 'name = "colors"\nmapping = "interleaved"', "needs pages that lie in one rank"),
        ('name = "colors"', 'name = "colors"\nmemnice = 2', "belongs to workload compilation"),
        ('name = "colors"', 'name = "colors"\nmemnice = 5', "is 5"),
        ('allocator = "buddy"', 'allocator = "buddy"\nguidance = true', "the buddy allocator has no trays"),
        ('workload = "programs"', 'workload = "staged"', "the workload is staged"),
        ("visits = 20000", "visits = 20000\nvisit = 1", "no such key here"),
        ('name = "colors"', 'name = "colors"\nplacement = { period_s = 0 }', "is 0"),
        ('name = "colors"', 'name = "colors"\nplacement = { saved_mw = 0 }', "saved_mw of the placement"),
        ("[machine]", '[machine]\npart = "rdram-zhou2004"', "has no ranks"),
        ("[machine]", '[machine]\npart = "nobody"', "nobody"),
        ("[machine]", "[scrambler]\nhold_mib = 32\n[machine]", "is 32"),
        ("[machine]", "[scrambler]\nhold_mib = 3\nchunk_kib = 6\n[machine]", "is 6"),
        ("[machine]", "[scrambler]\nhold_mib = 3\nchunk_kib = 0\n[machine]", "is 0"),
        ("seed = 1", "seed = -1", "is -1"),
        ("trays = 4", "trays = 4\nbackground_hz = -1", "is -1"),
        ("trays = 4", "trays = 4\nbackground_hz = 0.5", "background_hz is 0.5"),
        ("trays = 4", "trays = 4\nbackground_hz = 2e7", "background_hz is 2e+07"),
    ],
)
def test_what_is_wrong_is_reported_with_file_line_and_remedy(write, old, new, what):
    assert old in SMALL
    path = write(SMALL.replace(old, new))
    with pytest.raises(UserError) as error:
        read_tray_scenario(path)
    assert what in error.value.what
    assert error.value.where.startswith(f"{path}:")
    assert error.value.remedy


HEAD = 'title = "x"\nworkload = "{}"\n{}[[configuration]]\nname = "c"\n'


@pytest.mark.parametrize(
    ("key", "good", "bad"),
    [("survivor_share", (0.01, 0.49), (0, 0.5)), ("live_share", (0.01, 1), (0, 1.01))],
)
def test_shares_of_a_collection_have_limits(write, key, good, bad):
    text = HEAD.format("collector", "[collector]\nyoung_mib = 1\ntenured_mib = 2\nKEY\n")
    for value in good:
        assert read_tray_scenario(write(text.replace("KEY", f"{key} = {value}")))
    for value in bad:
        with pytest.raises(UserError, match="survivor_share or live_share is out of range"):
            read_tray_scenario(write(text.replace("KEY", f"{key} = {value}")))


@pytest.mark.parametrize("color", ["YOUNG", "TENURED"])
def test_a_colored_heap_needs_intents_for_both_generations(write, color):
    text = HEAD.format("collector", '[collector]\nyoung_mib = 1\ntenured_mib = 2\nintents = "app.intents"\n')
    both = "INTENT MEM-INTENSITY\nMEM-INTENSITY YOUNG 0\nMEM-INTENSITY TENURED 1\n"
    assert set(read_tray_scenario(write(text, both)).cases[0].workload.intents) == {"YOUNG", "TENURED"}
    with pytest.raises(UserError, match=f"has no intent for {color}"):
        read_tray_scenario(write(text, both.replace(color, "OTHER")))


def test_what_is_wrong_in_a_whole_machine_or_workload_is_reported(write):
    for text, what in (
        (SMALL.partition("[[configuration]]")[0], "configuration: there is none"),
        (HEAD.format("programs", "visits = 1\n"), "process: there is none"),
        (HEAD.format("programs", 'visits = 1\n[[process]]\nname = "p"\n'), "range: there is none"),
        (
            SMALL.replace("weight = 0.1", "weight = 0").replace("mib = 4", "mib = 4\nweight = 0"),
            "no range has a weight",
        ),
    ):
        with pytest.raises(UserError, match=what):
            read_tray_scenario(write(text))


def test_ranges_may_be_painted_apart_from_their_tables(write):
    paint = '[[process.paint]]\nbegin_mib = 0\nend_mib = 1\ncolor = "RED"\n[[configuration]]'
    text = SMALL.replace('color = "RED"\n', "").replace("[[configuration]]", paint, 1)
    assert read_tray_scenario(write(text)).cases[0].workload.programs[0].colors == (
        (0, 256, "RED"),
        (1024, 2560, "BLUE"),
    )


def test_colors_that_overlap_are_reported_with_the_line(write):
    # Tables of a process stand before the next table of the top.
    head, tail = SMALL.split("[[configuration]]", 1)
    text = head + '[[process.paint]]\nbegin_mib = 3\nend_mib = 5\ncolor = "BLUE"\n[[configuration]]' + tail
    path = write(text)
    with pytest.raises(UserError, match="pages 768 to 1024 already have color RED, not BLUE") as error:
        read_tray_scenario(path)
    line = [number for number, row in enumerate(text.splitlines(), 1) if "BLUE" in row][-1]
    assert error.value.where == f"{path}:{line}"


def test_a_mistake_in_the_intents_is_reported_in_their_file(write, capsys):
    path = write(intents=INTENTS + "MEM-INTENSITY RED 1\n")
    assert main(["simulate", "trays", str(path)]) == 2
    assert f"{path.parent / 'app.intents'}:4" in capsys.readouterr().err


def test_trays_that_colors_cannot_have_end_with_2_and_the_line_of_the_color(write, capsys):
    greedy = "INTENT MEM-ISOLATION\nINTENT MEM-CAPACITY\nMEM-ISOLATION RED 1\nMEM-CAPACITY RED 100\n"
    path = write(SMALL.replace('color = "BLUE"\n', "").replace("mib = 6", "mib = 40"), intents=greedy)
    assert main(["simulate", "trays", str(path)]) == 2
    shown = capsys.readouterr().err
    assert "RED needs 11,264 pages on trays of its own" in shown
    assert "app.intents:3" in shown
    assert "remedy" in shown


def test_the_command_prints_power_and_keeps_memnice(write, capsys, tmp_path):
    picture = tmp_path / "power.png"
    path = write()
    assert main(["simulate", "trays", str(path), "--json", "--plot", str(picture)]) == 0
    found = json.loads(capsys.readouterr().out)
    default, colors = found["results"]
    assert found["relative_to"] == "default" == default["configuration"]
    assert [phase["phase"] for phase in colors["phases"]] == ["load", "work"]
    assert colors["pages_outside_memnice"] == 0
    assert [bool(tray["used_pages"]) for tray in colors["trays"]] == [True, False, True, False]
    backing = {each["color"]: each["tray_pages"] for each in colors["backing"]}
    # Hot pages from the lower tray on, cold ones from the upper: 1,024 and 1,536 of 2,048 each.
    assert backing == {"RED": [1024, 0, 0, 0], "BLUE": [0, 0, 1536, 0]}
    assert default["backing"][0]["color"] is None
    assert colors["saving"] == pytest.approx(1 - colors["mean_mw"] / default["mean_mw"])
    assert default["zero_fills"] == colors["zero_fills"] == 2560
    assert len(colors["sample_mw"]) == len(colors["free_pages"]) == len(colors["sample_s"])
    assert sum(colors["sample_s"]) == pytest.approx(colors["seconds"])
    assert picture.stat().st_size > 10_000


def test_the_table_has_a_line_for_each_phase_and_all(write, capsys):
    assert main(["simulate", "trays", str(write(COMPILATION))]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines[2:5]] == [["one", "compile"], ["one", "link"], ["one", "all"]]
    assert lines[4].split()[-1] == "0"


def test_a_run_too_short_for_a_sample_says_so_and_a_gap_too_long_is_refused(write, capsys):
    # Loading takes most of the one sample, which does not count.
    path = write(SMALL.replace("visits = 20000", "visits = 1").replace("sample_ms = 1", "sample_ms = 1000"))
    assert main(["simulate", "trays", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["results"][1]["mean_mw"] is None
    path = write(SMALL.replace('name = "p"', 'name = "p"\ngap_ns = 9e9'))
    assert main(["simulate", "trays", str(path)]) == 2
    assert "the limit is 2^32" in capsys.readouterr().err


def test_configurations_are_chosen_by_name(write, capsys):
    path = write()
    assert main(["simulate", "trays", str(path), "--configuration", "colors", "--seed", "3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["seed"], [each["configuration"] for each in found["results"]]) == (3, ["colors"])
    for wrong in ("nobody", "colors,colors"):
        assert main(["simulate", "trays", str(path), "--configuration", wrong]) == 2
    assert "--configuration" in capsys.readouterr().err


def scenario(tmp_path, text):
    path = tmp_path / "scenario.toml"
    path.write_text(text)
    return read_tray_scenario(path)


def test_what_a_scenario_leaves_out_is_as_documented(tmp_path):
    """jantz2013/trays.md; a scenario of each workload with the keys that have no default."""
    tables = {
        "staged": "[staged]\nstage_mib = 3\nstages = 2\nstage_s = 0.5\ngigabytes_s = 4\n",
        "collector": "[collector]\nyoung_mib = 10\ntenured_mib = 20\n",
        "compilation": "[compilation]\nunits = 7\n",
        "programs": 'visits = 9\n[[process]]\nname = "p"\n[[process.range]]\nname = "r"\nmib = 2\n',
    }
    workloads = {
        "staged": Staged(3 * 256, 2, 0.5, 4e9, 16),
        "collector": Collector(2560, 5120, 0.1, 0.1, 0.2, 0.8, 8, 2.0, 0.6, 600.0, 2_000.0, 5.0, {}),
        "compilation": Compilation(7, 16, 60_000, 400, 1_200, 4_000, 3, 20_000.0, 5.0, None),
        "programs": Programs(
            (
                Program(
                    "p", (Range("r", 512, "uniform", 0.8, 1.0, 1, 0, True, False),), 500.0, 5.0, {}, (), None
                ),
            ),
            9,
        ),
    }
    hardware = Hardware(
        find_part("MT41J256M8-187E:D"), 8, 8, 1, 2048 * 256, "sequential", Controller("off", 100.0, 1e5), 1e8
    )
    for kind, table in tables.items():
        case = Case(Configuration("c", hardware, "tray", True, None), workloads[kind])
        expected = TrayScenario("x", kind, (case,), Costs(1_000.0, 100_000.0), None, 1)
        assert scenario(tmp_path, HEAD.format(kind, table)) == expected
    # Those that a program takes, which need no file.
    assert (Costs(), Controller()) == (Costs(1_000.0, 100_000.0), Controller("off", 100.0, 1e5))
    assert Range("r", 512) == workloads["programs"].programs[0].ranges[0]
    assert Program("p", ()) == Program("p", (), 500.0, 5.0)
    bare = TrayMachine(Configuration("c", small()))
    assert (bare.configuration.allocator, bare.configuration.guidance, bare.costs) == ("tray", True, Costs())


def test_what_a_scenario_says_of_machine_and_costs_is_taken(tmp_path):
    text = """
seed = 0
[machine]
chips = 4
trays = 2
nodes = 2
tray_mib = 4
sample_ms = 0.5
[controller]
power_down = "slow"
power_down_after_ns = 30
self_refresh_after_us = 0.2
[costs]
zero_fill_us = 2
reload_us = 3
[scrambler]
hold_mib = 7
chunk_kib = 12
[collector]
young_mib = 1
tenured_mib = 2
collections = 3
live_share = 0.25
"""
    more = (
        "fast",
        'power_down = "fast"\nself_refresh_after_us = 5\n',
        "period_s = 0.5\nbudget_pages = 7\nepsilon = 0.5",
    )
    configuration = f'[[configuration]]\nname = "{more[0]}"\n{more[1]}[configuration.placement]\n{more[2]}\n'
    found = scenario(tmp_path, HEAD.format("collector", text) + configuration)
    first, second = (case.configuration for case in found.cases)
    hardware = first.hardware
    assert (hardware.chips, hardware.trays, hardware.nodes, hardware.tray_pages) == (4, 2, 2, 1024)
    assert hardware.sample_ns == 5e5
    assert hardware.controller == Controller("slow", 30, 200)
    assert second.hardware == replace(hardware, controller=Controller("fast", 30, 5_000))
    assert second.placement == Placer(0.5, PlacementParameters(epsilon=0.5, budget_pages=7))
    assert found.costs == Costs(2_000, 3_000)
    assert found.scrambler == Scrambler(7 * 256, 3)
    assert found.seed == 0
    collector = found.cases[0].workload
    assert (collector.collections, collector.live_share, collector.intents) == (3, 0.25, {})
