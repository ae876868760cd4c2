# Everything here works on a fresh Linux machine with python3 (3.11 or later) and a network.
# `make` alone tells what there is.

SHELL := /bin/bash
.SHELLFLAGS := -e -o pipefail -c
.DEFAULT_GOAL := help
.ONESHELL:

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Of the lock file: what runs Froude (run), or its tests as well (dev).
KIND ?= dev
DEMO ?= froude-demo
# Hundreds of child processes would compile the source, each again, and each worker the tests.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup setup-system demo test test-all lint docs bench results-main-job results-provisioning results-dynamometer results-patternminer results-harvesting results-cache results-suite results-answers results-reported results-scale fuzz clean

help: ## Tell what there is.
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|'

setup: ## Virtual environment from the lock, and the default Hadoop; quick when done.
	@tools/check-python "$(PYTHON)"
	"$(PYTHON)" tools/set_up.py $(KIND)
	$(BIN)/froude hadoop fetch

setup-system: ## Debian packages for disks, virtual machines and browser tests, where root and apt are there.
	@tools/setup-system

demo: KIND = run
demo: setup ## The whole chain, small, on a real NameNode.
	@$(BIN)/froude demo --workspace $(DEMO)

lint: setup ## Style, types, import layers, spelling.
	@$(BIN)/ruff check src tests testbed benchmarks tools noxfile.py
	$(BIN)/ruff format --check src tests testbed benchmarks tools noxfile.py
	$(BIN)/mypy --strict
	$(BIN)/lint-imports
	$(BIN)/python tools/check_imports.py
	$(BIN)/python tools/check_tests.py
	$(BIN)/python tools/check_cli.py
	$(BIN)/codespell --ignore-words-list thirdparty src tests testbed benchmarks tools docs changes README.md Makefile noxfile.py

test: setup ## Lint and tests, side by side; real daemons are started once, small.
	@$(MAKE) --no-print-directory --jobs lint pytest

test-all: setup ## As `test`, with the tests that take long and three times the seeds.
	@export FROUDE_SEEDS=$${FROUDE_SEEDS:-3}
	$(MAKE) --no-print-directory --jobs lint pytest MARKED=

MARKED ?= -m "not long"

pytest: setup ## The tests without lint.
	@$(BIN)/python -m pytest --numprocesses auto --dist worksteal $(MARKED)

docs: setup ## The documentation; a warning is an error.
	@$(BIN)/mkdocs build --strict

bench: setup ## Benchmarks; never part of the tests.
	@$(BIN)/python -m benchmarks

results-main-job: setup ## Write docs/results/main-job.md and .json from real runs.
	@$(BIN)/python -m benchmarks.results_main_job

results-provisioning: setup ## Write docs/results/provisioning.md and .json.
	@$(BIN)/python -m benchmarks.results_provisioning

results-dynamometer: setup ## Write docs/results/dynamometer.md and .json; DYNAMOMETER=PATH names its source.
	@DYNAMOMETER="$(DYNAMOMETER)" $(BIN)/python -m benchmarks.results_dynamometer

results-harvesting: setup ## Write docs/results/harvesting.md and .json.
	@$(BIN)/python -m benchmarks.results_harvesting

results-cache: setup ## Write docs/results/cache.md and .json; serves disks, runs fio on them.
	@$(BIN)/python -m benchmarks.results_cache

results-suite: setup ## Write docs/results/suite.md and .json; MUTANTS=FOLDER keeps what became of mutants.
	@MUTANTS="$(MUTANTS)" $(BIN)/python -m benchmarks.results_suite

results-answers: setup ## Write docs/results/answers.md and .json: what a played call costs the player, what a knee reaches.
	@$(BIN)/python -m benchmarks.results_answers

results-reported: setup ## Write docs/results/reported.md and .json: what users report, on inputs whose right answer is known.
	@$(BIN)/python -m benchmarks.results_reported

results-scale: setup ## Write docs/results/scale.md and .json: many emulated nodes, and the heap of large namespaces.
	@$(BIN)/python -m benchmarks.results_scale

results-patternminer: setup ## Write docs/results/patternminer.md and .json; records real jobs on up to 8 nodes.
	@$(BIN)/python -m benchmarks.results_patternminer

fuzz: setup ## Feed the decoders of frames and of NBD, a minute each; then every command, on spoilt files.
	@$(BIN)/python tests/fuzz/fuzz_frames.py -max_total_time=60
	$(BIN)/python tests/fuzz/fuzz_nbd.py -max_total_time=60
	$(BIN)/python -m tests.fuzz.inputs --files 2000

clean: ## Remove what was made here; the cache of fetched jars stays.
	@rm -rf $(VENV) .mypy_cache .ruff_cache .import_linter_cache .hypothesis .nox .benchmarks site build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
