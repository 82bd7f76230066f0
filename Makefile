# Everything runs from a checkout wherever it lies: all paths here are relative, and programs are
# started as modules, since the first line of a script cannot hold a long or spaced path.

PYTHON ?= $(shell for each in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	"$$each" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$each" && break; done)
PY = .venv/bin/python
UV ?= uv
TESTS ?= tests
COMPILE = pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate
# Only from the command line: a PORT that some shell exports is meant for something else.
PORT_OPTION = $(if $(filter command line,$(origin PORT)),--port '$(PORT)')

.PHONY: help run services test format lint lint-ruff lint-format lint-types lint-imports \
	lint-templates lint-migrations lock install install-dev venv

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile

run: install ## install what is missing, start everything, print the address (PORT=8001)
	@exec $(PY) manage.py up $(PORT_OPTION)

services: install ## only the embedded database and broker, for developers
	@exec $(PY) manage.py up --services-only

test: install-dev ## all tests, with a real browser (TESTS=tests/traces for some)
	@browser="$$($(PY) -m tests.chromium)"; \
	INQUEST_CHROMIUM="$$browser" exec $(PY) -m pytest $(TESTS)

lint: lint-ruff lint-format lint-types lint-imports lint-templates lint-migrations ## all linters

lint-ruff: install-dev
	$(PY) -m ruff check .

lint-format: install-dev
	$(PY) -m ruff format --check .

lint-types: install-dev
	$(PY) -m mypy

lint-imports: install-dev
	$(PY) -c 'from importlinter.cli import lint_imports_command as lint; lint()'

lint-templates: install-dev
	find templates -name '*.html' -exec .venv/bin/djade --check --target-version 5.2 {} +

# No database is asked: the empty one in memory stands for all.
lint-migrations: install-dev
	DATABASE_URL=sqlite://:memory: $(PY) manage.py makemigrations --check --dry-run

format: install-dev ## rewrite code and templates as the linters want them
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .
	find templates -name '*.html' -exec .venv/bin/djade --target-version 5.2 {} +

lock: ## pin the newest packages that fit requirements/*.in, with hashes
	@command -v $(UV) >/dev/null || { echo "make lock needs uv: pip install uv"; exit 1; }
	$(UV) $(COMPILE) --upgrade --output-file requirements/runtime.txt requirements/runtime.in
	$(UV) $(COMPILE) --upgrade --output-file requirements/dev.txt requirements/dev.in
	$(UV) $(COMPILE) --upgrade --output-file requirements/s3.txt requirements/s3.in

# Compared by content, not by time: a second run does nothing, and so needs no network.
define install_locked
@cmp -s requirements/$(1).txt .venv/$(1).installed || { \
	echo "Installing the packages of requirements/$(1).txt into .venv." && \
	$(PY) -m pip --disable-pip-version-check install --no-input --only-binary :all: \
		--require-hashes --requirement requirements/$(1).txt && \
	cp requirements/$(1).txt .venv/$(1).installed; }
endef

install: venv
	$(call install_locked,runtime)

install-dev: install
	$(call install_locked,dev)

venv:
	@$(PY) -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		test -n '$(PYTHON)' || { echo "Inquest needs Python 3.11 or newer."; exit 1; }; \
		rm -f .venv/*.installed && $(PYTHON) -m venv --clear .venv; }
