# Everything a contributor runs. A fresh clone needs python3 (3.11 or newer) and make: environments are made here, once,
# and made again when pyproject.toml changes.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check
# One worker a core. `make test TESTS=tests/test_dims.py PYTEST="-x -n 0"` runs a part.
PYTEST ?= -n auto
TESTS ?=
# The extras whose lowest versions `make lowest` tests: all that users install, but for engines that are tested on their own.
LOWEST_EXTRAS := cli plot etl demo testing

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test slow torch engines check check-rest lint format types imports lowest build bench docs changelog clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.demo ## run the main job on the flights of 2013, and check every figure
	$(BIN)/arrowjag demo

test: $(VENV)/.test ## run the tests and the examples of docstrings, README and docs (not the slow ones)
	$(BIN)/python -m pytest $(PYTEST) -m "not slow" $(TESTS)

check: test check-rest ## all that must pass before a change lands

check-rest: lint types imports slow lowest build ## what `check` runs after `test`

lint: $(VENV)/.dev ## style, likely bugs and layout of the code
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(VENV)/.dev ## lay out the code, and repair what can be repaired safely
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

types: $(VENV)/.dev ## annotations, strictly
	$(BIN)/mypy

imports: $(VENV)/.dev ## the layers: who may import whom
	$(BIN)/lint-imports --no-logo --no-cache

# pytest ends with 5 where no test has the marker.
slow: $(VENV)/.test ## run the slow tests only
	$(BIN)/python -m pytest $(PYTEST) -m "slow and not torch and not engines" tests || test $$? -eq 5

torch: $(VENV)/.torch ## run the tests that need torch and fbgemm_gpu
	$(BIN)/python -m pytest $(PYTEST) -m torch tests || test $$? -eq 5

# Clusters of this machine, one after another: they take all of its cores.
engines: $(VENV)/.engines ## run the tests that start Ray and Dask clusters and kill their processes
	$(BIN)/python -m pytest -m engines tests || test $$? -eq 5

lowest: .venv-lowest/.done ## run the tests with the lowest supported versions
	HYPOTHESIS_PROFILE=few .venv-lowest/bin/python -m pytest $(PYTEST) -m "not slow and not torch and not engines" tests

build: $(VENV)/.dev ## build sdist and wheel, and test the wheel as users get it
	rm -rf dist
	$(BIN)/python -m build --quiet --outdir dist
	$(BIN)/python tools/installed.py dist/*.whl

bench: $(VENV)/.dev ## measure against rivals, equal answers asserted first
	$(BIN)/python -m benchmarks

docs: $(VENV)/.docs ## build the site into build/docs; a warning is an error
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet docs build/docs

changelog: $(VENV)/.dev ## show the next release's notes
	$(BIN)/towncrier build --draft --version next

clean: ## remove environments, caches and results
	rm -rf .venv .venv-lowest build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "arrowjag needs Python 3.11 or newer; this is %s. Say which to take: make PYTHON=python3.12" % sys.version.split()[0])'
	@echo "Making $(VENV); installing takes a minute, once."
	@$(PYTHON) -m venv $(VENV)

# A stamp says that an extra is installed. `dev` holds `test`, which holds `demo`.
$(VENV)/.demo $(VENV)/.docs: $(VENV)/.%: pyproject.toml | $(BIN)/python
	$(BIN)/python $(PIP_INSTALL) --editable ".[$*]"
	@touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/python
	$(BIN)/python $(PIP_INSTALL) --editable ".[test]"
	@touch $(VENV)/.demo $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/python $(PIP_INSTALL) --editable ".[dev]"
	@touch $(VENV)/.demo $(VENV)/.test $@

# torch comes first and alone: fbgemm_gpu's package doesn't name it, and the next newer torch would bring CUDA.
$(VENV)/.torch: pyproject.toml $(VENV)/.test
	$(BIN)/python $(PIP_INSTALL) torch==2.13.0
	$(BIN)/python $(PIP_INSTALL) --editable ".[oracles-torch]"
	@touch $@

$(VENV)/.engines: pyproject.toml $(VENV)/.test
	$(BIN)/python $(PIP_INSTALL) --editable ".[test,ray,dask]"
	@touch $@

.venv-lowest/.done: pyproject.toml tools/lowest.py $(VENV)/.test
	rm -rf .venv-lowest
	$(PYTHON) -m venv .venv-lowest
	$(BIN)/python tools/lowest.py $(LOWEST_EXTRAS) > .venv-lowest/constraints.txt
	.venv-lowest/bin/python $(PIP_INSTALL) --constraint .venv-lowest/constraints.txt --editable ".[test]"
	@touch $@
