#!/usr/bin/env bash
# Installs the Debian or Ubuntu packages of apt-packages.txt that are missing: as root, or through sudo.
set -eu
here=$(dirname "$0")

missing=()
while read -r package; do
    dpkg-query --show --showformat='${Status}' "$package" 2>/dev/null | grep -q "ok installed" ||
        missing+=("$package")
done <"$here/apt-packages.txt"
[ ${#missing[@]} -eq 0 ] && exit 0

install="apt-get install --yes --no-install-recommends ${missing[*]}"
if ! command -v apt-get >/dev/null; then
    echo "LiteMRC needs these packages (Debian's names); install them by your system's means: ${missing[*]}" >&2
    exit 2
elif [ "$(id -u)" -eq 0 ]; then
    as_root=()
elif command -v sudo >/dev/null && { sudo --non-interactive true 2>/dev/null || [ -t 0 ]; }; then
    as_root=(sudo)
else
    echo "LiteMRC needs these packages, and may not install them; run as root: $install" >&2
    exit 2
fi
echo "installing Debian packages: ${missing[*]}"
"${as_root[@]}" apt-get update --quiet --quiet
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive "${as_root[@]}" $install
