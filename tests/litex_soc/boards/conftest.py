# SPDX-License-Identifier: BSD-2-Clause
"""The SoC of each board, elaborated once."""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest
from litemrc_soc.boards.board import BoardSoC, elaborate


@dataclass
class Elaborated:
    """A board's module, its SoC and the folder of its Verilog."""

    module: object
    soc: BoardSoC
    folder: Path


@pytest.fixture(scope="session")
def elaborated(tmp_path_factory):
    """elaborated(name, boot="rom"): a board's SoC without software."""
    made = {}

    def get(name: str, boot: str = "rom") -> Elaborated:
        if (name, boot) not in made:
            module = import_module(f"litemrc_soc.boards.{name}")
            soc = module.SOC(boot=boot)
            folder = elaborate(module.BOARD, soc, tmp_path_factory.mktemp(name), with_software=False)
            made[name, boot] = Elaborated(module, soc, folder)
        return made[name, boot]

    return get
