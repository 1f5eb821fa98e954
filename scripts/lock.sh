#!/bin/sh
# Pins and hashes what pyproject.toml asks for: requirements.lock for contributors, and requirements-runtime.lock,
# a part of it, for the image. UPGRADE=1 takes newer versions; otherwise only what changed moves.
set -eu
cd "$(dirname "$0")/.."
export CUSTOM_COMPILE_COMMAND="make lock"
compile() {
    .venv/bin/python -m piptools compile --quiet --generate-hashes --allow-unsafe --strip-extras \
        --no-emit-index-url --no-emit-find-links --no-emit-trusted-host ${UPGRADE:+--upgrade} "$@" pyproject.toml
}
compile --extra dev --output-file requirements.lock
compile --constraint requirements.lock --output-file requirements-runtime.lock
