# Every target does its own set-up, into .venv and the user's cache folder; the second time it starts at once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# How many processes share the tests: as many as there are processors, or a number.
WORKERS ?= logical
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --maxprocesses 8
SCRIPTS := $(shell grep -l '^.!/usr/bin/env python3' scripts/*)
# Tests start hundreds of Python processes: each would compile the sources again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup demo check format sarif-schema test-fast test coverage samples fuzz guided faults audit bench docs wheel release clean
help:
	@echo "make demo       find, reduce and replay the crashes of a sample app; a report to open"
	@echo "make test       check, and run all tests"
	@echo "make sarif-schema  the schema of SARIF, for a test that is skipped without it"
	@echo "make check      format, style, types, import rules and dead code; takes seconds"
	@echo "make test-fast  the tests that need no Java, without the slow ones; takes a minute"
	@echo "make coverage   branch coverage of all tests that need no Java, against its floor"
	@echo "make format     format Python and Java"
	@echo "make setup      the set-up alone: .venv, Java, jars, the bridge"
	@echo "make fuzz       read damaged files by the thousand, CASES=10000 for each kind of file"
	@echo "make guided     read replies that are guided by the code they reach, SECONDS=600, with atheris"
	@echo "make faults     let faults happen to commands, FAULTS=1000, and TWINS=20 to commands with real twins"
	@echo "make audit      ask for known holes in pinned packages and jars; needs a network, no account"
	@echo "make samples    build the sample apps again from their sources"
	@echo "make bench      measure speed and determinism, into benchmarks/results/twin.json"
	@echo "make docs       write the generated pages again"
	@echo "make wheel      build the wheel, with the compiled bridge inside, into dist/"
	@echo "make release VERSION=1.2.3  make a release: version, change log, wheel, tag"

$(READY): pyproject.toml requirements-dev.lock scripts/make-venv.sh
	@PYTHON="$(PYTHON)" scripts/make-venv.sh $(VENV)

setup: $(READY)
	@$(BIN)/python scripts/setup

demo: $(READY)
	@$(BIN)/python scripts/setup --quiet
	@$(BIN)/python scripts/demo

check: $(READY)
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/python scripts/format-java --check
	$(BIN)/mypy
	MYPYPATH=benchmarks $(BIN)/mypy --scripts-are-modules --cache-dir .mypy_cache/scripts benchmarks $(SCRIPTS)
	$(BIN)/vulture src benchmarks $(SCRIPTS)
	$(BIN)/python -m pytest -q tests/test_architecture.py

format: $(READY)
	$(BIN)/ruff check --fix --quiet || true
	$(BIN)/ruff format
	$(BIN)/python scripts/format-java

# The schema with which a test compares slices in SARIF; without it that test is skipped.
sarif-schema: $(READY)
	$(BIN)/python scripts/sarif-schema build/sarif-schema-2.1.0.json

test-fast: $(READY)
	$(PYTEST) -q --dist worksteal --hypothesis-profile fast -m "not jvm and not slow"

# A file of tests that start twins stays in one process: see tests/conftest.py.
test: check
	@$(BIN)/python scripts/setup --quiet
	$(PYTEST) --dist loadgroup --durations=15

coverage: $(READY)
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n $(WORKERS) --maxprocesses 8 -q --dist worksteal -m "not jvm"
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage html --quiet
	$(BIN)/coverage report

samples: $(READY)
	@$(BIN)/python scripts/setup --quiet
	$(BIN)/python scripts/build-samples

# Cases per reader of files. OPTIONS are those of the script, such as "--seed 27 --write".
CASES ?= 10000
fuzz: $(READY)
	$(BIN)/python scripts/fuzz --cases $(CASES) $(OPTIONS)

# Seconds of replies that are guided by the code they reach.
SECONDS ?= 600
guided: $(READY)
	$(BIN)/python -m pip install --quiet --upgrade --target build/guided --require-hashes -r requirements-guided.lock
	PYTHONPATH=build/guided $(BIN)/python scripts/fuzz --guided $(SECONDS) $(OPTIONS)

audit: $(READY)
	$(BIN)/python scripts/audit

# Faults on simulated apps, and on the twin.
FAULTS ?= 1000
TWINS ?= 20
faults: $(READY)
	@$(BIN)/python scripts/setup --quiet
	$(BIN)/python scripts/faults --cases $(FAULTS) --twins $(TWINS) $(OPTIONS)

bench: $(READY)
	@$(BIN)/python scripts/setup --quiet
	$(BIN)/python scripts/bench

docs: $(READY)
	$(BIN)/python scripts/docs
	$(BIN)/python scripts/sbom --page

wheel: $(READY)
	$(BIN)/python scripts/build-wheel

release: $(READY)
	$(BIN)/python scripts/release $(VERSION)

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
