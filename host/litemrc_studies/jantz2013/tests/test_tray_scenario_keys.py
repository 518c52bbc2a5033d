"""Keys of scenario files: what is left out is as documented, what is given is taken."""

from dataclasses import replace

from litemrc.energy.parts.files import find_part
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

HEAD = 'title = "x"\nworkload = "{}"\n{}[[configuration]]\nname = "c"\n'


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
