# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc qemu`: what it prints, Ctrl-C, and its errors."""

import json
import shutil
import signal
import subprocess
import sys
import time

import pytest
from litemrc.errors import UserError
from litemrc.traces.qemu.emulator import architecture, plugin_for, user_emulator

from tests.host.traces.qemu.qemu_programs import HOSTILE, SPIN, WALK
from tests.timeouts import scaled_timeout

NO_CACHES = ["--cache", "none", "--icache", "none"]
LITEMRC = [sys.executable, "-m", "litemrc.cli.main"]


def litemrc(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*LITEMRC, *map(str, arguments)], capture_output=True, text=True, timeout=scaled_timeout(120)
    )


def test_json_is_the_object_of_mrc_with_the_counts(compiled):
    program = compiled("walk", WALK, "-nostdlib", "-fno-stack-protector", "-fno-builtin")
    options = ["--engine", "group", "--frames", 256, "--groups", 16, *NO_CACHES]
    done = litemrc("qemu", "--json", *options, "--epoch", 6000, "--", program)
    assert done.returncode == 0, done.stderr
    curve = json.loads(done.stdout)
    # 13,200 loads and stores, and the second pages of 1,200 of them (and of none else: one byte each).
    assert (curve["references"], curve["accesses"], curve["outside"], curve["unsampled"]) == (
        13200,
        14400,
        0,
        0,
    )
    assert curve["name"] == "walk" and curve["page_bytes"] == 4096 and curve["seconds"] > 0
    assert curve["resolution_pages"] == 16 and curve["sizes_pages"] == list(range(16, 257, 16))
    # 201 pages at most: 200 of the array, and the one behind it.
    assert 190 <= curve["cold_misses"] <= 201
    assert curve["miss_ratio"][-1] == curve["cold_misses"] / curve["accesses"]
    assert len(curve["working_set_pages"]) == 3 and max(curve["working_set_pages"]) <= 201


def test_sampled_accesses_and_others_add_up(compiled):
    program = compiled("walk", WALK, "-nostdlib", "-fno-stack-protector", "-fno-builtin")
    done = litemrc("qemu", "--json", *NO_CACHES, "--sample-rate", "1/4", "--", program)
    curve = json.loads(done.stdout)
    sampled = curve["accesses"] - curve["unsampled"]
    assert 0.1 < sampled / curve["accesses"] < 0.45  # 1/4 of 201 pages
    assert curve["resolution_pages"] == 4 and curve["cold_misses"] % 4 == 0
    assert "pages were sampled" in done.stderr


def test_pages_without_a_frame_are_reported(compiled):
    program = compiled("hostile", HOSTILE, "-pthread")
    options = ["--json", "--engine", "bucket", "--frames", 256, "--cache", "none"]
    done = litemrc("qemu", *options, "--", program)
    parent, child = json.loads(done.stdout)["curves"]
    # The array alone has 256 pages.
    assert parent["outside"] > 0 and "found no frame" in done.stderr and "--frames" in done.stderr
    assert child["name"].startswith("hostile, process")


