# SPDX-License-Identifier: BSD-2-Clause
"""A stack engine is one row: gateware, golden models, C++, link and host have the same ones."""

import re
from pathlib import Path

from litemrc.api import engines as api
from litemrc.device.bridge.layout import layout
from litemrc.device.link.protocol import host_requests
from litemrc.golden.monitor.engines import ENGINES as MODELS
from litemrc.native import _core
from litemrc.native.stack_engines import STACK_ENGINES
from litemrc_gateware.stacks.engines import ENGINES

from tests.products import REPO

ROW = r"^ *engine\((\d+), (\w+), (\w+), (\w+), ([01])\)"


def test_every_engine_has_a_number_of_its_own_that_fits_its_register():
    numbers = [engine.number for engine in ENGINES.values()]
    assert len(set(numbers)) == len(numbers) and all(0 < number < 16 for number in numbers)
    assert 3 not in numbers, "the operating system's tracker"


def test_the_link_numbers_engines_as_the_registers_do():
    (engine,) = (field for field in host_requests().types["set_engine"].body if field.choices)
    numbers = layout().engines
    assert numbers == {name: engine.number for name, engine in ENGINES.items()}
    assert dict(engine.choices) == {**numbers, "os": 3}


def test_golden_models_have_the_filters_of_the_gateware():
    assert {name: model.recent_pages for name, model in MODELS.items()} == {
        name: engine.recent_pages for name, engine in ENGINES.items()
    }


def test_the_rows_of_hls_are_those_of_the_gateware():
    rows = re.findall(ROW, (REPO / "hls/common/stack_engines.hpp").read_text(), re.M)
    assert [(int(number), unit.lower(), moves == "1") for number, unit, _, _, moves in rows] == [
        (engine.number, name, engine.reports_moves) for name, engine in ENGINES.items()
    ]
    assert [(name, unit.lower()) for _, unit, name, _, _ in rows] == [
        (name, engine.unit) for name, engine in STACK_ENGINES.items()
    ]


def test_every_engine_is_an_object_of_the_api():
    assert {name: choice.name for name, choice in api.STACK_ENGINES.items()} == {
        name: name for name in STACK_ENGINES
    }


def test_qemus_plugin_has_every_engine_as_a_device():
    sizes = {f"{e.number}.65536.65536.256.8.4.{8 * e.reports_moves}" for e in ENGINES.values()}
    plugin = Path(_core.__file__).with_name("liblitemrc_qemu.so").read_bytes()
    assert {size for size in sizes if f"{size}\0".encode() in plugin} == sizes
