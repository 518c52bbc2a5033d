# SPDX-License-Identifier: BSD-2-Clause
"""The scenarios that come with the package, by name."""

import os
import tomllib
from pathlib import Path

from litemrc.errors import UserError, choose_from

_STUDIES = Path(__file__).parents[1]
_FOLDERS = {
    "": _STUDIES / "zhou2004/scenarios",
    "numa": _STUDIES / "reference_counters/scenarios",
    "trays": _STUDIES / "jantz2013/scenarios",
    "sweeps": _STUDIES / "sweeps/examples",
}


def scenario_path(text: str, kind: str = "") -> Path:
    """Return the path of a scenario: a file, or a shipped one such as `apache_gcc` or `trays/fop`.

    Parameters
    ----------
    kind
        of the shipped ones that need no kind in their names, such as "trays".
    """
    path = Path(text)
    if os.path.exists(path) or path.is_absolute():  # Path.exists raises if the name is too long
        return path
    named = [(kind, path), ("", path), *([(path.parts[0], Path(path.name))] if len(path.parts) == 2 else [])]
    for folder, name in named:
        if folder in _FOLDERS and os.path.isfile(shipped := _FOLDERS[folder] / name.with_suffix(".toml")):
            return shipped
    return path


def shipped_scenarios(kind: str = "") -> dict[str, str]:
    """Return the titles of the shipped scenarios of a kind, by name."""
    files = sorted(_FOLDERS[kind].glob("*.toml"))
    return {file.stem: tomllib.loads(file.read_text("utf-8")).get("title", "") for file in files}


def known_scenario(text: str, kind: str = "") -> Path:
    """Return the path of a scenario; a name that is neither a file nor a shipped scenario is refused.

    Raises
    ------
    UserError
        there is no such scenario; a text with a folder or a suffix is taken for a file's name.
    """
    path = scenario_path(text, kind)
    if path.name == text and not path.suffix and not os.path.exists(path):
        raise UserError(
            f"no scenario is named {text!r}",
            remedy=f"{choose_from(text, shipped_scenarios(kind))}, or name a file",
        )
    return path
