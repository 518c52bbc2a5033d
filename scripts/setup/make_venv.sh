#!/usr/bin/env bash
# Makes .venv with the pinned tools of pyproject.toml and this package, editable, its native core compiled.
#
# The core is built without pip's isolation: what it needs stays in .venv, so that building again is quick
# (scripts/setup/build_native.sh).
set -eu
python=${PYTHON:-python3}
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "LiteMRC needs Python 3.11 or newer; $python is $("$python" --version). Name another: make PYTHON=..." >&2
    exit 2
fi
[ -x .venv/bin/python ] || "$python" -m venv .venv
echo "installing Python packages into .venv"
scripts/setup/install_requirements.sh build base soc test
.venv/bin/python scripts/setup/fetch_ap_types.py
.venv/bin/python -m pip --disable-pip-version-check install --quiet --no-deps --no-build-isolation --editable .
