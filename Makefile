# `make demo` shows what serQ's tools do, `make test` proves it. Both set up .venv first.
# PYTHON=python3.12 picks another interpreter (3.10 or later) when .venv is made.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
GRAMMAR := $(wildcard grammar/*.c grammar/src/*.c grammar/src/tree_sitter/*.h)
PIP := $(BIN)/python -m pip --disable-pip-version-check

.PHONY: help setup setup-editors demo test fix lint types bench lock clean

help: ## say what can be made
	@sed -n 's/^\([a-z-]*\):.*## /\1 — /p' Makefile

setup: $(VENV)/.project ## make .venv: locked dependencies, then this package, editable
	@:

$(VENV)/.requirements: requirements/dev.txt
	@sh scripts/prerequisites.sh "$(PYTHON)"
	@echo "serq: setting up $(VENV)"
	@$(BIN)/python -c pass 2>/dev/null || "$(PYTHON)" -m venv --clear $(VENV)
	@$(PIP) install --quiet --require-hashes -r requirements/dev.txt
	@touch $@

$(VENV)/.project: $(VENV)/.requirements pyproject.toml setup.py $(GRAMMAR)
	@sh scripts/prerequisites.sh "$(PYTHON)"
	@$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

setup-editors: setup ## install the editors that end-to-end tests drive (skips what cannot be had)
	@sh scripts/editors.sh $(VENV)

demo: setup ## check and trace the seed programs, show a mistake and its cure
	@$(BIN)/python scripts/demo.py

test: setup setup-editors ## run everything: lint, types, tidy, specs, properties, conformance, end to end
	@$(BIN)/python -m pytest $(PYTEST_ARGS)

fix: setup ## let ruff mend and format what it can
	@$(BIN)/python -m ruff check --fix --quiet; $(BIN)/python -m ruff format --quiet

lint: setup ## ruff alone
	@$(BIN)/python -m ruff check && $(BIN)/python -m ruff format --check

types: setup ## mypy alone
	@$(BIN)/python -m mypy

bench: setup ## measure: check, interpreter, keystrokes
	@$(BIN)/python -m serq_lsp.dev.bench

lock: ## compile requirements/*.txt anew from pyproject.toml (needs uv)
	@uv pip compile --quiet --universal --python-version 3.10 --generate-hashes --no-header --no-annotate --group dev pyproject.toml -o requirements/dev.txt
	@uv pip compile --quiet --universal --python-version 3.10 --generate-hashes --no-header --no-annotate --group editors -o requirements/editors.txt

clean: ## remove .venv and everything that was built
	@rm -rf $(VENV) build dist ./*.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis serq_lsp/_grammar*.so
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
