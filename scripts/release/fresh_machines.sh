#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# fresh_machines.sh [SUITE...]: runs `make demo` and `make test` of a clone of HEAD in bare chroots, as root, with debootstrap.
#
# SUITE: bookworm (Debian 12), trixie (Debian 13), noble (Ubuntu 24.04); without one, all three. Each chroot has the essential
# packages and what the README names: git, make, python3. Only the network's settings of this machine go into it.
# noble needs /usr/share/keyrings/ubuntu-archive-keyring.gpg, of Ubuntu's package ubuntu-keyring.
#
# TARGETS=demo chooses make's targets; MIRROR=URL replaces the archive of a suite. build/fresh/SUITE.log has the output. A chroot in
# which something failed is kept as build/fresh/SUITE, others are removed. The last lines are a table of steps, minutes and outcomes.
# Exit code: 1 if a step failed, 2 if nothing was begun.
set -eu
cd "$(dirname "$0")/../.."
here=$PWD

refuse() {
    echo "fresh_machines: $1" >&2
    exit 2
}

# choose SUITE: sets what debootstrap needs.
choose() {
    case $1 in
    bookworm | trixie) system=debian components=main script=sid mirror=${MIRROR:-http://deb.debian.org/debian} ;;
    # Debian 12's debootstrap has no script named noble; Ubuntu's are all that of gutsy.
    noble) system=ubuntu components=main,universe script=gutsy mirror=${MIRROR:-http://archive.ubuntu.com/ubuntu} ;;
    *) refuse "the suite is bookworm, trixie or noble (got $1)" ;;
    esac
    keyring=/usr/share/keyrings/$system-archive-keyring.gpg
}

# bootstrap SUITE ROOT: a chroot with a clone in /litemrc.
bootstrap() {
    debootstrap --variant=minbase --components="$components" --include=ca-certificates,git,make,python3 \
        --keyring="$keyring" "$1" "$2" "$mirror" "/usr/share/debootstrap/scripts/$script" &&
        cp /etc/resolv.conf /etc/hosts "$2/etc/" &&
        cp /etc/ssl/certs/ca-certificates.crt "$2/etc/ssl/certs/" && # with the authority of a proxy, if there is one
        git clone --quiet "$here" "$2/litemrc"
}

# inside ROOT COMMAND...: runs it in the clone of a chroot, with nothing of this machine's environment but the network's.
inside() {
    local root=$1 name kept=()
    shift
    for name in http_proxy https_proxy no_proxy PIP_INDEX_URL PIP_CERT SSL_CERT_FILE REQUESTS_CA_BUNDLE CURL_CA_BUNDLE; do
        [ -z "${!name-}" ] || kept+=("$name=${!name}")
    done
    # Mounts and processes end with the command.
    # shellcheck disable=SC2016
    unshare --mount --pid --fork --kill-child sh -c '
        mount -t proc proc "$0/proc" && mount --rbind /sys "$0/sys" && mount --rbind /dev "$0/dev" &&
            exec chroot "$0" env -i HOME=/root LANG=C.UTF-8 "$@"' "$root" \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${kept[@]}" \
        sh -c 'cd /litemrc && exec "$@"' sh "$@"
}

# step SUITE NAME COMMAND...: runs it with its output in the log; a row of the table.
step() {
    local suite=$1 name=$2 seconds=$SECONDS outcome=passed
    shift 2
    echo "$suite: $name; output in build/fresh/$suite.log"
    "$@" >>"build/fresh/$suite.log" 2>&1 || outcome=failed
    summary+=$(printf '\n%-10s %-12s %7s  %s' "$suite" "$name" $(((SECONDS - seconds + 30) / 60)) $outcome)
    [ $outcome = passed ]
}

# try SUITE ROOT: all steps, until one fails.
try() {
    local target
    step "$1" debootstrap bootstrap "$1" "$2" || return
    for target in ${TARGETS:-demo test}; do
        step "$1" "make $target" inside "$2" make "$target" || return
    done
}

[ $# -gt 0 ] || set -- bookworm trixie noble
for suite; do
    choose "$suite"
    [ ! -e "build/fresh/$suite" ] || refuse "build/fresh/$suite is there already: remove it"
    [ -f "$keyring" ] || refuse "$keyring is missing, which $suite needs"
done
[ "$(id -u)" -eq 0 ] || refuse "run it as root; debootstrap and chroot need it"
command -v debootstrap >/dev/null || refuse "install the package debootstrap"

summary=$(printf '%-10s %-12s %7s  %s' suite step minutes outcome)
failed=0
for suite; do
    root=$here/build/fresh/$suite
    mkdir -p "$root"
    : >"$root.log"
    choose "$suite"
    if try "$suite" "$root"; then rm -r --one-file-system "$root"; else failed=1; fi
done
echo "$summary"
exit $failed
