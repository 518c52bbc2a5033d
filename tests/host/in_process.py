"""The command line in this process: what a subprocess would return, without its start."""

import io
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple

from litemrc.cli.main import main


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def litemrc(*arguments: object) -> Done:
    """Run `litemrc ARGUMENTS`; an exception other than SystemExit is a traceback and is raised."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as ended:  # argparse
            code = ended.code if isinstance(ended.code, int) else 1
    return Done(code, out.getvalue(), err.getvalue())