def test_ctrl_c_ends_the_program_and_prints_what_was_counted(compiled):
    command = [*LITEMRC, "qemu", "--json", *NO_CACHES, "--", compiled("spin", SPIN), "forever"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None and process.stderr.readline() == "on\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=scaled_timeout(60))
    assert process.returncode == 130
    curve = json.loads(out)
    # 64 pages in turn.
    assert curve["interrupted"] is True and curve["accesses"] > 1000 and curve["cold_misses"] >= 64


def test_an_exit_code_is_reported_and_the_curve_printed(compiled):
    done = litemrc("qemu", "--", compiled("spin", SPIN))
    assert done.returncode == 0 and "exit code 3" in done.stderr and "cold misses" in done.stdout
    assert "on\n" in done.stderr and "on\n" not in done.stdout


def test_a_program_started_by_exec_is_named_as_not_counted(compiled):
    compiled("spin", SPIN)
    done = litemrc("qemu", "--", "sh", "-c", "true; /bin/true; exec /bin/true")
    assert done.returncode == 0 and "by exec; it ran outside QEMU" in done.stderr


@pytest.mark.parametrize(
    "content, complaint",
    [
        (b"#!/bin/sh\necho\n", "run its interpreter: /bin/sh"),
        (b"what", "no ELF header"),
        (b"\x7fELF\x02\x01" + bytes(12) + b"\x05\xff" + bytes(44), "ELF machine 65285"),
        (b"\x7fELF\x01\x01" + bytes(12) + b"\x16\x00" + bytes(44), "ELF machine 22"),  # s390 of 31 bits
    ],
)
def test_what_is_no_program_for_qemu_is_refused(tmp_path, content, complaint):
    program = tmp_path / "program"
    program.write_bytes(content)
    program.chmod(0o755)
    with pytest.raises(UserError) as caught:
        architecture(program)
    assert complaint in f"{caught.value.what} {caught.value.remedy}"


@pytest.mark.parametrize(
    "machine, bits, data, name",
    [(62, 2, 1, "x86_64"), (243, 2, 1, "riscv64"), (243, 1, 1, "riscv32"), (183, 2, 1, "aarch64"),
     (40, 1, 2, "armeb"), (21, 2, 1, "ppc64le"), (8, 1, 2, "mips"), (22, 2, 2, "s390x")],
)  # fmt: skip
def test_the_elf_header_names_the_emulator(tmp_path, machine, bits, data, name):
    program = tmp_path / "program"
    order = "big" if data == 2 else "little"
    program.write_bytes(b"\x7fELF" + bytes([bits, data]) + bytes(12) + machine.to_bytes(2, order))
    assert architecture(program) == name


def test_without_qemu_the_error_names_the_package(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "qemu-riscv64-static").write_text("#!/bin/sh\n")
    (tmp_path / "qemu-riscv64-static").chmod(0o755)
    with pytest.raises(UserError, match="qemu-riscv64-static takes no plugins") as caught:
        user_emulator("riscv64")
    assert "apt-get install qemu-user" in caught.value.remedy


def test_a_qemu_without_plugins_is_refused(tmp_path):
    emulator = tmp_path / "qemu-x86_64"
    emulator.write_text("#!/bin/sh\necho no such option\n")
    emulator.chmod(0o755)
    with pytest.raises(UserError, match="without plugins"):
        plugin_for(emulator)


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (["--cache", "16k:4", "--", "true"], "is not a cache geometry"),
        (["--cache", "16k:4:64,64k:4:32", "--", "true"], "shorter lines"),
        (["--cache", "4k:1:32,8k:1:16:wt", "--", "true"], "only the first level"),
        (["--engine", "exact", "--frames", "256", "--", "true"], "no parameters frames"),
        (["--engine", "bucket", "--frames", "300", "--", "true"], "not compiled for 300 frames"),
        (["--sample-rate", "1/3", "--", "true"], "power of 1/2"),
        (["--", "no-such-program"], "the program does not exist"),
        ([], "the following arguments are required"),
    ],
)
def test_bad_arguments_exit_with_2(arguments, complaint):
    done = litemrc("qemu", *arguments)
    assert done.returncode == 2 and complaint in done.stderr and "Traceback" not in done.stderr


@pytest.mark.skipif(shutil.which("riscv64-linux-gnu-gcc") is None, reason="no compiler for riscv64")
def test_a_program_of_another_architecture_runs(compiled, tmp_path):
    compiled("spin", SPIN)  # skips without QEMU
    program = tmp_path / "walk"
    exits = '"li a7, 94; li a0, 0; ecall"'
    source = WALK.replace('"syscall" : : "a"(231), "D"(0)', exits)
    command = ["riscv64-linux-gnu-gcc", "-O1", "-static", "-nostdlib", "-x", "c", "-", "-o", str(program)]
    subprocess.run(command, input=source, text=True, check=True, timeout=scaled_timeout(60))
    done = litemrc("qemu", "--json", *NO_CACHES, "--", program)
    assert done.returncode == 0, done.stderr
    # 6,000 loads and stores of bytes; each of the 1,200 unaligned loads is two of a word, one on each page.
    curve = json.loads(done.stdout)
    assert curve["references"] == curve["accesses"] == 14400
