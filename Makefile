# Every verb makes or refreshes .venv by itself; all it needs is Python 3.11+ and a package index.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.DEFAULT_GOAL := help

help:  ## list the verbs
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/'

# torch comes first, at the locked version: other packages then find it and pull no other build.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(v < (3, 11) and f"dgmp needs Python 3.11 or newer, $(PYTHON) is {v[0]}.{v[1]}; try make PYTHON=python3.11 ...")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt torch
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

demo: $(READY)  ## hands learned, tested on unseen writers, explained: a report in six minutes
	$(BIN)/dgmp demo

test: lint browser  ## lint, types, import directions, tests
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 3 --dist worksteal

browser:  ## find Chromium for the tests of the page, or install Debian's where that may be
	@if command -v chromium || command -v chromium-browser || command -v google-chrome; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "installing Debian's chromium for the browser tests"; \
		{ apt-get update && apt-get install -y --no-install-recommends chromium; } >/dev/null || echo "chromium could not be installed"; \
	else echo "no Chromium found and no right to install one: browser tests are skipped (CI=true: they fail); as root: apt-get install chromium"; fi

lint: $(READY)  ## formatter, linter, types, import directions
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(READY)  ## draw the figures and the map of rooms, build the site into site/
	$(BIN)/python docs/room_map.py
	$(BIN)/python docs/figures.py
	$(BIN)/python docs/synthetic_sheets.py
	$(BIN)/python docs/hands_figures.py
	$(BIN)/python docs/web_figures.py
	$(BIN)/python docs/words_figures.py
	$(BIN)/python docs/scale_figures.py
	$(BIN)/mkdocs build --strict

bench: $(READY)  ## the speed tables, as ratios taken in one run
	$(BIN)/python benchmarks/pooling.py
	$(BIN)/python benchmarks/patches.py
	$(BIN)/python benchmarks/describing.py
	$(BIN)/python benchmarks/evidence.py
	$(BIN)/python benchmarks/evaluation.py
	$(BIN)/python benchmarks/training.py
	$(BIN)/python benchmarks/catalogue.py
	$(BIN)/python benchmarks/web.py

release: $(READY)  ## the wheels in dist/: built, checked, and tried in an empty environment
	$(BIN)/python -m pip install --quiet --constraint constraints.txt build twine
	$(BIN)/python tools/release.py

clean:  ## remove what the verbs made
	rm -rf .venv site demo dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

.PHONY: help demo test browser lint docs bench release clean
