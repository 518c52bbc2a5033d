# SPDX-License-Identifier: BSD-2-Clause
"""Units as HLS compilers see them: each compiles, and each port of a top function has an interface."""

import re

import pytest

from tests.compiling import CXX_FLAGS
from tests.products import REPO, run_tool

HLS = REPO / "hls"
UNITS = sorted(path.parent.name for path in HLS.glob("*/hls_config.cfg"))
FLAGS = {"vitis": "-D__VITIS_HLS__", "bambu": "-D__BAMBU__"}
PRAGMA = re.compile(r"^#pragma HLS (\w+) (.*)$", re.M)


def gcc(compiler, unit, *options):
    source = HLS / unit / f"{unit}.cpp"
    return run_tool(["g++", *CXX_FLAGS, FLAGS[compiler], "-isystem", HLS / "small_int", *options, source])


def tops(compiler, unit):
    """Of each top function: its arguments as declared, by name, and its text after the preprocessor."""
    source = (HLS / unit / f"{unit}.cpp").read_text().split("#ifndef LITEMRC_UNITS_ONLY")[1]
    names = re.findall(r"^void (\w+)\(", source, re.M)
    text = gcc(compiler, unit, "-E", "-P")
    found = {}
    for name in names:
        header, body = re.search(rf"^void {name}\(([^{{;]*)\) {{\n(.*?)^}}", text, re.M | re.S).groups()
        arguments = (each.strip() for each in re.split(r",(?![^<]*>)", header))
        found[name] = {re.search(r"(\w+)(?:\[.*\])?$", each)[1]: each for each in arguments}, body
    return found


def pragmas(body, kind):
    """The keys of each pragma of that kind."""
    return [
        dict(re.findall(r"(\w+) = ([\w.]+)", keys)) for name, keys in PRAGMA.findall(body) if name == kind
    ]


def right_modes(compiler, arguments):
    """Modes that the interface of each argument may have; `return` is Vitis' start and done."""
    modes = {}
    for name, declared in arguments.items():
        if "hls::stream<" in declared:
            modes[name] = {"axis"}
        elif "[" in declared:
            if compiler == "vitis":  # Bambu's default for an array is a RAM
                modes[name] = {"bram"}
        elif "&" in declared:
            modes[name] = set()  # a result without a handshake has no moment in which it is valid
        else:
            modes[name] = {"ap_none" if compiler == "vitis" else "none"}
    if compiler == "vitis":  # a function with a RAM's port is co-simulated only with ap_ctrl_hs
        modes["return"] = {"ap_ctrl_hs" if {"bram"} in modes.values() else "ap_ctrl_none"}
    else:
        modes.pop("restart", None)  # of compiler.hpp: Bambu's default
    return modes


def faults(compiler, arguments, body):
    """Arguments whose interface is missing or wrong, and interfaces of what is no argument."""
    found = [(each["port"], each["mode"]) for each in pragmas(body, "interface")]
    right = right_modes(compiler, arguments)
    missing = [name for name in right if [port for port, _ in found].count(name) != 1]
    return [*missing, *(port for port, mode in found if mode not in right.get(port, ()))]


def test_units_and_tops_are_found():
    assert len(UNITS) == 10 and set(tops("vitis", "page_filter")) == {"page_filter", "page_filter_merge"}


@pytest.mark.parametrize("compiler", FLAGS)
@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_compiles_for_the_compiler(compiler, unit):
    gcc(compiler, unit, "-fsyntax-only", "-Wall", "-Werror", "-Wno-unknown-pragmas")


@pytest.mark.parametrize("compiler", FLAGS)
@pytest.mark.parametrize("unit", UNITS)
def test_every_argument_of_a_top_function_has_its_interface(compiler, unit):
    for top, (arguments, body) in tops(compiler, unit).items():
        assert faults(compiler, arguments, body) == [], top


@pytest.mark.parametrize("compiler", FLAGS)
def test_an_interface_that_is_missing_or_misspelt_is_noticed(compiler):
    arguments, body = tops(compiler, "page_filter")["page_filter"]
    for port in right_modes(compiler, arguments):
        without = re.sub(rf"^.*port = {port}\b.*$", "", body, flags=re.M)
        assert faults(compiler, arguments, without) == [port]
        assert port in faults(compiler, arguments, re.sub(rf"\bport = {port}\b", "port = other", body))


@pytest.mark.parametrize("unit", UNITS)
def test_pragmas_name_static_variables_of_the_function(unit):
    """A compiler ignores a pragma of another name, with a warning."""
    for top, (_, body) in tops("vitis", unit).items():
        code = PRAGMA.sub("", body)
        named = [each["variable"] for kind in ("reset", "array_partition") for each in pragmas(body, kind)]
        missing = [name for name in named if not re.search(rf"\bstatic [^;]*\b{name.split('.')[0]}\b", code)]
        assert named or "static" not in code, top
        assert not missing, top
