# `make verify` and `make test` are all a reader needs; both build .venv when it is missing.
PYTHON ?= python3
BIN = .venv/bin
INSTALLED = .venv/.installed

.PHONY: verify test lint check bench docs clean

verify: $(INSTALLED)
	$(BIN)/fedbounds verify --out results

test: $(INSTALLED)
	$(BIN)/python -m pytest -n 2 -q --dist worksteal

lint: $(INSTALLED)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

check: lint
	$(MAKE) test

bench: $(INSTALLED)
	$(BIN)/python -m benchmarks

# The tools that build the site are installed here, so that `make verify` need not. Not -q: it
# silences the warnings that a strict build counts.
docs: .venv/.docs
	$(BIN)/mkdocs build

.venv/.docs: $(INSTALLED)
	$(BIN)/python -m pip install -q -e ".[docs]"
	@touch $@

$(INSTALLED): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	{ echo "fedbounds needs Python 3.11 or newer; '$(PYTHON)' is not. Try: make PYTHON=python3.11" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q -e ".[dev]"
	@touch $@

clean:
	rm -rf .venv results dist build site .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
