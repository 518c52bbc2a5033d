"""The scenarios that come with the package, by name."""

import os
import tomllib
from pathlib import Path

from litemrc.errors import UserError, choose_from

_INSTALLED = Path(__file__).parents[1] / "scenarios"
_IN_REPOSITORY = Path(__file__).parents[3] / "scenarios"


def scenario_path(text: str, kind: str = "") -> Path:
    """Return the path of a scenario: a file, or a shipped one such as `apache_gcc` or `trays/fop`.

    Parameters:
        kind: folder of the shipped ones that need no folder in their names, such as "trays".
    """
    path = Path(text)
    if os.path.exists(path) or path.is_absolute():  # Path.exists raises if the name is too long
        return path
    for folder in (_INSTALLED, _IN_REPOSITORY):
        for place in (folder / kind, folder):
            shipped = place / path.with_suffix(".toml")
            if os.path.isfile(shipped):
                return shipped
    return path


def shipped_scenarios(kind: str = "") -> dict[str, str]:
    """Return the titles of the shipped scenarios in a folder, by name."""
    folder = next((place / kind for place in (_INSTALLED, _IN_REPOSITORY) if (place / kind).is_dir()), None)
    files = sorted(folder.glob("*.toml")) if folder else []
    return {file.stem: tomllib.loads(file.read_text("utf-8")).get("title", "") for file in files}


def known_scenario(text: str, kind: str = "") -> Path:
    """Return the path of a scenario; a name that is neither a file nor a shipped scenario is refused.

    Raises:
        UserError: there is no such scenario; a text with a folder or a suffix is taken for a file's name.
    """
    path = scenario_path(text, kind)
    if path.name == text and not path.suffix and not os.path.exists(path):
        raise UserError(
            f"no scenario is named {text!r}",
            remedy=f"{choose_from(text, shipped_scenarios(kind))}, or name a file",
        )
    return path
