"""`litemrc demo linux-govern`: what it concludes from two runs, by arithmetic."""

from types import SimpleNamespace

import numpy as np
import pytest
from litemrc_studies.zhou2004.command.linux_govern import grew_again, summarize
from litemrc_studies.zhou2004.command.linux_programs import Program
from litemrc_studies.zhou2004.command.linux_runs import _by_program, _result

INTR = Program("intr", batch=False, commands=("intr",))
LOOP = Program("loop", batch=True, commands=("linear",))


def run_of(policy, response_s, round_s, faults, budgets=()):
    """INTR's iterations begin each second; the loop's three rounds begin at 10 s."""
    of_turns = {
        "intr": np.array([[10.0 + second, response_s] for second in range(9)]),
        "loop": np.array([[10.0 + turn * round_s, round_s] for turn in range(3)]),
    }
    counts = {name: {"pgfault": each + 7, "pgmajfault": each, "pgsteal": 3} for name, each in faults.items()}
    epochs = [{}, {"intr": {"resident": 0}}, {"intr": {"resident": 5, "budget": 6}, "loop": {"resident": 4}}]
    result = _result((INTR, LOOP), policy, of_turns, counts, epochs, 0.5)
    return SimpleNamespace(
        result=result, turn_s={name: each[:, 1] for name, each in of_turns.items()}, budgets=budgets
    )


def test_responses_count_from_the_second_turn_of_the_batch_programs():
    result = run_of("mrc", 0.1, 2.5, {"intr": 1, "loop": 2}).result
    assert result.process("intr").arrived_s.tolist() == [3, 4, 5, 6, 7, 8]
    assert result.process("intr").early == 3
    assert result.process("loop").execution_s == pytest.approx(7.5)
    assert (result.time_s, result.measured_s) == (pytest.approx(7.5), pytest.approx(5.0))
    assert result.process("loop").zero_fills == 7


def test_residency_begins_with_the_epoch_in_which_the_programs_hold_pages():
    result = run_of("mrc", 0.1, 2.5, {"intr": 1, "loop": 2}).result
    assert result.sampled_s.tolist() == [0.5]
    assert result.resident_pages.tolist() == [[5, 4]]
    assert result.budget_pages.tolist() == [[6, 0]]


def test_the_summary_is_the_ratio_of_both_runs():
    runs = {
        "global-clock": run_of("global-clock", 0.6, 2.0, {"intr": 100, "loop": 400}),
        "mrc": run_of("mrc", 0.2, 2.1, {"intr": 10, "loop": 420}, [{"loop": 4}, {"loop": 2}, {"loop": 3}]),
    }
    predicted = {
        "global-clock": runs["global-clock"].result,
        "mrc": run_of("mrc", 0.3, 2, {"intr": 1, "loop": 9}).result,
    }
    summary = summarize(runs, predicted)
    assert summary.intr_speedup == pytest.approx(3.0)
    assert summary.predicted_speedup == pytest.approx(2.0)
    assert (summary.faults_ungoverned, summary.faults_governed, summary.faults_predicted) == (500, 430, 10)
    assert summary.slowest_other == pytest.approx(1.05)
    assert summary.budgets_grew


def test_a_program_of_one_turn_counts_whole():
    of_turns = {"intr": np.array([[1.0, 0.1], [9.0, 0.1]]), "loop": np.array([[2.0, 8.0]])}
    counts = {name: {"pgfault": 1, "pgmajfault": 1, "pgsteal": 0} for name in of_turns}
    result = _result((INTR, LOOP), "mrc", of_turns, counts, [{"loop": {"resident": 1}}], 0.5)
    assert result.process("intr").arrived_s.tolist() == [0, 8]
    run = SimpleNamespace(
        result=result, turn_s={"intr": np.array([1.0]), "loop": np.array([8.0])}, budgets=[]
    )
    runs = dict.fromkeys(("global-clock", "mrc"), run)
    assert summarize(runs, dict.fromkeys(runs, result)).slowest_other == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("budgets", "grew"),
    [
        ([], False),
        ([4], False),
        ([4, 4, 6], False),
        ([6, 4, 4], False),
        ([6, 4, 4, 5], True),
        ([4, 6, 4], False),
    ],
)
def test_a_budget_grew_again_if_it_rose_after_it_had_fallen(budgets, grew):
    assert grew_again(budgets) is grew


def test_the_log_of_govern_names_cgroups():
    logged = {"1": {"cgroup": "/shared/loop", "after": 9}, "2": {"cgroup": "/other"}, "3": {"after": 1}}
    assert _by_program({"contexts": logged}, (INTR, LOOP)) == {"loop": {"cgroup": "/shared/loop", "after": 9}}
