# SPDX-License-Identifier: BSD-2-Clause
"""The M-mode shim below programs in S mode, in qemu: timer, time, SBI calls, reset, misaligned, traps."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from scripts.guests.vexriscv import processor
from tests.firmware.boot.boot_programs import COMPILE, PROGRAMS, build_program
from tests.mutation import mutated_source
from tests.timeouts import scaled_timeout

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
BOOT = ROOT / "firmware/boot"
QEMU = shutil.which("qemu-system-riscv32")
OBJDUMP = "riscv64-unknown-elf-objdump"
# A hart like VexRiscv: only SBI sets the timer, and rdtime traps.
MACHINE = [
    *("-machine", "virt", "-cpu", processor(), "-m", "16"),
    *("-display", "none", "-serial", "stdio", "-monitor", "none"),
]
KERNEL_ADDRESS = 0x8040_0000
TIMEOUT_S = 60
MUTANT_TIMEOUT_S = 10

pytestmark = pytest.mark.skipif(QEMU is None, reason="qemu-system-riscv32 is not installed")


@pytest.fixture(scope="session")
def build_shim(tmp_path_factory):
    """build_shim(mutation=None, harts=1) -> images: as it ships, and with retrap.S before it.

    mutation: (file, text, other text).
    """

    def build(mutation=None, harts=1):
        out = tmp_path_factory.mktemp("shim")
        source = out / "boot"
        shutil.copytree(BOOT, source)
        if mutation:
            name, text, other = mutation
            (source / name).write_text(mutated_source(BOOT / name, text, other))
        make = ["make", "-s", "-f", str(source / "Makefile"), "PLATFORM=virt", f"HARTS={harts}"]
        subprocess.run([*make, f"OUT={out}/ships"], check=True, capture_output=True)
        retrap = out / "retrap.o"
        subprocess.run([*COMPILE, "-c", "-o", str(retrap), str(PROGRAMS / "retrap.S")], check=True)
        wrapped = f"TEST_OBJECTS={retrap} -Wl,--wrap=trap_vector"
        subprocess.run([*make, f"OUT={out}/wrapped", wrapped], check=True, capture_output=True)
        return out / "ships/shim.bin", out / "wrapped/shim.bin"

    return build


@pytest.fixture(scope="session")
def shims(build_shim):
    return build_shim()


@pytest.fixture(scope="session")
def shim_of_two_harts(build_shim):
    return build_shim(harts=2)[0]


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    """program(name, *flags) -> image of programs/NAME.c."""
    return lambda name, *flags: build_program(
        tmp_path_factory.mktemp("program"), name, KERNEL_ADDRESS, *flags
    )


@pytest.mark.parametrize(("harts", "atomic"), [(1, False), (2, True)])
def test_the_shim_of_one_hart_has_no_atomic_instruction(build_shim, harts, atomic):
    """The memory of a SoC need not know any: Rocket's port for its SRAM does not."""
    elf = build_shim(harts=harts)[0].with_suffix(".elf")
    code = subprocess.run([OBJDUMP, "-d", elf], check=True, capture_output=True, text=True).stdout
    assert "harts_begin" in code
    assert bool(re.search(r"\s(amo\w+|lr|sc)\.[wd]", code)) == atomic


def qemu(shim, image, *options):
    return [QEMU, *MACHINE, *options, "-bios", str(shim), "-kernel", str(image)]


def run(shim, image, text="", timeout_s=TIMEOUT_S, options=()):
    """(exit code, console) of a program; text: what is typed."""
    done = subprocess.run(
        qemu(shim, image, "-no-reboot", *options),
        input=text,
        capture_output=True,
        text=True,
        timeout=scaled_timeout(timeout_s),
    )
    return done.returncode, done.stdout + done.stderr


def test_the_timer_fires_when_asked_and_is_taken_back(shims, program):
    assert run(shims[0], program("timer")) == (0, "timer: ok\n")


def test_rdtime_is_monotonic_and_changes_no_other_register(shims, program):
    assert run(shims[0], program("rdtime")) == (0, "rdtime: ok\n")


def test_illegal_instructions_and_breakpoints_reach_s_mode_as_if_delegated(shims, program):
    assert run(shims[0], program("reflect")) == (0, "reflect: ok\n")


def test_calls_answer_and_unknown_ones_are_errors(shims, program):
    assert run(shims[0], program("calls"), "echo\x80?Q") == (0, "echo\x80?Q\ncalls: ok\n")


def test_interrupts_and_fences_of_a_kernel_with_smp_reach_the_only_hart(shims, program):
    assert run(shims[0], program("harts")) == (0, "harts: ok\n")


TWO_HARTS = ("-smp", "2")


def test_two_harts_start_stop_and_reach_each_other(shim_of_two_harts, program):
    code, said = run(shim_of_two_harts, program("two_harts"), options=TWO_HARTS)
    assert (code, said) == (0, "two harts: ok\n")


def test_a_third_hart_waits_forever(shim_of_two_harts, program):
    code, said = run(shim_of_two_harts, program("two_harts"), options=("-smp", "3"))
    assert (code, said) == (0, "two harts: ok\n")


