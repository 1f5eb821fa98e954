#!/bin/sh
# Makes .venv/ from the hashed lock and compiles the translations. Safe to repeat: it does only what is missing.
# PYTHON names the interpreter to use; otherwise the first of the usual names that is 3.11 or newer.
set -eu
cd "$(dirname "$0")/.."

fail() {
    echo "make install: $*" >&2
    exit 1
}

is_new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

choose_python() {
    if [ -n "${PYTHON:-}" ]; then
        is_new_enough "$PYTHON" || fail "PYTHON=$PYTHON is not a Python 3.11 or newer."
        echo "$PYTHON"
        return
    fi
    for candidate in python3.11 python3.12 python3.13 python3; do
        if is_new_enough "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    fail "no Python 3.11 or newer on PATH. Install one (on Debian or Ubuntu: apt-get install python3 python3-venv), or name it: make install PYTHON=/path/to/python3.12"
}

[ -r requirements.lock ] || fail "requirements.lock is missing: is this a whole checkout?"
if [ -e .venv ] && ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
    echo "The environment in .venv does not start any more; making it anew."
    rm -rf .venv || fail "cannot remove .venv: is this folder read-only?"
fi
if [ ! -e .venv ]; then
    python=$(choose_python)
    mkdir .venv 2>/dev/null || fail "cannot write to $(pwd): is this folder read-only?"
    "$python" -c 'import ensurepip, venv' 2>/dev/null || {
        rmdir .venv
        fail "$python has no venv module (on Debian or Ubuntu: apt-get install python3-venv)."
    }
    "$python" -m venv .venv || {
        rm -rf .venv
        fail "$python could not make a virtual environment."
    }
fi

# A copy of the lock that was installed last is the stamp: the same lock needs no second look.
if ! cmp -s requirements.lock .venv/installed.lock; then
    echo "Installing $(grep -c '==' requirements.lock) packages from requirements.lock ..."
    .venv/bin/python -m pip install --quiet --quiet --disable-pip-version-check --no-input \
        --require-hashes --no-deps -r requirements.lock ||
        fail "the packages could not be installed: is a package index or a wheel folder reachable by pip?"
    cp requirements.lock .venv/installed.lock || fail "cannot write to .venv: is this folder read-only?"
fi

if [ -n "$(find locale -name '*.po' 2>/dev/null)" ]; then
    .venv/bin/python -m babel.messages.frontend --quiet compile --domain django --directory locale ||
        fail "the translations in locale/ could not be compiled."
fi
