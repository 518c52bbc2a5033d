# SPDX-License-Identifier: BSD-2-Clause
"""A command of a distribution that is not installed."""

import argparse
from typing import NoReturn

from litemrc.errors import UserError


def set_argparser(parser: argparse.ArgumentParser) -> NoReturn:
    """Explain what to install."""
    raise UserError(
        f"{parser.prog} is in litemrc-studies, which is not installed",
        remedy="run, in a clone of LiteMRC: pip install . ./host",
    )
