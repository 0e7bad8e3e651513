# The commands a developer needs. `make setup` is idempotent; every other target runs it first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PYTEST_ARGS ?=

.PHONY: setup system-packages test check format demo nightly bench clean

setup: system-packages $(VENV)/.installed

# What Debian brings: compilers, the OpenCL loader and headers, Oclgrind, Python's venv.
system-packages:
	@PYTHON="$(PYTHON)" sh .ci/system-packages

$(VENV)/.installed: pyproject.toml constraints.txt | system-packages
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt setuptools
	$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt --no-build-isolation -e '.[dev]'
	touch $@

test: setup
	$(BIN)/pytest -n auto $(PYTEST_ARGS)

# Everything is run, and all that is wrong is shown, before it fails.
check: setup
	@status=0; \
	for command in "ruff check ." "ruff format --check ." "mypy" "lint-imports --no-cache"; do \
		echo "== $$command"; $(BIN)/$$command || status=1; \
	done; exit $$status

format: setup
	$(BIN)/ruff check --fix --exit-zero .
	$(BIN)/ruff format .

# The main job on every sample: compile, build with gfortran, run, compare with plain Fortran.
demo: setup
	@$(BIN)/python benchmarks/demo.py

# pytest says 5 where it found no test: fine here, since a nightly test is one that some feature may need.
nightly: setup
	$(BIN)/pytest -n auto -m nightly $(PYTEST_ARGS) || test $$? -eq 5

# Compile time and memory beside the peer, which gets an environment of its own.
bench: setup
	$(BIN)/python benchmarks/peer_compile.py

clean:
	rm -rf build .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info
