#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Compiles what changed of the native core (host/litemrc/native, hls/) and installs the packages into .venv, editable.
set -eu
exec 9>.venv/pip.lock
flock 9 # two at once could take files from each other
.venv/bin/python -m pip --disable-pip-version-check install --quiet --no-build-isolation --no-deps \
    --editable . --editable host --editable litex-soc
# The SoCs and boards are run in a clone; no distribution has them.
.venv/bin/python -c "import sysconfig, sys; open(sysconfig.get_path('purelib') + '/litemrc_soc.pth', 'w').write(sys.argv[1])" "$PWD/litex-soc"
