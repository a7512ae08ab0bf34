# Everything a contributor runs. A fresh clone needs python3 (3.11 or newer) and make: environments are made here, once,
# and made again when pyproject.toml changes.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check
# The version of hypothesis is part of what the tests draw.
DRAWS := --constraint tests/draws.txt
# One worker a core. `make test TESTS=tests/test_dims.py PYTEST="-x -n 0"` runs a part.
PYTEST ?= -n auto
TESTS ?=
# What `make fuzz` gets: seconds, a seed that it printed, one campaign.
SECONDS ?= 60
SEED ?=
ONLY ?=
# Which environments `make versions` runs: all of them by default, `python tools/versions.py --list` names them.
ENVIRONMENTS ?=
# What `make mutants` gets: files or folders, how many mutants of each file, and the seed of the sample.
FILES ?= arrowjag/_kernels arrowjag/_ops
SAMPLE ?=
# The extras whose lowest versions `make lowest` tests: all that users install, but for engines that are tested on their own.
LOWEST_EXTRAS := cli pandas plot polars etl suite testing
# `make lowest LOWEST_TESTS=tests/test_dims.py` runs a part.
LOWEST_TESTS ?= tests

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: bare versions version-files help demo test whole draws fuzz mutants slow nightly torch engines check check-rest lint format types imports lowest build bench performance history coverage docs changelog clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.demo ## run the main job on the flights of 2013, and check every figure
	$(BIN)/arrowjag demo

# Files named by TESTS run whole.
test: $(VENV)/.test ## run the tests and the examples of docstrings, README and docs, with few examples and cases
	$(if $(TESTS),,HYPOTHESIS_PROFILE=$${HYPOTHESIS_PROFILE:-quick}) $(BIN)/python -m pytest $(PYTEST) -m "not slow" $(TESTS)

whole: $(VENV)/.test ## run what `test` runs, with more examples and cases (not the slow ones)
	$(BIN)/python -m pytest $(PYTEST) -m "not slow" $(TESTS)

draws: $(VENV)/.test ## draw another fixed set for `test` and `whole`, and keep it if the tests pass with it
	$(BIN)/python tools/renew_draws.py $(SEED)

fuzz: $(VENV)/.test ## fresh cases for SECONDS=60; SEED=... ONLY=... runs the same ones again
	$(BIN)/python -m tests.fuzz --seconds $(SECONDS) $(if $(SEED),--seed $(SEED)) $(if $(ONLY),--only $(ONLY))

mutants: $(VENV)/.mutants ## put faults into kernels and operations: FILES=... SAMPLE=40 SEED=0; writes tests/README.md
	$(BIN)/python -m tests.mutants $(FILES) --write $(if $(SAMPLE),--sample $(SAMPLE)) $(if $(SEED),--seed $(SEED))

check: whole check-rest ## all that must pass before a change lands

check-rest: lint types imports slow lowest bare build ## what `check` runs after `whole`

lint: $(VENV)/.dev ## style, likely bugs and layout of the code
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(VENV)/.dev ## lay out the code, and repair what can be repaired safely
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

types: $(VENV)/.dev ## annotations, strictly, and what type checkers tell those who use arrowjag
	$(BIN)/mypy
	$(BIN)/python tools/consumer_types.py

imports: $(VENV)/.dev ## the layers: who may import whom
	$(BIN)/lint-imports --no-logo --no-cache

# pytest ends with 5 where no test has the marker.
slow: $(VENV)/.test ## run the slow tests only
	$(BIN)/python -m pytest $(PYTEST) -m "slow and not nightly and not torch and not engines" tests || test $$? -eq 5

nightly: $(VENV)/.test ## run the slow tests that take minutes: each loop for all types, a column of 2**31 values
	$(BIN)/python -m pytest $(PYTEST) -m nightly tests

torch: $(VENV)/.torch ## run the tests that need torch and fbgemm_gpu
	$(BIN)/python -m pytest $(PYTEST) -m torch tests || test $$? -eq 5

