# SPDX-License-Identifier: BSD-2-Clause
"""The monitors of stock SoCs in device trees and Renode platforms, beside LiteX's own generators."""

import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest
from litemrc_gateware import add_monitor
from litemrc_gateware.integration.description import MONITOR, RANKS, REF_COUNTERS
from litemrc_soc.renode_export import description
from litex.build.sim import SimPlatform
from litex.soc.integration.export import get_csr_json
from litex.soc.integration.soc_core import SoCCore, SoCMini

from tests.gateware.sdram_soc import CLOCK_HZ, add_sdram, add_second_sdram

REPO = Path(__file__).resolve().parents[3]
DRIVER = REPO / "firmware/linux/driver"
STOCK = {
    "rocket": {"cpu_type": "rocket", "cpu_variant": "small", "bus_data_width": 64},
    "vexriscv_smp": {"cpu_type": "vexriscv_smp", "cpu_variant": "linux"},
    "vexriscv": {},
    "picorv32": {"cpu_type": "picorv32"},
}
# A stock target in a process of its own: LiteX keeps global state.
BUILD = """
import json, sys
from unittest.mock import MagicMock
for module in ("litepcie", "litepcie.phy", "litepcie.phy.s7pciephy", "litepcie.software"):
    sys.modules[module] = MagicMock()
from litemrc_gateware import add_monitor
from litex.soc.integration.export import get_csr_json
from litex_boards.targets.digilent_arty import BaseSoC
soc = BaseSoC(integrated_rom_size=0x1_0000, **json.loads(sys.argv[1]))
add_monitor(soc)
soc.finalize()
open(sys.argv[2], "w").write(get_csr_json(soc.csr_regions, soc.constants, soc.mem_regions))
"""


