"""Table 2: the paper's rows are copied right, and INTR + LINEAR gains what it should."""

from pathlib import Path

import pytest
from litemrc_studies.zhou2004.machine.multiprogram import simulate
from litemrc_studies.zhou2004.machine.run_result import fault_reduction, speedup
from litemrc_studies.zhou2004.machine.scenario_file import read_scenario
from litemrc_studies.zhou2004.results.table2 import PAPER_SPEEDUPS, TABLE_2, reached

SCENARIOS = Path(__file__).parents[1] / "scenarios"
# The paper's last column, percent.
REDUCTIONS = {
    "apache_gzip": (36.5, -2.3),
    "apache_gcc": (49.5, -6.6),
    "apache_linear": (48.2, -1.9),
    "intr_linear": (30.4, -0.3),
    "intr_linear_short": (30.4, -0.3),
    "intr_gzip": (63.1, -4.0),
    "intr_gcc": (57.2, -7.6),
}


@pytest.mark.parametrize("mix", REDUCTIONS)
def test_the_papers_numbers_fit_together(mix):
    """Its page faults give its reductions, its times its speed-ups, as far as their digits go."""
    rows = TABLE_2[mix]
    for row, reduction, gain in zip(rows, REDUCTIONS[mix], PAPER_SPEEDUPS[mix], strict=True):
        before, after = row.faults
        assert 100 * (1 - after / before) == pytest.approx(reduction, abs=0.06)
        assert row.times[0] / row.times[1] == pytest.approx(gain, rel=0.04)
    assert [spec.name for spec in read_scenario(SCENARIOS / f"{mix}.toml").processes] == [
        row.process for row in rows
    ]


def test_intr_gains_beside_linear_and_linear_loses_nothing():
    scenario = read_scenario(SCENARIOS / "intr_linear.toml")
    original, directed = (simulate(scenario, policy) for policy in ("global-clock", "mrc"))
    assert speedup(original.process("intr"), directed.process("intr")) >= 5.86
    assert fault_reduction(original, directed, "intr") >= 0.63
    assert speedup(original.process("linear"), directed.process("linear")) >= 0.92


def test_intr_and_linear_with_the_papers_work_are_near_all_of_its_values():
    """Times of both processes and page faults of INTR, under both systems, within a quarter."""
    scenario = read_scenario(SCENARIOS / "intr_linear_short.toml")
    runs = [simulate(scenario, policy) for policy in ("global-clock", "mrc")]
    intr, linear = TABLE_2["intr_linear_short"]
    for place, run in enumerate(runs):
        assert run.process("intr").time_s == pytest.approx(intr.times[place], rel=0.25)
        assert run.process("intr").faults == pytest.approx(intr.faults[place], rel=0.25)
        assert run.process("linear").time_s == pytest.approx(linear.times[place], rel=0.25)
        assert run.process("linear").faults == pytest.approx(linear.faults[place], rel=0.01)


@pytest.mark.parametrize("mix", ["apache_gzip", "apache_gcc", "apache_linear"])
def test_apache_has_the_papers_page_faults_under_both_systems(mix):
    scenario = read_scenario(SCENARIOS / f"{mix}.toml")
    apache, _ = TABLE_2[mix]
    for policy, faults in zip(("global-clock", "mrc"), apache.faults, strict=True):
        assert simulate(scenario, policy).comparable_faults("apache") == pytest.approx(faults, rel=0.2)


def test_a_missed_goal_is_reported_with_its_shortfall():
    assert reached(0.0, 0.1) == "yes"
    assert reached(-0.05, 0.1) == "speed-up 5% short"
    assert reached(-0.05, -0.123) == "speed-up 5% short; faults 12.3 points short"
