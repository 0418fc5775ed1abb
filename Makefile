# Needs make and a Python 3.11 or newer with venv; everything else is brought into .venv.
# Quoting: this folder's path may hold spaces, so recipes name files relative to it and never by an absolute path.

SHELL := /bin/sh
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.PHONY: run demo test check lock clean help venv runtime dev

PYTHON ?=
VENV_PYTHON := .venv/bin/python

run: runtime ## start everything at http://127.0.0.1:8000 (PORT=8001 make run for another port); Ctrl-C stops it
	@exec $(VENV_PYTHON) manage.py up

demo: runtime ## check a draft or a list of your own: make demo FILE=draft.md
	@if [ -z "$$FILE" ]; then echo 'Name the file: make demo FILE=draft.md' >&2; exit 2; fi; \
	exec $(VENV_PYTHON) manage.py demo "$$FILE"

test: dev ## run the tests (ARGS='-k name' narrows them)
	@exec $(VENV_PYTHON) -m tests.run $(ARGS)

check: dev ## lint, format, types, import contracts, templates, migrations
	@exec $(VENV_PYTHON) -m tests.check

lock: ## write the hashed lock files again from pyproject.toml (needs uv)
	uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url -q -o requirements.lock
	uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url -q -o requirements-dev.lock

clean: ## remove what can be made again (.venv, caches, collected files); your data in var/ stay
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache var/static var/tmp
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-6s %s\n", $$1, $$2 }' Makefile

# -- the environment ---------------------------------------------------------------------------------------------------
# A name on PATH proves little (version managers leave shims that refuse to run), so each candidate has to answer.
venv:
	@if ! $(VENV_PYTHON) -c '' 2>/dev/null; then \
	  for python in $(if $(PYTHON),"$(PYTHON)",python3.13 python3.12 python3.11 python3); do \
	    if "$$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	      rm -rf .venv && exec "$$python" -m venv .venv; \
	    fi; \
	  done; \
	  echo 'No Python 3.11 or newer with venv was found: install one (Debian: apt install python3-venv) or name it, PYTHON=/path/to/python make run' >&2; \
	  exit 1; \
	fi
	@$(VENV_PYTHON) -c 'import pip' 2>/dev/null || $(VENV_PYTHON) -m ensurepip --default-pip >/dev/null

# The lock file last installed is kept inside .venv; only another one is installed.
runtime: venv
	@if ! cmp -s requirements.lock .venv/installed.lock; then \
	  echo 'Installing what requirements.lock names into .venv (once, about a minute) …'; \
	  $(VENV_PYTHON) -m pip install -qq --disable-pip-version-check --no-input --require-hashes -r requirements.lock \
	  && cp requirements.lock .venv/installed.lock; \
	fi

dev: venv
	@if ! cmp -s requirements-dev.lock .venv/installed-dev.lock; then \
	  echo 'Installing what requirements-dev.lock names into .venv (once, about a minute) …'; \
	  $(VENV_PYTHON) -m pip install -qq --disable-pip-version-check --no-input --require-hashes -r requirements-dev.lock \
	  && cp requirements-dev.lock .venv/installed-dev.lock; \
	fi
