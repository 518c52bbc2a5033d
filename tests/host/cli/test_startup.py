# SPDX-License-Identifier: BSD-2-Clause
"""`--help` of a command loads no library that takes long: a promise about imports, not about time."""

import json
import subprocess
import sys

from litemrc.cli.main import COMMANDS, STUDIES
from litemrc.cli.traces.trace import COMMANDS as TRACE_COMMANDS
from litemrc_studies.simulate import MACHINES

# Each takes 0.05 s of CPU or more to load; the limit of a start is 0.25 s, of which Python takes 0.03 s.
NAMES = [*STUDIES, *(name for commands in COMMANDS.values() for name in commands)]
HEAVY = {"matplotlib", "pandas", "pyarrow", "rich", "jinja2", "scipy", "shtab"}
# Their parsers name formats, engines or defaults of modules that need numpy (0.1 s); the others do without.
WITH_NUMPY = {"curve", "allocate", "compare", "mrc", "replace", "trace", "simulate", "hot", "heatmap", "qemu"}

LOADED = """
import contextlib, io, json, sys
from litemrc.cli.main import main
found = {}
for line in sys.argv[1:]:
    with contextlib.redirect_stdout(io.StringIO()) as text, contextlib.suppress(SystemExit):
        main([*line.split(), "--help"])
    assert text.getvalue().startswith("usage: litemrc " + line), line
    found[line] = sorted({name.partition(".")[0] for name in sys.modules})
print(json.dumps(found))
"""


def loaded(lines: list[str]) -> dict[str, set[str]]:
    """Return the packages loaded after `--help` of each command, all in one process."""
    done = subprocess.run([sys.executable, "-c", LOADED, *lines], capture_output=True, check=True)
    return {line: set(names) for line, names in json.loads(done.stdout).items()}


def test_help_of_no_command_loads_what_takes_long():
    machines, traces = (f"simulate {name}" for name in MACHINES), (f"trace {name}" for name in TRACE_COMMANDS)
    for line, names in loaded(["", *NAMES, *machines, *traces]).items():
        assert not names & HEAVY, line


def test_help_of_device_and_demo_commands_loads_no_numpy():
    for line, names in loaded(["", *(name for name in NAMES if name not in WITH_NUMPY)]).items():
        assert "numpy" not in names, line
