#!/usr/bin/env bash
# configure_busybox.sh SOURCE FRAGMENT: exactly what the fragment names, and no other option.
#
# busybox's kconfig is older than KCONFIG_ALLCONFIG: every option there is gets switched off by name, except these.
set -eu
unset MAKEFLAGS MAKELEVEL # of a make that calls this
source=$1 fragment=$(realpath "$2")
cd "$source"

make -s allyesconfig >/dev/null 2>&1
awk -F= '
    FNR == NR { if (/^CONFIG_/) wanted[$1]; next }
    /^CONFIG_/ && !($1 in wanted) { print $2 == "y" ? "# " $1 " is not set" : $0 }' "$fragment" .config >.config.new
grep -E '^(# )?CONFIG_' "$fragment" >>.config.new
mv .config.new .config
# Options that came up only now take their defaults; the input ends, lest a question be asked for ever.
yes '' | head -n 1000 | make -s oldconfig >/dev/null

wrong=$(comm -3 <(grep '^CONFIG_.*=y' "$fragment" | sort) <(grep '^CONFIG_.*=y' .config | sort))
if [ -n "$wrong" ]; then
    printf 'lines of %s that busybox did not take, and to the right options that it took beside them:\n%s\n' \
        "$fragment" "$wrong" >&2
    exit 1
fi
