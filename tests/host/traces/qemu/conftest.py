# SPDX-License-Identifier: BSD-2-Clause
"""Programs for QEMU, compiled once; all of it is skipped where there is no qemu-user with plugins."""

import shutil
import subprocess

import pytest
from litemrc.errors import UserError
from litemrc.traces.qemu.emulator import architecture, plugin_for, program_path, user_emulator

from tests.timeouts import scaled_timeout


@pytest.fixture(scope="session")
def compiled(tmp_path_factory):
    """Compile a C program of the host; skip the test without QEMU for it or without a compiler."""
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("gcc is not installed")
    try:
        plugin_for(user_emulator(architecture(program_path("true"))))
    except UserError as error:
        pytest.skip(f"{error.what}; {error.remedy}")
    folder = tmp_path_factory.mktemp("programs")

    def build(name: str, source: str, *flags: str) -> str:
        program = folder / name
        if not program.exists():
            command = [compiler, "-O1", "-static", "-o", str(program), "-x", "c", "-", *flags]
            subprocess.run(command, input=source, text=True, check=True, timeout=scaled_timeout(60))
        return str(program)

    return build
