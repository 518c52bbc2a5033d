#!/usr/bin/env bash
# Makes .venv with the pinned tools of pyproject.toml and this package, editable.
set -eu
python=${PYTHON:-python3}
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "LiteMRC needs Python 3.11 or newer; $python is $("$python" --version). Name another: make PYTHON=..." >&2
    exit 2
fi
[ -x .venv/bin/python ] || "$python" -m venv .venv
echo "installing Python packages into .venv"
.venv/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[soc,test]'
