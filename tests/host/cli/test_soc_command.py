# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc soc` is the simulated SoC as a device; `litemrc simulate` holds the trace-driven machines."""

import pytest
from litemrc.cli.main import main


def test_simulate_requires_a_machine(capsys):
    with pytest.raises(SystemExit) as end:
        main(["simulate"])

    assert end.value.code == 2
    assert "the following arguments are required: MACHINE" in capsys.readouterr().err


def test_simulate_has_no_option_of_the_soc(capsys):
    with pytest.raises(SystemExit) as end:
        main(["simulate", "--sim", "build/sim", "mm"])

    assert end.value.code == 2


def test_soc_names_the_simulator_that_is_not_built(tmp_path, capsys):
    assert main(["soc", "--sim", str(tmp_path), "-o", str(tmp_path / "run")]) == 2

    message = capsys.readouterr().err
    assert str(tmp_path / "gateware/obj_dir/Vsim") in message
    assert "remedy: run: make sim" in message
