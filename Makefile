# Every target sets up what it needs; a second call finds it done.
PYTHON ?= python3
VENV := .venv
LOWEST := .venv-lowest
OPENEDX := .venv-openedx
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input
PINNED := $(PIP) install --quiet --require-hashes --requirement requirements/hashed
SETUP := pyproject.toml hatch_build.py requirements/hashed/core.txt $(wildcard src/peerage_web/locale/*/LC_MESSAGES/*.po)

# some machines and images set it; without compiled files of our own, each process compiles all it imports
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help install demo test test-all kernels openedx browser lowest lint format messages requirements wheel reproduce bench serve docs clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Peerage needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: $(SETUP) | $(BIN)/python
	$(PINNED)/core.txt
	$(PIP) install --quiet --no-deps --editable .
	@$(BIN)/python -m compileall -q src/peerage  # as pip does for what is not editable: commands start sooner
	@touch $@

$(VENV)/.web: requirements/hashed/web.txt $(VENV)/.core
	$(PINNED)/web.txt
	@touch $@

$(VENV)/.dev: $(addprefix requirements/hashed/,dev.txt cluster.txt figures.txt) $(VENV)/.web
	$(PINNED)/dev.txt
	@touch $@

$(VENV)/.docs: requirements/hashed/docs.txt $(VENV)/.dev
	$(PINNED)/docs.txt
	@touch $@

$(VENV)/.bench: requirements/bench.txt $(VENV)/.dev
	$(PIP) install --quiet --requirement requirements/bench.txt
	@touch $@

install: $(VENV)/.core  ## make .venv and install Peerage into it

demo: $(VENV)/.core  ## check and grade a bundled class, from a fresh clone
	@$(BIN)/peerage check examples/posters/feedback.csv --roster examples/posters/roster.csv
	@$(BIN)/peerage grade examples/posters/feedback.csv --roster examples/posters/roster.csv \
	  --anchors examples/posters-anchors.csv --scale 0:10 --letters "A>=8.5,B>=7,C>=6,D" --out out/demo

serve: $(VENV)/.web  ## start the web service on this machine; after `make docs`, Help is the manual
	PEERAGE_MANUAL=$(wildcard build/docs) $(BIN)/peerage serve

PYTEST := -n 2 --dist loadfile --no-loadscope-reorder --durations=10

test: browser  ## before every commit: linters, library, web on PostgreSQL, main stories in a browser
	@$(MAKE) --no-print-directory --jobs 2 lint kernels
	$(BIN)/python -m tests.on_postgres $(PYTEST) -m "not full"

test-all: browser $(VENV)/.docs $(OPENEDX)/.made  ## before a merge: that, and attacks, kills, every page in axe, SQLite, Open edX, benchmarks
	@$(MAKE) --no-print-directory --jobs 2 lint kernels
	$(BIN)/python -m tests.on_postgres $(PYTEST)
	$(BIN)/python -m pytest $(PYTEST) -m both

kernels: $(VENV)/.dev  ## compile what the tests would otherwise wait for
	$(BIN)/python -m tests.web.kernels

$(OPENEDX)/.made: requirements/openedx.txt
	$(PYTHON) -m venv --clear $(OPENEDX)
	$(OPENEDX)/bin/python -m pip --disable-pip-version-check --no-input install --quiet --requirement requirements/openedx.txt
	@touch $@

openedx: $(VENV)/.dev $(OPENEDX)/.made  ## LTI against Open edX's own consumer, in .venv-openedx
	$(BIN)/python -m pytest tests/web/lti/openedx

browser: $(VENV)/.dev  ## find a Chromium for the tests, or install one
	@$(BIN)/python -m tests.web.browser.chromium

$(LOWEST)/.made: requirements/lowest.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || { \
	  echo "The oldest versions have wheels for Python 3.11; '$(PYTHON)' is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.11 lowest"; exit 1; }
	$(PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python -m pip --disable-pip-version-check --no-input install --quiet --requirement requirements/lowest.txt
	$(LOWEST)/bin/python -m pip --disable-pip-version-check --no-input install --quiet --no-deps --editable .
	@touch $@

lowest: $(LOWEST)/.made  ## run the tests (without a browser) on the oldest versions of everything, in .venv-lowest
	$(LOWEST)/bin/python -m tests.on_postgres $(PYTEST) -m "not browser"
	$(LOWEST)/bin/python -m pytest $(PYTEST) -m "both and not browser"

lint: $(VENV)/.dev  ## ruff, mypy and the import rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev  ## let ruff tidy the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

messages: $(VENV)/.dev  ## bring new texts of the pages into the translations, and compile them
	$(BIN)/python -m tests.web.messages

requirements: $(VENV)/.dev  ## write the hashes of all pins anew, after a change in requirements/*.txt
	$(BIN)/python requirements/add_hashes.py

wheel: $(VENV)/.docs docs  ## build the wheel with the manual, and the source archive, in dist
	$(BIN)/python -m build

reproduce: $(VENV)/.dev  ## every experiment of the paper in small (under 10 minutes; results in out/reproduce)
	$(BIN)/python -m experiments all --small --jobs 2 --out out/reproduce

docs: $(VENV)/.docs  ## build the documentation as a site, in build/docs; warnings are errors
	@rm -rf build/docs
	$(BIN)/python -m sphinx -W --keep-going -q -d build/doctrees -E docs build/docs
	@echo "Open build/docs/index.html"

bench: $(VENV)/.bench  ## compare speed and memory with the peers
	$(BIN)/python -m benchmarks

clean:  ## remove the virtual environments and all caches
	rm -rf $(VENV) $(LOWEST) $(OPENEDX) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
