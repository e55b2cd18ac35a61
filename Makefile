# The two that a newcomer needs: `make run` and `make test`. The logic is in packaging/*.sh.
# More words for a tool: make test ARGS="-k undo", make lock ARGS=--upgrade
ARGS =
VENV_PYTHON = .venv/bin/python

.PHONY: help setup run test test-llm check tour pictures bench proof lock format clean

help:
	@echo "make run     set up (.venv, packages, system libraries) and open the window"
	@echo "make test    set up and run the test suite, without a screen"
	@echo "make check   style, types, import contracts, texts"
	@echo "make tour    scripted user actions with a picture per step, in build/tour;  make pictures   those of the README"
	@echo "make test-llm   the protocol of models against a real server, built once (10 to 15 minutes)"
	@echo "make bench   measure the figures;  make proof   the long runs"
	@echo "make lock    write requirements.lock anew;  make format   lay out the code;  make clean"

setup:
	@sh packaging/setup.sh run

run:
	@sh packaging/setup.sh run
	@sh packaging/run.sh $(ARGS)

test:
	@sh packaging/setup.sh test
	@QT_QPA_PLATFORM=offscreen $(VENV_PYTHON) -m pytest -n 2 $(ARGS)

test-llm:
	@sh packaging/setup.sh test
	@sh packaging/test_llm.sh $(ARGS)

check:
	@sh packaging/setup.sh check
	@sh packaging/check.sh

tour:
	@sh packaging/setup.sh test
	@QT_QPA_PLATFORM=offscreen $(VENV_PYTHON) -m app --tour build/tour $(ARGS)

pictures: tour
	@QT_QPA_PLATFORM=offscreen $(VENV_PYTHON) packaging/pictures.py build/tour

bench:
	@sh packaging/setup.sh test
	@QT_QPA_PLATFORM=offscreen $(VENV_PYTHON) -m tests.bench $(ARGS)

proof:
	@sh packaging/setup.sh test
	@QT_QPA_PLATFORM=offscreen $(VENV_PYTHON) -m pytest -m proof --timeout=3600 --hypothesis-profile=default $(ARGS)

lock:
	@sh packaging/lock.sh $(ARGS)

format:
	@sh packaging/setup.sh check
	@$(VENV_PYTHON) -m ruff check --fix-only --quiet .
	@$(VENV_PYTHON) -m ruff format .

clean:
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -not -path './.venv/*' -prune -exec rm -rf {} +
