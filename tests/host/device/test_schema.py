# SPDX-License-Identifier: BSD-2-Clause
"""The structures that the host reads from the firmware's headers are those of a C compiler."""

import re
import subprocess
from pathlib import Path

import pytest
from litemrc.device.link.schema import read_schema, schema

INCLUDE = Path(__file__).parents[3] / "firmware" / "include"


def printed(tmp_path: Path, lines: list[str]) -> list[str]:
    """What a C program prints whose main has these lines."""
    source = tmp_path / "layout.c"
    headers = ["<stddef.h>", "<stdio.h>", '"litemrc_protocol.h"']
    main = ["int main(void)", "{", *lines, "return 0;", "}"]
    source.write_text("\n".join([*(f"#include {name}" for name in headers), *main, ""]))
    program = tmp_path / "layout"
    subprocess.run(["cc", "-I", INCLUDE, "-o", program, source], check=True)
    return subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()


def test_layouts_are_those_of_a_compiler(tmp_path: Path) -> None:
    lines, expected = [], []
    for name, structure in schema().structs.items():
        of = f"struct litemrc_{name}"
        lines.append(f'printf("{name} %zu\\n", sizeof({of}));')
        expected.append(f"{name} {structure.dtype.itemsize}")
        assert structure.packing.size == structure.dtype.itemsize
        assert structure.dtype.fields
        for member, (dtype, offset, *_) in structure.dtype.fields.items():
            size = f"sizeof((({of} *)0)->{member})"
            lines.append(f'printf("{name}.{member} %zu %zu\\n", offsetof({of}, {member}), {size});')
            expected.append(f"{name}.{member} {offset} {dtype.itemsize}")
    assert printed(tmp_path, lines) == expected
    assert len(schema().structs) > 40


def test_numbers_are_those_of_a_compiler(tmp_path: Path) -> None:
    """Every constant that a header names, and every value of an enumeration, is read."""
    text = "".join(
        path.read_text() for path in map(INCLUDE.joinpath, ("litemrc_uapi.h", "litemrc_protocol.h"))
    )
    names = set(re.findall(r"\b(LITEMRC_[A-Z0-9_]+) =? ?(?:0x)?[0-9]", text))
    assert len(names) > 120
    found = dict(
        line.split() for line in printed(tmp_path, [f'printf("{n} %u\\n", {n});' for n in sorted(names)])
    )
    constants = {f"LITEMRC_{name.upper()}": value for name, value in schema().constants.items()}
    values = sorted(value for each in schema().enums.values() for value in each.values())
    of_enums = {name: int(number) for name, number in found.items() if name not in constants}
    assert {name: int(found[name]) for name in constants} == constants
    assert sorted(of_enums.values()) == values
    assert schema().enums["context_state"] == {"unknown": 0, "free": 1, "following": 2, "ended": 3}
    assert schema().enums["power_state"]["self_refresh_partial"] == 4


def test_every_message_with_a_structure_has_the_name_of_one() -> None:
    messages = schema().enums["device_message"].keys() | schema().enums["request"].keys()
    parts = {"part", "row", "rank", "task", "copies", "hot_page", "bank", "message"}
    assert schema().structs.keys() - messages == parts


def test_a_member_of_another_form_is_refused() -> None:
    with pytest.raises(ValueError, match="struct litemrc_x: a member is not of the form"):
        read_schema("struct litemrc_x {\n\t__u32 a;\n\tint b;\n};\n")
    assert read_schema("struct litemrc_x {\n\t__u32 a[2][3];\n};\n").structs["x"].dtype.itemsize == 24
