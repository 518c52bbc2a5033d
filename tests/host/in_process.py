# SPDX-License-Identifier: BSD-2-Clause
"""The command line in this process: what a subprocess would return, without its start."""

import io
import os
import signal
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from typing import NamedTuple

import pytest
from litemrc.cli.main import main


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def litemrc(*arguments: object) -> Done:
    """Run `litemrc ARGUMENTS`; an exception other than SystemExit is a traceback and is raised.

    Commands that ignore signals while they save leave them so to the end of their process, which this is not.
    """
    out, err = io.StringIO(), io.StringIO()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as ended:  # argparse
            code = ended.code if isinstance(ended.code, int) else 1
        finally:
            for number, handler in handlers.items():
                if signal.getsignal(number) != handler:
                    signal.signal(number, handler)
    return Done(code, out.getvalue(), err.getvalue())


def interrupt_replace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `litemrc replace` get Ctrl-C when it has replayed the first chunk of its trace."""
    replace = import_module("litemrc_studies.glass1997.command.replace")
    shown = replace.shown

    def interrupted(*arguments):
        for number, chunk in enumerate(shown(*arguments)):
            yield chunk
            if number == 0:
                os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(replace, "shown", interrupted)