def test_misaligned_accesses_are_completed_in_every_register(shims, program):
    assert run(shims[1], program("misaligned")) == (0, "misaligned: ok\n")


def test_misaligned_accesses_obey_the_page_tables(shims, program):
    assert run(shims[1], program("paging")) == (0, "paging: ok\n")


SYSTEM_RESET, LEGACY_SHUTDOWN = 0x53525354, 8
SHUTDOWN, COLD_REBOOT, WARM_REBOOT = range(3)
NO_REASON, SYSTEM_FAILURE = range(2)


def reset_program(program, extension, kind, reason):
    return program("reset", f"-DCALL_EXTENSION={extension}", f"-DCALL_TYPE={kind}", f"-DCALL_REASON={reason}")


@pytest.mark.parametrize(
    ("extension", "reason", "code"),
    [(SYSTEM_RESET, NO_REASON, 0), (SYSTEM_RESET, SYSTEM_FAILURE, 1), (LEGACY_SHUTDOWN, NO_REASON, 0)],
)
def test_shutdown_ends_the_machine(shims, program, extension, reason, code):
    image = reset_program(program, extension, SHUTDOWN, reason)
    assert run(shims[0], image) == (code, "started\n")


@pytest.mark.parametrize("kind", [COLD_REBOOT, WARM_REBOOT])
def test_reboot_starts_again(shims, program, kind):
    image = reset_program(program, SYSTEM_RESET, kind, NO_REASON)
    machine = subprocess.Popen(
        qemu(shims[0], image), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    )
    try:
        assert [machine.stdout.readline() for _ in range(3)] == ["started\n"] * 3
    finally:
        machine.kill()
        machine.communicate()


MUTANTS = {
    "sign": ("misaligned", ("misaligned.c", "value = (intptr_t)(int16_t)value;", ";")),
    "x0 stored": ("misaligned", ("misaligned.c", "rs2 ? frame->x[rs2] : 0", "frame->x[rs2]")),
    "atomics": ("misaligned", ("misaligned.c", "!= (store ? OPCODE_STORE : OPCODE_LOAD)", "== 0")),
    "second page": ("paging", ("misaligned.c", "place->second = (uint8_t *)physical;", "place->second = 0;")),
    "first byte only": ("paging", ("misaligned.c", "place->first_page_left >= bytes", "true")),
    "user pages": ("paging", ("translate.c", "from_user != !!(pte & U)", "false")),
    "dirty": ("paging", ("translate.c", "access != STORE || pte & D", "true")),
    "superpage": ("paging", ("translate.c", " || ppn << PAGE_SHIFT & ((ONE << shift) - 1)", "")),
    "SPIE": ("reflect", ("reflect.c", "changed |= MSTATUS_SPIE;", ";")),
    "breakpoint": ("reflect", ("trap.c", "reflect(BREAKPOINT,", "reflect(ILLEGAL_INSTRUCTION,")),
    "rdtime x11": ("rdtime", ("trap_entry.S", "STORE\ta1, 11*BYTES(sp)\n\tj", "nop\n\tj")),
    "STIP": ("timer", ("sbi.c", "csr_clear(mip, INTERRUPT_STI);", ";")),
    "IPI": ("harts", ("harts.c", "csr_set(mip, INTERRUPT_SSI);", ";")),
    "other hart": ("harts", ("harts.c", "first >= HARTS || mask & ~((uintptr_t)all >> first)", "false")),
    "fence": ("harts", ("harts.c", '"sfence.vma" : : :', '"nop" : : :')),
    "no interrupt": ("two_harts", ("harts.c", "raise(other, 1);", ";")),
    "request stays": ("two_harts", ("harts.c", "__atomic_fetch_and(asked, ~who, __ATOMIC_SEQ_CST);", ";")),
    "opaque": (
        "two_harts",
        (
            "harts.c",
            "enter(harts[hart].start, hart, harts[hart].opaque)",
            "enter(harts[hart].start, hart, hart)",
        ),
    ),
    "never stopped": (
        "two_harts",
        (
            "harts.c",
            "set_state(hart, STOPPED);",
            "set_state(hart, STARTED);",
        ),
    ),
    "started twice": ("two_harts", ("harts.c", "if (harts[hart].state != STOPPED)", "if (false)")),
    "no error": (
        "calls",
        ("sbi.c", "SBI_ERR_NOT_SUPPORTED, 0};\n\n\tswitch (frame", "SBI_SUCCESS, 0};\n\n\tswitch (frame"),
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_wrong_shim_is_caught(build_shim, program, name):
    caught_by, mutation = MUTANTS[name]
    two = caught_by == "two_harts"
    shim = build_shim(mutation, harts=2)[0] if two else build_shim(mutation)[1]
    try:
        code, _ = run(shim, program(caught_by), "Q", MUTANT_TIMEOUT_S, TWO_HARTS if two else ())
    except subprocess.TimeoutExpired:
        return  # the program does not end: found
    assert code == 1
