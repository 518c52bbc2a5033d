#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# install_requirements.sh GROUP...: installs dependency groups of pyproject.toml into .venv, in the versions of
# constraints.txt; "build" is what building this package needs, "base" what it always needs, "extras" its optional extras.
# Not the package itself, which is built without isolation: of these some come as sources, and are to be built apart from
# .venv, with what they ask for.
#
# By uv, which keeps what it has unpacked or built in the cache of all clones (kept.py): a second .venv takes seconds. It reads
# none of pip's settings; those of the index are handed on. Files are copied, as LiteX writes into installed packages.
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
uv=$(grep '^uv==' "$here/constraints.txt")
[ -x .venv/bin/uv ] || .venv/bin/python -m pip --disable-pip-version-check install --quiet "$uv"
setting() { .venv/bin/python -m pip config get "global.$1" 2>/dev/null || true; }
UV_CACHE_DIR=$(.venv/bin/python "$here/kept.py" --folder)/uv
UV_DEFAULT_INDEX=${PIP_INDEX_URL:-$(setting index-url)}
UV_INDEX=${PIP_EXTRA_INDEX_URL:-$(setting extra-index-url)}
SSL_CERT_FILE=${SSL_CERT_FILE:-${PIP_CERT:-$(setting cert)}}
for name in UV_DEFAULT_INDEX UV_INDEX SSL_CERT_FILE; do [ -n "${!name}" ] || unset "$name"; done
export UV_CACHE_DIR UV_LINK_MODE=copy ${UV_DEFAULT_INDEX+UV_DEFAULT_INDEX} ${UV_INDEX+UV_INDEX} ${SSL_CERT_FILE+SSL_CERT_FILE}
options=(--quiet --constraint "$here/constraints.txt" "${requirements[@]}")
.venv/bin/uv pip install --python .venv/bin/python "${options[@]}" || {
    echo "uv could not install them; pip tries" >&2
    .venv/bin/python -m pip --disable-pip-version-check install "${options[@]}"
}
