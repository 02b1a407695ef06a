#!/bin/sh
# Check that this machine has what `make setup` needs: git, make, a C compiler, Python 3.10 or later with its headers and venv.
# As root on Debian, install what is missing; elsewhere, name it and the cure, and exit 1.
# usage: prerequisites.sh [PYTHON]       (default: python3)
set -eu

python=${1:-python3}

has() { command -v "$1" >/dev/null 2>&1; }

python_works() { "$python" -c 'import sys' >/dev/null 2>&1; }

python_is_recent() { "$python" -c 'import sys; raise SystemExit(sys.version_info < (3, 10))' >/dev/null 2>&1; }

# Compiling a file that includes Python.h is the only sure sign of the headers.
headers_are_there() {
    include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))') || return 1
    platform=$("$python" -c 'import sysconfig; print(sysconfig.get_path("platinclude"))') || return 1
    printf '#include <Python.h>\n' | "${CC:-gcc}" -I"$include" -I"$platform" -fsyntax-only -x c - >/dev/null 2>&1
}

# Debian's own Python has its headers and venv in packages of its version; `python3-dev` serves the default one.
debian_package() {
    version=$("$python" -c 'import sys; print("python%d.%d" % sys.version_info[:2])' 2>/dev/null || echo python3)
    if [ "$python" != python3 ] && [ "${python##*/}" = "$version" ]; then echo "$version-$1"; else echo "python3-$1"; fi
}

# Sets `missing`: Debian package names of what is not there.
look() {
    missing=
    has git || missing="$missing git"
    has make || missing="$missing make"
    has "${CC:-gcc}" || missing="$missing gcc"
    if ! python_works; then
        if [ "$python" != python3 ]; then
            echo "serq: there is no \`$python\`: name a Python 3.10 or later with PYTHON=, or leave it out" >&2
            exit 1
        fi
        missing="$missing python3 python3-dev python3-venv"
        return
    fi
    if ! python_is_recent; then
        echo "serq: $python is $("$python" --version 2>&1), but Python 3.10 or later is needed: name one with PYTHON=, as in \`make setup PYTHON=python3.12\`" >&2
        exit 1
    fi
    "$python" -c 'import ensurepip, venv' >/dev/null 2>&1 || missing="$missing $(debian_package venv)"
    if ! has "${CC:-gcc}" || ! headers_are_there; then missing="$missing $(debian_package dev)"; fi
}

look
[ -n "$missing" ] || exit 0

if has apt-get && [ -e /etc/debian_version ] && [ "$(id -u)" = 0 ]; then
    echo "serq: installing what is missing:$missing"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    # gcc alone comes without the C library's headers.
    packages=$missing
    case " $missing " in *" gcc "*) packages="$packages libc6-dev" ;; esac
    # shellcheck disable=SC2086  # a list of names
    apt-get install -y -qq --no-install-recommends $packages >/dev/null
    look
    [ -n "$missing" ] || exit 0
    echo "serq: still missing after apt-get install:$missing (does $python come from elsewhere than Debian? then its headers and venv must too)" >&2
    exit 1
fi

echo "serq: missing:$missing" >&2
if [ -e /etc/debian_version ]; then
    echo "serq: as root, run: apt-get update && apt-get install$missing" >&2
else
    echo "serq: these are Debian's names; install the same from your system (git, make, a C compiler, Python 3.10 or later with headers and venv)" >&2
fi
exit 1
