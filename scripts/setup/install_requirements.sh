#!/usr/bin/env bash
# install_requirements.sh EXTRA...: installs what pyproject.toml lists under these extras into .venv; "build" is what
# building this package needs, "base" what it always needs. Not the package itself, which is built without pip's
# isolation: of these some come as sources, and are to be built apart from .venv, with what they ask for.
set -eu
mapfile -t requirements < <(.venv/bin/python -c '
import pathlib, sys, tomllib
project = tomllib.loads(pathlib.Path("pyproject.toml").read_text())
lists = project["project"]["optional-dependencies"]
lists |= {"base": project["project"]["dependencies"], "build": project["build-system"]["requires"]}
print(*(requirement for name in sys.argv[1:] for requirement in lists[name]), sep="\n")' "$@")
exec 9>.venv/pip.lock
flock 9 # two at once could take files from each other
.venv/bin/python -m pip --disable-pip-version-check install --quiet "${requirements[@]}"
