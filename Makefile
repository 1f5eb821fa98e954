# The whole contributor interface. Each target installs what it needs first.
.DEFAULT_GOAL := help
SHELL := /bin/sh
PY := .venv/bin/python
export PYTHON

.PHONY: help install run test test-quick check format e2e bench lock clean

help: ## What each target does
	@grep -E '^[a-z0-9-]+:.*##' Makefile | sed -E 's/:[^#]*## /\t/' | expand -t 14

install: ## Make .venv from the hashed lock, and compile the translations
	@sh scripts/install.sh

run: install ## Start Decodeck here: web, worker and scheduler (PORT, HOST, DATABASE_URL, REDIS_URL)
	@$(PY) -m scripts.run

test: install ## The whole suite: SQLite and PostgreSQL, both work queues, a real browser
	@$(PY) -m scripts.test all

test-quick: install ## What needs Python only
	@$(PY) -m scripts.test quick

check: install ## Format, lint, types, import contracts, settings, migrations, translations, templates, lock
	@$(PY) -m scripts.check

format: install ## Rewrite the code in the house format
	@$(PY) -m ruff format . && $(PY) -m ruff check --fix . && .venv/bin/djade --target-version 5.2 $$(find templates -name '*.html')

e2e: install ## Drive the containers (needs a Docker engine, or root on Debian or Ubuntu), and a real vLLM on the CPU
	@$(PY) -m e2e && $(PY) -m e2e.launch

bench: install ## Speed and accuracy tables
	@$(PY) -m benchmarks

lock: install ## Pin and hash what pyproject.toml asks for
	@sh scripts/lock.sh

clean: ## Remove what the other targets made, the data in var/ excepted
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage htmlcov staticfiles
