# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc demo linux-govern`: programs on Linux, and the summary of their runs."""

import re
import subprocess
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from litemrc.errors import UserError
from litemrc_studies.zhou2004.command.linux_govern import grew_again, summarize
from litemrc_studies.zhou2004.command.linux_programs import (
    COST_PAGES,
    Program,
    counters,
    measure_costs,
    programs_of,
    run_all,
    turns,
)
from litemrc_studies.zhou2004.command.linux_runs import _by_program, _result
from litemrc_studies.zhou2004.machine.scenario import Part
from litemrc_studies.zhou2004.machine.scenario_file import read_scenario

PAIR = Path(__file__).parents[1] / "scenarios/linux_pair.toml"
INTR = Program("intr", batch=False, commands=("intr",))
LOOP = Program("loop", batch=True, commands=("linear",))


class Shell:
    """Answers commands from a list of patterns, or runs them here."""

    def __init__(self, **answers):
        self.answers, self.commands = answers, []

    def run(self, command):
        self.commands.append(command)
        for pattern, answer in self.answers.items():
            if re.search(pattern, command):
                return answer
        return ""


@pytest.fixture
def pair():
    return read_scenario(PAIR)


def test_the_pair_has_its_pages_touches_and_pause(pair):
    intr, linear = programs_of(pair, PAIR)
    assert intr.commands == ("intr 320 60 65536 20 {file}",)  # 1,000,000 cycles at 50 MHz
    assert linear.commands == ("linear 640 3 {file}",)  # 1,920 touches
    assert (intr.batch, linear.batch) == (False, True)


def test_parts_that_release_their_memory_are_programs_one_after_the_other(pair):
    parts = (
        Part("gen:loop?pages=256&writes=1", touches=512, release=True),
        Part("gen:loop?pages=700&writes=1", touches=2800),
    )
    growing = replace(pair, processes=(replace(pair.processes[1], parts=parts),))
    (program,) = programs_of(growing, PAIR)
    assert program.commands == ("linear 256 2 {file}", "linear 700 4 {file}")
    assert program.line("x").endswith("; linear 256 2 /tmp/linear.x.0; exec linear 700 4 /tmp/linear.x.1")


SORT = PAIR.with_name("linux_sort.toml")


def test_a_command_runs_as_one_turn():
    """In a real shell, with a stand-in for `elapsed`: the command of the file arrives whole."""
    scenario = read_scenario(SORT)
    _, sort = programs_of(scenario, SORT)
    assert sort.batch
    (line,) = (re.sub(r"echo 0 >\S+; exec ", "", each) for each in [sort.line("x")])
    assert line.startswith("elapsed -o /tmp/sort.x.0 sh -c ")
    elapsed = 'elapsed() { [ "$1 $2" = "-o /tmp/sort.x.0" ]; shift 2; "$@"; }; '
    command = scenario.processes[1].command.replace(">/dev/null", "")
    printed = subprocess.run(
        ["sh", "-c", elapsed + line.replace(">/dev/null", "")], check=True, capture_output=True, timeout=30
    ).stdout.decode()
    records = printed.splitlines()
    assert command.endswith("| sort ")
    assert len(records) == 600
    assert [int(record[:4]) for record in records] == list(range(1000, 1600))
    assert {len(record) for record in records} == {
        4004
    }  # 600 x 4,005 bytes and their copies' headers: 587 pages


def test_a_process_with_a_command_keeps_its_time_of_a_touch():
    turns_us = "".join(f"0 {us * COST_PAGES}\n" for us in (260, 10, 10))
    scenario = read_scenario(SORT)
    measured = measure_costs(Shell(cat=turns_us), scenario)
    assert measured.processes[0].touch == 500
    assert measured.processes[1].touch == scenario.processes[1].touch


@pytest.mark.parametrize(
    "part",
    [
        Part("gen:loop?pages=100&writes=1", touches=150),  # half a round
        Part("gen:loop?pages=100&writes=1"),
        Part("gen:loop?pages=100&writes=1", touches=50),
        Part("gen:loop?pages=100&writes=0", touches=100),
        Part("gen:loop?pages=100&writes=1", touches=100, release=True),  # as the last part
        Part("gen:zipf?pages=100&alpha=1&writes=1", touches=100),
        Part("trace.in", touches=100),
    ],
)
def test_what_no_program_does_is_refused(pair, part):
    processes = (pair.processes[0], replace(pair.processes[1], parts=(part,)))
    with pytest.raises(UserError, match=r"Linux has no programs.*pages=N"):
        programs_of(replace(pair, processes=processes), PAIR)


def test_without_a_process_that_ends_nothing_would_end(pair):
    with pytest.raises(UserError, match="at least one batch process"):
        programs_of(replace(pair, processes=pair.processes[:1]), PAIR)


def test_all_programs_run_side_by_side_until_the_batch_programs_end(tmp_path):
    """In a real shell: the interactive one runs until the other has ended, then gets SIGTERM."""
    script = "trap 'echo stopped >>{0}/log; exit' TERM; while :; do sleep 0.01; done"
    batch = "sleep 0.2; echo ended >>{0}/log"
    for name, text in (("endless", script), ("short", batch)):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text.format(tmp_path)}\n")
        (tmp_path / name).chmod(0o755)
    programs = (
        Program("a", batch=False, commands=(f"{tmp_path}/endless",)),
        Program("b", batch=True, commands=(f"{tmp_path}/short", f"{tmp_path}/short")),
    )
    shell = Shell()
    run_all(shell, programs, "run")
    # There is no such cgroup here, and files of turns are arguments that these programs ignore.
    (line,) = (re.sub(r"echo 0 >\S+;", "", command) for command in shell.commands)
    subprocess.run(["sh", "-c", line], check=True, timeout=30)
    assert (tmp_path / "log").read_text().split() == ["ended", "ended", "stopped"]


def test_turns_of_consecutive_programs_are_joined_in_seconds():
    shell = Shell(
        **{r"cat /tmp/p\.x\.0": "1000000 5000\n", r"cat /tmp/p\.x\.1": "2000000 250000\n2500000 1\n"}
    )
    program = Program("p", batch=True, commands=("linear 1 1", "linear 2 2"))
    assert np.allclose(turns(shell, program, "x"), [[1.0, 0.005], [2.0, 0.25], [2.5, 1e-6]])


def test_counters_are_those_of_memory_stat_and_an_absent_one_is_an_error():
    program = Program("p", batch=True, commands=("linear 1 1",))
    stat = "anon 4096\npgfault 30\npgmajfault 20\npgsteal 25\npgsteal_kswapd 1\n"
    assert counters(Shell(stat=stat), program) == {"pgfault": 30, "pgmajfault": 20, "pgsteal": 25}
    with pytest.raises(UserError, match="no 'pgsteal'"):
        counters(Shell(stat="pgfault 1\npgmajfault 1\n"), program)


def test_costs_are_those_of_a_page_in_cycles(pair):
    """Turns in us of 128 pages at 50 MHz: touches take 10 us, new pages 250, page faults 1,500."""
    in_memory = "".join(f"0 {us * COST_PAGES}\n" for us in (260, 10, 10))
    with_faults = "".join(f"0 {us * COST_PAGES}\n" for us in (900, 1500, 1520))
    shell = Shell(**{"cat /tmp/touches": in_memory, "cat /tmp/faults": with_faults})
    measured = measure_costs(shell, pair)
    assert {process.touch for process in measured.processes} == {500}
    assert measured.costs.zero_fill == 12_500
    assert measured.costs.fault == 75_000
    assert measured.memory_pages == pair.memory_pages


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
