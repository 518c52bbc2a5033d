#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Makes .venv with the tools of pyproject.toml, pinned by constraints.txt.
#
# The packages themselves follow by build_native.sh, without pip's isolation: what the native core needs stays in .venv, so
# that building it again is quick.
set -eu
python=${PYTHON:-python3}
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "LiteMRC needs Python 3.11 or newer; $python is $("$python" --version). Name another: make PYTHON=..." >&2
    exit 2
fi
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    echo "$python cannot make virtual environments: install python3-venv (Debian, Ubuntu), or name another: make PYTHON=..." >&2
    exit 2
fi
[ -x .venv/bin/python ] || "$python" -m venv .venv
echo "installing Python packages into .venv"
scripts/setup/install_requirements.sh build base extras soc test
