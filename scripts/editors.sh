#!/bin/sh
# Install what the end-to-end tests drive: Neovim and Node from requirements/editors.txt, Emacs from Debian as root.
# What cannot be had is named; its tests are then skipped with the reason. Quick when all is there.
# usage: editors.sh VENV
set -u

venv=$1
stamp=$venv/.editors

if [ ! -e "$stamp" ] || [ requirements/editors.txt -nt "$stamp" ]; then
    if "$venv/bin/python" -m pip --disable-pip-version-check install --quiet --require-hashes -r requirements/editors.txt; then
        touch "$stamp"
    else
        echo "serq: Neovim and Node could not be installed into $venv: tests that need them are skipped" >&2
    fi
fi

if ! emacs --batch --eval "(require 'eglot)" >/dev/null 2>&1; then
    if command -v apt-get >/dev/null 2>&1 && [ -e /etc/debian_version ] && [ "$(id -u)" = 0 ]; then
        echo "serq: installing emacs-nox and elpa-eglot for the end-to-end tests"
        export DEBIAN_FRONTEND=noninteractive
        { apt-get update -qq && apt-get install -y -qq --no-install-recommends emacs-nox elpa-eglot >/dev/null 2>&1; } ||
            echo "serq: emacs-nox and elpa-eglot could not be installed: their tests are skipped" >&2
    else
        echo "serq: no emacs with eglot (Debian: apt-get install emacs-nox elpa-eglot): its tests are skipped" >&2
    fi
fi
exit 0
