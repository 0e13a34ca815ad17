# `make demo` sets up and runs the main job; `make test` sets up and passes every test.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test setup servers lint clean

setup: $(BIN)/.installed

$(BIN)/.installed: pyproject.toml constraints.txt
	@echo "Setting up .venv: about 0.7 GB to download and 2.1 GB on disk with a CPU build of torch (several GB more"
	@echo "where pip picks a CUDA build); 2 to 10 minutes."
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test]'
	@touch $@

servers: setup
	@$(BIN)/python -m bench.serve install --ollama

demo: setup
	@echo "The demo ingests data/sample and asks three questions of a small local model: 1 to 3 minutes."
	@$(BIN)/python -m bench.serve install || true
	@$(BIN)/python -m bench.serve run -- $(BIN)/python -m flows.demo; code=$$?; \
	if [ $$code -eq 69 ]; then $(BIN)/python -m flows.demo; else exit $$code; fi

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: setup servers lint
	@echo "The tests take 8 to 15 minutes on 2 cores."
	$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder

clean:
	rm -rf .venv .venv-models store/index
