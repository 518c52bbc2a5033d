# SPDX-License-Identifier: BSD-2-Clause
"""Decoders of untrusted bytes read or refuse the kept inputs and those of a short run of the fuzzer."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.fuzz.target import NAMES, kept_inputs, target
from tests.timeouts import scaled_timeout

REPO = Path(__file__).parents[2]
RUNS = 500


@pytest.mark.parametrize("name", NAMES)
def test_kept_inputs_are_read_or_refused(name):
    for content in [*kept_inputs(name), *target(name).seeds()]:
        target(name).try_one(content)


@pytest.mark.skipif(not find_spec("atheris"), reason="atheris has no wheel for this machine")
@pytest.mark.parametrize("name", NAMES)
def test_a_short_run_finds_nothing(name, tmp_path):
    # A child of this process would begin with its peak of memory: after some tests that is beyond the limit.
    command = ["timeout", f"{scaled_timeout(60)}", sys.executable, "-m", "tests.fuzz", name]
    command += ["--runs", str(RUNS), "--out", str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=REPO)
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-3000:]
