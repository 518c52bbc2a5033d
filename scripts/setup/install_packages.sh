#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# install_packages.sh GROUP...: installs the Debian or Ubuntu packages of apt/GROUP.txt that are missing, as root or through
# sudo.
#
# A line is a package; behind `|` stand names of other releases, or a file that replaces it; behind `#` what else helps.
set -eu
here=$(dirname "$0")
mkdir -p build/packages
exec 9>build/packages/lock
flock 9 # apt-get does not wait for another one, as of make -j2

trimmed() { sed 's/^ *//; s/ *$//' <<<"$1"; }

# is_there NAME: an installed package, or a file.
is_there() {
    case $1 in
    /*) [ -e "$1" ] ;;
    *) dpkg-query --show --showformat='${Status}' "$1" 2>/dev/null | grep -q "ok installed" ;;
    esac
}

missing=() # lines
for group; do
    while read -r line; do
        found=
        IFS='|' read -ra names <<<"${line%%#*}"
        for name in "${names[@]}"; do is_there "$(trimmed "$name")" && found=yes; done
        [ "$found" ] || missing+=("$line")
    done <"$here/apt/$group.txt"
done
[ ${#missing[@]} -eq 0 ] && exit 0

first_names=()
for line in "${missing[@]}"; do first_names+=("$(trimmed "${line%%[|#]*}")"); done
if ! command -v apt-get >/dev/null; then
    echo "LiteMRC needs these packages (Debian's names); install them by your system's means: ${first_names[*]}" >&2
    exit 2
elif [ "$(id -u)" -eq 0 ]; then
    as_root=()
elif command -v sudo >/dev/null && { sudo --non-interactive true 2>/dev/null || [ -t 0 ]; }; then
    as_root=(sudo)
else
    echo "LiteMRC needs these packages, and may not install them; run as root: apt-get install ${first_names[*]}" >&2
    exit 2
fi
"${as_root[@]}" apt-get update --quiet --quiet

packages=()
for line in "${missing[@]}"; do
    known=
    IFS='|' read -ra names <<<"${line%%#*}"
    for name in "${names[@]}"; do
        name=$(trimmed "$name")
        if [ ! "$known" ] && apt-cache show --no-all-versions "$name" >/dev/null 2>&1; then known=$name; fi
    done
    if [ ! "$known" ]; then
        . /etc/os-release
        remedy=${line##*#}
        [ "$remedy" = "$line" ] && remedy=" install it by other means"
        echo "the package ${names[0]% } is missing, and $PRETTY_NAME does not have it;$remedy" >&2
        exit 2
    fi
    packages+=("$known")
done
echo "installing Debian packages: ${packages[*]}"
DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install --yes --no-install-recommends "${packages[@]}"