# Clusters of this machine, one after another: they take all of its cores.
engines: $(VENV)/.engines ## run the tests that start Ray and Dask clusters and kill their processes
	$(BIN)/python -m pytest -m "engines and not nightly" tests || test $$? -eq 5

lowest: .venv-lowest/.done ## run the tests with the lowest supported versions
	HYPOTHESIS_PROFILE=cover .venv-lowest/bin/python -m pytest $(PYTEST) -m "not slow and not torch and not engines" $(LOWEST_TESTS)

bare: | $(BIN)/python ## run the core with numpy and pyarrow alone, with pandas alone and with polars alone
	$(BIN)/python tools/versions.py --short

versions: | $(BIN)/python ## run the tests with each combination of versions of pandas, polars and pyarrow, beside mlflow and gluonts, and with other Pythons; ENVIRONMENTS=... picks some
	$(BIN)/python tools/versions.py $(ENVIRONMENTS) --table

version-files: | $(BIN)/python ## write small files with the oldest and newest versions, and read each with all of them
	$(BIN)/python tools/version_files.py

build: $(VENV)/.dev ## build sdist and wheel, and test the wheel as users get it
	rm -rf dist
	$(BIN)/python -m build --quiet --outdir dist
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python tools/installed.py dist/*.whl

bench: $(VENV)/.dev ## measure against rivals, equal answers asserted first
	$(BIN)/python -m benchmarks

performance: $(VENV)/.dev ## write tables, pictures and figures of the performance pages: make performance RESULTS="a.json b.json"
	$(BIN)/python docs/performance.py $(RESULTS)

history: $(VENV)/.history ## measure the commits that were not measured yet, with asv; the pages are in build/asv/html
	$(BIN)/asv machine --yes
	$(BIN)/asv run --skip-existing-successful NEW
	$(BIN)/asv publish

# With the slow tests: what only they reach is reached.
coverage: $(VENV)/.dev ## which lines and branches of kernels and operations the tests reach; writes tests/README.md
	rm -rf build/coverage && mkdir -p build/coverage
	HYPOTHESIS_PROFILE=ci $(BIN)/python -m coverage run -m pytest $(PYTEST) -m "not torch and not engines" tests
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage json --quiet -o build/coverage/report.json
	$(BIN)/python tools/coverage_table.py build/coverage/report.json

docs: $(VENV)/.docs ## build the site into build/docs; a warning is an error
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet docs build/docs

changelog: $(VENV)/.dev ## show the next release's notes
	$(BIN)/towncrier build --draft --version next

clean: ## remove environments, caches and results
	rm -rf .venv .venv-* build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "arrowjag needs Python 3.11 or newer; this is %s. Say which to take: make PYTHON=python3.12" % sys.version.split()[0])'
	@echo "Making $(VENV); installing takes a minute, once."
	@$(PYTHON) -m venv $(VENV)

# A stamp says that an extra is installed. `dev` holds `test`, which holds `demo`.
$(VENV)/.demo $(VENV)/.docs $(VENV)/.history: $(VENV)/.%: pyproject.toml | $(BIN)/python
	$(BIN)/python $(PIP_INSTALL) --editable ".[$*]"
	@touch $@

$(VENV)/.test: pyproject.toml tests/draws.txt | $(BIN)/python
	$(BIN)/python $(PIP_INSTALL) $(DRAWS) --editable ".[test]"
	@touch $(VENV)/.demo $@

$(VENV)/.dev: pyproject.toml tests/draws.txt | $(BIN)/python
	$(BIN)/python $(PIP_INSTALL) $(DRAWS) --editable ".[dev]"
	@touch $(VENV)/.demo $(VENV)/.test $@

$(VENV)/.mutants: pyproject.toml $(VENV)/.test
	$(BIN)/python $(PIP_INSTALL) --editable ".[mutants]"
	@touch $@

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
	.venv-lowest/bin/python $(PIP_INSTALL) --constraint .venv-lowest/constraints.txt --editable ".[suite]"
	@touch $@
