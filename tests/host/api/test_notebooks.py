# SPDX-License-Identifier: BSD-2-Clause
"""The notebooks of examples/ run from their first cell to their last, and have the outputs of such a run."""

from ast import literal_eval

import nbformat
import pytest

from scripts.docs.notebooks import EXAMPLES, REPO, executed, texts

SIMULATOR = REPO / "build/sim/gateware/obj_dir/Vsim"
FIRMWARE = REPO / "build/firmware/firmware.bin"
REPAIR = "run: python -m scripts.docs.notebooks"


def kept(name: str) -> nbformat.NotebookNode:
    return nbformat.read(EXAMPLES / name, as_version=4)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.name)
def test_notebooks_are_kept_with_pictures_and_without_errors(path):
    cells = [cell for cell in kept(path.name).cells if cell.cell_type == "code"]
    outputs = [output for cell in cells for output in cell.outputs]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1)), REPAIR
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert not any(output.output_type == "error" for output in outputs)
    assert path.stat().st_size < 200_000


def test_the_trace_notebook_has_the_outputs_of_a_run():
    answers = texts(executed("trace.ipynb"))
    # The loop of 4,096 pages, 20 times: 4,096 cold misses of 81,920 references, all others at distance 4,096.
    assert answers[3].endswith(f"4096, 1.0, {4096 / 81920})")
    assert float(answers[-1]) < 0.05
    assert answers == texts(kept("trace.ipynb")), REPAIR


def test_the_lecture_on_stacks_has_the_outputs_of_a_run():
    answers = texts(executed("lecture_stack.ipynb"))
    # abcabdacbbda, by hand: distances 3, 3, 3, 4, 4, 1, 4, 4, and 4 first references, which miss always.
    assert answers[1] == str([12 - 1, 12 - 1, 12 - 1 - 3, 12 - 1 - 3 - 4, 4])
    assert answers[3] == answers[1] and answers[2] == f"({answers[1]}, True)"
    assert set(literal_eval(answers[4]).values()) == {0.0}  # groups are exact
    assert answers == texts(kept("lecture_stack.ipynb")), REPAIR


def test_the_lecture_on_division_has_the_outputs_of_a_run():
    answers = texts(executed("lecture_allocation.ipynb"))
    # 5,000 pages of the loop in units of 64, the rest to the Zipf program; 5,000 of its references miss.
    loop = -(-5000 // 64) * 64
    assert answers[4] == str(({"scan": 0, "loop": loop, "zipf": 12_288 - loop}, True))
    assert literal_eval(answers[7])["loop"] == (5000 / 300_000, True)
    assert answers == texts(kept("lecture_allocation.ipynb")), REPAIR


def test_the_lecture_on_ranks_has_the_outputs_of_a_run():
    answers = texts(executed("lecture_ranks.ipynb"))
    assert literal_eval(answers[1]) == [4096 // 4] * 12
    saved = [float(line.split()[-2]) for line in answers[6].splitlines()[2:]]
    # Standby 42 mA, self-refresh 12 mA: three of four ranks asleep save at most 3/4 of 30 of 42 mA.
    assert max(saved[:1] + saved[2:4]) < 0.01 and all(0.45 < each < 3 / 4 * 30 / 42 for each in saved[5:])
    assert answers == texts(kept("lecture_ranks.ipynb")), REPAIR


@pytest.mark.soc
@pytest.mark.skipif(
    not (SIMULATOR.exists() and FIRMWARE.exists()), reason="no simulator: run make sim firmware"
)
def test_the_device_notebook_has_the_outputs_of_a_run():
    answers = texts(executed("simulated_device.ipynb"))
    assert "socket://localhost:" in answers[1]
    assert "programs:" in answers[2] and "zipf" in answers[2]
    assert "'loop': (" in answers[4] and "'zipf': (" in answers[4]
    before = texts(kept("simulated_device.ipynb"))
    # Where epochs end depends on when requests arrive, so counters may differ a little; their form does not.
    assert answers[:3] == before[:3] and len(answers) == len(before), REPAIR
