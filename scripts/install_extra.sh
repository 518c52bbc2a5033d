#!/usr/bin/env bash
# install_extra.sh NAME: installs what pyproject.toml lists under that extra into .venv, and nothing of this package,
# which stands there already. Packages that come as sources are built apart from .venv, with what they ask for.
set -eu
mapfile -t requirements < <(.venv/bin/python -c '
import pathlib, sys, tomllib
extras = tomllib.loads(pathlib.Path("pyproject.toml").read_text())["project"]["optional-dependencies"]
print(*extras[sys.argv[1]], sep="\n")' "$1")
.venv/bin/python -m pip --disable-pip-version-check install --quiet "${requirements[@]}"
