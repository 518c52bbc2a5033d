#!/usr/bin/env bash
# install_requirements.sh GROUP...: installs dependency groups of pyproject.toml into .venv, in the versions of
# constraints.txt; "build" is what building this package needs, "base" what it always needs, "extras" its optional extras.
# Not the package itself, which is built without pip's isolation: of these some come as sources, and are to be built apart
# from .venv, with what they ask for.
set -eu
here=$(dirname "$0")
mapfile -t requirements < <(.venv/bin/python -c '
import pathlib, sys, tomllib
file = tomllib.loads(pathlib.Path("pyproject.toml").read_text())
extras = file["project"]["optional-dependencies"]
lists = file["dependency-groups"] | {
    "base": file["project"]["dependencies"],
    "build": file["build-system"]["requires"],
    "extras": [each for extra in extras.values() for each in extra if not each.startswith("litemrc[")],
}
print(*(requirement for name in sys.argv[1:] for requirement in lists[name]), sep="\n")' "$@")
exec 9>.venv/pip.lock
flock 9 # two at once could take files from each other
.venv/bin/python -m pip --disable-pip-version-check install --quiet --constraint "$here/constraints.txt" "${requirements[@]}"
