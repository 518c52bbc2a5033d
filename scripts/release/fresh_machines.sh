#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# fresh_machines.sh [SUITE...]: runs `make demo` and `make test` of a clone of HEAD in bare chroots, as root, with debootstrap.
#
# SUITE: bookworm (Debian 12), trixie (Debian 13), noble (Ubuntu 24.04); without one, all three. Each chroot has the essential
# packages and what the README names: git, make, python3. Only the network's settings of this machine go into it.
#
# noble needs /usr/share/keyrings/ubuntu-archive-keyring.gpg, of Ubuntu's package ubuntu-keyring.
# TARGETS=demo chooses make's targets; MIRROR=URL replaces the archive of a suite. build/fresh/SUITE.log has the output. A chroot in
# which a target failed is kept as build/fresh/SUITE, others are removed. The last lines are a table of targets, minutes and outcomes.
# Exit code: 1 if a target failed, 2 if nothing could be run.
set -eu
cd "$(dirname "$0")/../.."
here=$PWD
targets=${TARGETS:-demo test}
[ $# -gt 0 ] || set -- bookworm trixie noble
[ "$(id -u)" -eq 0 ] || { echo "fresh_machines: run it as root; debootstrap and chroot need it" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "fresh_machines: install the package debootstrap" >&2; exit 2; }

mirror_of() {
    case $1 in
    bookworm | trixie) echo "${MIRROR:-http://deb.debian.org/debian}" ;;
    noble) echo "${MIRROR:-http://archive.ubuntu.com/ubuntu}" ;;
    *) echo "fresh_machines: the suite is bookworm, trixie or noble (got $1)" >&2 && exit 2 ;;
    esac
}

keyring_of() {
    case $1 in
    noble) echo /usr/share/keyrings/ubuntu-archive-keyring.gpg ;;
    *) echo /usr/share/keyrings/debian-archive-keyring.gpg ;;
    esac
}

# bootstrap SUITE ROOT: a chroot with a clone in /root/litemrc.
bootstrap() {
    local components=main
    [ "$1" = noble ] && components=main,universe
    debootstrap --variant=minbase --components=$components --include=ca-certificates,git,make,python3 \
        --keyring="$(keyring_of "$1")" "$1" "$2" "$(mirror_of "$1")" /usr/share/debootstrap/scripts/"$(script_of "$1")"
    cp /etc/resolv.conf /etc/hosts "$2/etc/"
    cp /etc/ssl/certs/ca-certificates.crt "$2/etc/ssl/certs/" # with the authority of a proxy, if there is one
    git clone --quiet "$here" "$2/root/litemrc"
}

# Debian 12's debootstrap has no script named noble; Ubuntu's are all that of gutsy.
script_of() {
    case $1 in
    noble) echo gutsy ;;
    *) echo sid ;;
    esac
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
        sh -c 'cd /root/litemrc && exec "$@"' sh "$@"
}

summary=$(printf '%-10s %-8s %7s  %s' suite target minutes outcome)
failed=0
for suite; do mirror_of "$suite" >/dev/null; done
for suite; do
    root=$here/build/fresh/$suite
    log=$root.log
    if [ -e "$root" ]; then
        echo "fresh_machines: $root is there already: remove it" >&2
        exit 2
    fi
    mkdir -p "$root"
    echo "$suite: debootstrap; output in $log"
    if ! bootstrap "$suite" "$root" >"$log" 2>&1; then
        tail -5 "$log" >&2
        echo "fresh_machines: no chroot of $suite: is $(mirror_of "$suite") reachable, and $(keyring_of "$suite") there?" >&2
        exit 2
    fi
    outcome=passed
    for target in $targets; do
        echo "$suite: make $target"
        seconds=$SECONDS
        inside "$root" make "$target" >>"$log" 2>&1 || outcome="failed, see $log"
        summary+=$(printf '\n%-10s %-8s %7s  %s' "$suite" "$target" $(((SECONDS - seconds + 30) / 60)) "$outcome")
        [ "$outcome" = passed ] || break
    done
    if [ "$outcome" = passed ]; then rm -r --one-file-system "$root"; else failed=1; fi
done
echo "$summary"
exit $failed
