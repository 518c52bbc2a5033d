# SPDX-License-Identifier: BSD-2-Clause
"""The hardware's stack engines by name, from the file that the gateware exports."""

import json
from importlib.resources import files
from typing import NamedTuple


class StackEngine(NamedTuple):
    """The unit of an engine in hls/, and whether it counts each hit in exactly its group of pages."""

    unit: str
    exact: bool


def _exported() -> dict[str, StackEngine]:
    # Not by its package, which needs the extra "device".
    text = files("litemrc").joinpath("device", "bridge", "registers.json").read_text("utf-8")
    content = json.loads(text)
    units = content["engines"]
    return {
        unit.removesuffix("_stack"): StackEngine(unit, unit in content["exact_engines"]) for unit in units
    }


STACK_ENGINES = _exported()