def run(*words, **options):
    command = [sys.executable, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def export(*words):
    """(exit code, output, error) of a command of the export."""
    done = run("-m", "litemrc_gateware.export", *words)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def stock(tmp_path_factory):
    """stock(processor) -> file csr.json of a Digilent Arty with the monitor."""
    folder, made = tmp_path_factory.mktemp("stock"), {}

    def build(processor):
        if processor not in made:
            if find_spec(f"pythondata_cpu_{processor}") is None:
                pytest.skip(f"pythondata-cpu-{processor} is not installed; for vexriscv-smp see docs/smp.md")
            made[processor] = folder / f"{processor}.json"
            done = run("-c", BUILD, json.dumps(STOCK[processor]), made[processor], cwd=folder)
            assert made[processor].exists(), done.stderr
        return made[processor]

    return build


def described(soc, path):
    """The SoC's csr.json, in a file."""
    soc.finalize()
    path.write_text(get_csr_json(soc.csr_regions, soc.constants, soc.mem_regions))
    return path


def compiled(source, folder):
    """get(node, property, kind) of a device tree compiled by dtc."""
    tree = folder / "tree.dtb"
    command = ["dtc", "-q", "-@", "-I", "dts", "-O", "dtb", "-o", tree]
    subprocess.run(command, input=source, text=True, check=True)

    def get(node, name, kind="u"):
        found = subprocess.run(
            ["fdtget", "-t", kind, tree, node, name], capture_output=True, text=True, check=True
        )
        return [int(word) for word in found.stdout.split()] if kind == "u" else found.stdout.strip()

    return get


@pytest.mark.parametrize(("processor", "first"), [("rocket", 1), ("vexriscv_smp", 0)])
def test_linux_finds_the_monitor_in_litexs_device_tree(stock, tmp_path, processor, first):
    """`first`: interrupt 0 of csr.json in the PLIC; litex_json2dts_linux adds it to the UART's on Rocket."""
    file = stock(processor)
    csr = json.loads(file.read_text())
    code, nodes, _ = export("dts", file)
    assert code == 0
    litex = run("-m", "litex.tools.litex_json2dts_linux", file)
    assert "monitor" not in litex.stdout
    get = compiled(litex.stdout + nodes, tmp_path)

    base, window = csr["csr_bases"]["mrc"], csr["memories"]["mrc_window"]
    monitor = f"/soc/monitor@{base:x}"
    assert get(monitor, "compatible", "s") == MONITOR
    assert get(monitor, "reg") == [base, 0x100, window["base"], window["size"]]
    registers = [each for name, each in csr["csr_registers"].items() if name.startswith("mrc_")]
    assert base + 0x100 >= max(each["addr"] + 4 * each["size"] for each in registers)
    assert get(monitor, "interrupts") == [csr["constants"]["mrc_interrupt"] + first]
    uart = f"/soc/serial@{csr['csr_bases']['uart']:x}"
    assert get(uart, "interrupts") == [csr["constants"]["uart_interrupt"] + first]
    ram = csr["memories"]["main_ram"]
    assert get(monitor, "litex,memory") == get(f"/memory@{ram['base']:x}", "phandle")
    assert get(f"/memory@{ram['base']:x}", "reg")[0] == ram["base"]


def test_the_page_shows_what_the_commands_print(stock):
    page = (REPO / "docs/targets.md").read_text()
    assert f"\n{export('dts', stock('rocket'))[1]}$ dtc" in page
    lines = export("renode", stock("vexriscv"))[1]
    head, rest = lines.split("    memoryBase:")
    assert f"\n{head}    ...\n{rest.splitlines()[-1]}\n```" in page


@pytest.mark.parametrize("parameters", [{"ranks": 4, "engine": "group_stack"}, {"refs": True}])
def test_no_constant_has_the_name_of_a_register(parameters):
    """soc.h and csr.h of LiteX would define the same function, and no C program of the SoC would compile."""
    csr = description(**parameters)
    assert len([name for name in csr["constants"] if name.endswith("_compatible")]) == 2
    assert not csr["constants"].keys() & csr["csr_registers"].keys()


def test_the_driver_and_the_bindings_know_the_nodes():
    assert f'.compatible = "{MONITOR}"' in (DRIVER / "core.c").read_text()
    for compatible in (MONITOR, RANKS, REF_COUNTERS):
        assert f"const: {compatible}\n" in (DRIVER / f"bindings/misc/{compatible}.yaml").read_text()


def test_the_nodes_of_monitor_ranks_and_counters_obey_their_bindings(tmp_path):
    pytest.importorskip("dtschema", reason="dtschema of the extra linux")
    tools = Path(sys.executable).parent
    schemas = tmp_path / "schemas.json"
    subprocess.run([tools / "dt-mk-schema", "-o", schemas, DRIVER / "bindings"], check=True)
    for number, parameters in enumerate(
        ({"engine": "group_stack", "groups": 256, "ranks": 4}, {"refs": True})
    ):
        file = tmp_path / f"csr{number}.json"
        file.write_text(json.dumps(description(**parameters)))
        code, nodes, _ = export("dts", file)
        kinds = re.findall(r": ([\w-]+)@", nodes)
        assert (code, kinds) == (0, ["monitor", "reference-counters" if number else "ranks"])
        root = (
            "/dts-v1/; / { #address-cells = <1>; #size-cells = <1>; "
            "intc: i { interrupt-controller; #interrupt-cells = <1>; }; "
            'memory: memory@40000000 { device_type = "memory"; reg = <0x40000000 0x20000000>; }; '
            "soc { #address-cells = <1>; #size-cells = <1>; ranges; interrupt-parent = <&intc>; }; };"
        )
        compiled(root + nodes, tmp_path)
        checked = subprocess.run(
            [tools / "dt-validate", "-s", schemas, tmp_path / "tree.dtb"], capture_output=True, text=True
        )
        said = [line for line in (checked.stdout + checked.stderr).splitlines() if "litemrc" in line]
        assert said == []


@pytest.mark.parametrize("processor", ["vexriscv", "picorv32"])
def test_renodes_platform_has_the_monitor_at_its_addresses(stock, tmp_path, processor):
    file = stock(processor)
    csr = json.loads(file.read_text())
    platform = tmp_path / "soc.repl"
    litex = run("-m", "litex.tools.litex_json2renode", file, "--repl", platform)
    assert "Skipping unsupported peripheral `mrc`" in litex.stdout
    code, lines, _ = export("renode", file)
    assert code == 0
    entry = lines[lines.index("\n\nmrc: ") :]
    window = csr["memories"]["mrc_window"]
    assert re.search(r"sysbus (0x\w+);\n", entry)[1] == hex(csr["csr_bases"]["mrc"])
    # The model has the DRAM's commands of one bank; a bank takes eight words.
    size = window["size"] - 4 * 8 * ((csr["constants"]["mrc_built_dram_capabilities"] & 31) - 1)
    assert f"address: {window['base']:#x}; size: {size:#x}; region" in entry
    cpu, number = re.search(r"IRQ -> (\w+)@(\d+)$", entry, re.M).groups()
    assert int(number) == csr["constants"]["mrc_interrupt"]
    assert f"\n{cpu}: CPU." in platform.read_text() and f"    cpu: {cpu}\n" in entry
    facts = dict(re.findall(r"^    (\w+): (\w+)$", entry, re.M))
    # A Digilent Arty: 256 MB in pages of 4 KB, of which add_monitor samples 1 of 4 (docs/targets.md).
    assert (facts["framesLog2"], facts["pagesLog2"], facts["engine"]) == ("16", "14", "2")
    assert facts["memoryBase"] == hex(csr["memories"]["main_ram"]["base"])
    assert facts["frequency"] == str(csr["constants"]["config_clock_frequency"])
    # VexRiscv's data cache is 4 KB, as in renode/litemrc.repl; PicoRV32 has none.
    assert facts["l1Bytes"] == {"vexriscv": "4096", "picorv32": "0"}[processor]
    assert facts["l2Bytes"] == str(csr["constants"]["config_l2_size"])


def test_the_overlay_gives_a_tree_the_nodes_of_the_fragment(tmp_path):
    file = tmp_path / "csr.json"
    file.write_text(json.dumps(description(ranks=4, engine="group_stack")))
    # Two nodes that the overlay refers to or inherits from; cells as in litex_json2dts_linux.
    root = (
        "/dts-v1/; / { #address-cells = <1>; #size-cells = <1>; "
        "intc: i { interrupt-controller; #interrupt-cells = <1>; }; "
        "memory: memory@40000000 { reg = <0x40000000 0x20000000>; }; "
        "soc { #address-cells = <1>; #size-cells = <1>; interrupt-parent = <&intc>; }; };"
    )
    (tmp_path / "wanted").mkdir()
    wanted = compiled(root + export("dts", file)[1], tmp_path / "wanted")
    compiled(root, tmp_path)
    code, source, _ = export("dts", "--overlay", file)
    assert code == 0
    overlay, merged = tmp_path / "litemrc.dtbo", tmp_path / "merged.dtb"
    quiet = ["-W", "no-interrupts_property"]
    command = ["dtc", "-@", *quiet, "-I", "dts", "-O", "dtb", "-o", overlay]
    said = subprocess.run(command, input=source, text=True, check=True, stderr=subprocess.PIPE).stderr
    assert said == ""
    subprocess.run(["fdtoverlay", "-i", tmp_path / "tree.dtb", "-o", merged, overlay], check=True)

    def properties(tree, node):
        listed = subprocess.run(["fdtget", "-p", tree, node], capture_output=True, text=True, check=True)
        names = sorted(set(listed.stdout.split()) - {"phandle"})
        values = [
            subprocess.run(["fdtget", "-t", "bx", tree, node, name], capture_output=True, check=True).stdout
            for name in names
        ]
        return dict(zip(names, values, strict=True))

    nodes = [f"/soc/{name}" for name in re.findall(r": ([\w-]+@\w+) {", source)]
    assert len(nodes) == 2
    for node in ["/soc", *nodes]:
        assert properties(merged, node) == properties(tmp_path / "wanted/tree.dtb", node)
    assert wanted(nodes[0], "litex,memory") == wanted("/memory@40000000", "phandle")


def with_two_controllers(cpu="vexriscv"):
    soc = SoCCore(
        SimPlatform("SIM", []),
        clk_freq=CLOCK_HZ,
        cpu_type=cpu,
        integrated_rom_size=4096,
        integrated_sram_size=4096,
        with_uart=False,
    )
    soc.logger = SimpleNamespace(info=lambda line: None, error=print, warning=print)
    add_sdram(soc)
    add_second_sdram(soc)
    add_monitor(soc)
    add_monitor(soc, soc.second_phy, name="mrc_2", sdram=soc.second)
    return soc


def test_two_monitors_are_two_nodes_and_each_has_its_memory(tmp_path):
    file = described(with_two_controllers(), tmp_path / "csr.json")
    csr = json.loads(file.read_text())
    code, nodes, error = export("dts", file)
    assert (code, nodes) == (2, "") and "--memory mrc_2=LABEL" in error

    code, nodes, _ = export("dts", file, "--memory", "mrc_2=second")
    assert code == 0
    root = (
        "/dts-v1/; / { #address-cells = <1>; #size-cells = <1>; "
        "soc { #address-cells = <1>; #size-cells = <1>; }; "
        "memory: memory@40000000 { }; second: memory@50000000 { }; };"
    )
    get = compiled(root + nodes, tmp_path)
    for name, memory in (("mrc", "/memory@40000000"), ("mrc_2", "/memory@50000000")):
        base, window = csr["csr_bases"][name], csr["memories"][f"{name}_window"]
        node = f"/soc/monitor@{base:x}"
        assert get(node, "reg") == [base, 0x100, window["base"], window["size"]]
        assert get(node, "interrupts") == [csr["constants"][f"{name}_interrupt"]]
        assert get(node, "litex,memory") == get(memory, "phandle")
    assert csr["constants"]["mrc_interrupt"] != csr["constants"]["mrc_2_interrupt"]

    assert "choose with --monitor mrc|mrc_2" in export("renode", file)[2]
    assert export("dts", file, "--memory", "mrc_3=second")[0] == 2
    assert export("dts", file, "--memory", "mrc_2=a;b")[0] == 2


def test_a_monitor_without_an_interrupt_is_no_node(tmp_path):
    file = described(with_two_controllers(cpu=None), tmp_path / "csr.json")
    code, nodes, error = export("dts", file, "--memory", "mrc_2=second")
    assert (code, nodes) == (2, "") and "mrc has no interrupt" in error


def test_a_soc_without_a_monitor_gives_a_sentence_and_exit_code_2(tmp_path):
    file = described(SoCMini(SimPlatform("SIM", []), clk_freq=CLOCK_HZ), tmp_path / "csr.json")
    for command in ("dts", "renode"):
        code, output, error = export(command, file)
        assert (code, output) == (2, "")
        assert error.count("\n") == 1 and "no monitor" in error and str(file) in error


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "No such file"),
        ("[1]", "not a csr.json"),
        ("{", "not a csr.json"),
        ('{"a": 1}', "no constants"),
    ],
)
def test_what_is_no_csr_json_gives_a_sentence_and_exit_code_2(tmp_path, content, message):
    file = tmp_path / "csr.json"
    if content is not None:
        file.write_text(content)
    code, _, error = export("dts", file)
    assert code == 2 and message in error and error.count("\n") == 1


def test_a_monitor_that_renode_cannot_model_is_refused(stock):
    for processor, message in (("rocket", "no data cache of rocket"), ("vexriscv_smp", "of vexriscv_smp")):
        code, output, error = export("renode", stock(processor))
        assert (code, output) == (2, "") and message in error
