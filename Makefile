# Every target does its own set-up, into .venv and the user's cache folder; the second time it starts at once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help setup demo test lint types samples bench docs wheel clean
help:
	@echo "make demo     find, reduce and replay the crashes of a sample app; a report to open"
	@echo "make test     check style and types, run all tests"
	@echo "make setup    the set-up alone: .venv, Java, jars, the bridge"
	@echo "make samples  build the sample apps again from their sources"
	@echo "make bench    measure speed and determinism, into docs/performance.md"
	@echo "make docs     write the generated pages again"
	@echo "make wheel    build the wheel, with the compiled bridge inside, into dist/"

$(READY): pyproject.toml scripts/make-venv.sh
	@PYTHON="$(PYTHON)" scripts/make-venv.sh $(VENV)

setup: $(READY)
	@$(BIN)/python scripts/setup

demo: $(READY)
	@$(BIN)/python scripts/setup --quiet
	@$(BIN)/python scripts/demo

test: lint types
	@$(BIN)/python scripts/setup --quiet
	$(BIN)/python -m pytest

lint: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(READY)
	$(BIN)/mypy

samples: $(READY)
	@$(BIN)/python scripts/setup --quiet
	$(BIN)/python scripts/build-samples

bench: $(READY)
	@$(BIN)/python scripts/setup --quiet
	$(BIN)/python scripts/bench

docs: $(READY)
	$(BIN)/python scripts/docs

wheel: $(READY)
	$(BIN)/python scripts/build-wheel

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
