# Panelwise. `make demo` and `make test` do their own set-up: python3 (3.11+), make and git are enough.
# Environments live in .venv/; a stamp per lock file says which lock each was made from.

PYTHON ?= python3
VENV := .venv
UV_VERSION := 0.13.8
UV := $(VENV)/uv/bin/uv
# Label Studio's SDK holds NumPy back to versions that Python 3.14 does not run: there uv finds or fetches 3.13.
ENVIRONMENT_PYTHON = $(shell "$(PYTHON)" -c 'import sys; print("3.13" if sys.version_info >= (3, 14) else sys.executable)')
BASE := $(VENV)/base
DEV := $(VENV)/dev
MODELS := $(VENV)/models
DOCS := $(VENV)/docs
STUDIO_LOCK := annotator/label_studio/embedded/requirements.txt
EXTRAS := --extra dev --extra postgres --extra coco --extra release --extra corpus
COMPILE := --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-annotate
export PYTHONUTF8 = 1
# Without kept bytecode every process compiles hundreds of modules again: seconds for each command that a test starts.
unexport PYTHONDONTWRITEBYTECODE
export UV_LINK_MODE ?= hardlink
# The certificates that this machine trusts, as pip uses them: behind a company's proxy uv's own are not enough.
export UV_SYSTEM_CERTS ?= true
ifdef PIP_CERT
export SSL_CERT_FILE ?= $(PIP_CERT)
endif
# Where the embedded Label Studio finds uv; it falls back to venv and pip.
export PANELWISE_UV = $(CURDIR)/$(UV)
# Requests to loopback must never go through a proxy.
export NO_PROXY := $(if $(NO_PROXY),$(NO_PROXY)$(comma),)127.0.0.1,localhost
export no_proxy := $(NO_PROXY)
comma := ,

.DELETE_ON_ERROR:
.PHONY: help dist pictures demo test test-fast check check-assets assets docs format soak bench gpu audit sbom lock clean browser setup

help: ## this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /: /' | sort

demo: $(BASE)/.stamp ## the sample campaign: real Label Studio, adjudication view; Ctrl-C stops all
	@$(BASE)/bin/annotator demo $(DEMO_ARGS)

test: setup ## every test, on a machine of any kind
	@$(MODELS)/bin/python scripts/run_tests.py $(PYTEST_ARGS)

test-fast: $(DEV)/.stamp ## the inner loop: no server, no browser, no torch
	$(DEV)/bin/python -m pytest --quick -n 2 --dist worksteal -m "not live and not slow and not torch and not gpu" $(PYTEST_ARGS)

check: $(DEV)/.stamp check-assets docs ## format, lint, types, floors, words in names and texts, fresh assets, locks, documentation
	$(DEV)/bin/ruff format --check .
	$(DEV)/bin/ruff check .
	$(DEV)/bin/mypy
	MYPYPATH=simulator:tests:tests/live:benchmarks $(DEV)/bin/mypy benchmarks/*.py
	$(DEV)/bin/lint-imports
	$(DEV)/bin/python scripts/check_words.py
	$(DEV)/bin/python scripts/write_types.py --check
	$(DEV)/bin/python scripts/check_locks.py
	$(DEV)/bin/python scripts/check_licences.py
	@$(DEV)/bin/python scripts/count_code.py

check-assets: ## the built front end is that of its sources; rebuilt and tested where node is
	@$(PYTHON) scripts/check_assets.py
	@if node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' 2>/dev/null; then \
		(cd annotator/web/frontend && npm ci --silent && npm test --silent) && $(PYTHON) scripts/check_assets.py --rebuild; \
	else \
		echo "no node from 20.19 on: the front end is not rebuilt, its manifest is fresh"; \
	fi

docs: $(DOCS)/.stamp ## the documentation as a site, build/site/index.html; no page may ask another server for anything
	@$(DOCS)/bin/zensical build --strict --clean
	@! grep -rnoE '<(script|link|img|iframe)[^>]* (src|href)="(https?:)?//[^"]*"' build/site --include='*.html'

format: $(DEV)/.stamp ## write the code as check wants it
	$(DEV)/bin/ruff format .
	$(DEV)/bin/ruff check --fix .

assets: $(DEV)/.stamp ## rebuild the front end, with the types of what the server sends (needs node)
	$(DEV)/bin/python scripts/write_types.py
	cd annotator/web/frontend && npm ci && npm run build
	$(PYTHON) scripts/check_assets.py --write

dist: $(UV) ## both distributions, sdist and wheel, as they are uploaded
	rm -rf dist
	$(UV) build --quiet --out-dir dist .
	$(UV) build --quiet --out-dir dist simulator
	$(UV) tool run --quiet twine check --strict dist/*

pictures: setup ## take the pictures of README and docs from the demos
	$(MODELS)/bin/python scripts/make_pictures.py
	$(MODELS)/bin/python scripts/draw_worst_figures.py

soak: setup ## the long runs
	$(MODELS)/bin/python -m pytest -m "" --soak $(PYTEST_ARGS)

bench: $(MODELS)/.stamp ## every benchmark, a ratio each
	@for b in benchmarks/bench_*.py; do echo "== $$b"; $(MODELS)/bin/python $$b || exit 1; done

gpu: $(MODELS)/.stamp ## every figure that needs an NVIDIA GPU, in under ten minutes
	timeout 600 $(MODELS)/bin/python benchmarks/gpu.py $(GPU_ARGS)

audit: $(DEV)/.stamp ## known faults of the packages used, as a report
	$(DEV)/bin/python scripts/audit.py

sbom: $(DEV)/.stamp ## the bill of materials of a release
	$(DEV)/bin/python scripts/make_sbom.py

lock: $(UV) ## resolve again; locks name no host
	$(UV) pip compile -q $(COMPILE) --upgrade pyproject.toml $(EXTRAS) --extra models --extra ocr --extra tune --extra ray --extra oracles -o requirements/models.txt
	$(UV) pip compile -q $(COMPILE) pyproject.toml -c requirements/models.txt $(EXTRAS) -o requirements/dev.txt
	$(UV) pip compile -q $(COMPILE) pyproject.toml -c requirements/models.txt --extra postgres -o requirements/base.txt
	$(UV) pip compile -q $(COMPILE) pyproject.toml -c requirements/models.txt --extra postgres --extra models -o requirements/serving.txt
	echo zensical | $(UV) pip compile -q $(COMPILE) --upgrade - -o requirements/docs.txt
	echo 'label-studio==1.23.2' | $(UV) pip compile -q $(COMPILE) --upgrade - -o $(STUDIO_LOCK)

clean: ## environments, caches, the demo campaign
	rm -rf $(VENV) .cache demo-campaign demo-questions build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage.json
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +

# ---- environments -------------------------------------------------------------------------------

setup: $(MODELS)/.stamp browser

browser: $(MODELS)/.stamp
	@$(MODELS)/bin/python scripts/find_browser.py --install

$(UV):
	@sh scripts/make_venv.sh "$(PYTHON)" $(VENV)/uv
	@$(VENV)/uv/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)

$(BASE)/.stamp: requirements/base.txt pyproject.toml | $(UV)
	@echo "making the environment of the commands (about half a minute the first time)" >&2
	@$(UV) venv --quiet --clear --python "$(ENVIRONMENT_PYTHON)" $(BASE)
	@$(UV) pip sync --quiet --compile-bytecode --python $(BASE)/bin/python --require-hashes requirements/base.txt
	@$(UV) pip install --quiet --no-deps --python $(BASE)/bin/python -e .
	@touch $@

$(DEV)/.stamp: requirements/dev.txt pyproject.toml simulator/pyproject.toml | $(UV)
	@echo "making the environment of the tests" >&2
	@$(UV) venv --quiet --clear --python "$(ENVIRONMENT_PYTHON)" $(DEV)
	@$(UV) pip sync --quiet --compile-bytecode --python $(DEV)/bin/python --require-hashes requirements/dev.txt
	@$(UV) pip install --quiet --no-deps --python $(DEV)/bin/python -e . -e ./simulator
	@touch $@

$(DOCS)/.stamp: requirements/docs.txt | $(UV)
	@echo "making the environment of the documentation" >&2
	@$(UV) venv --quiet --clear --python "$(ENVIRONMENT_PYTHON)" $(DOCS)
	@$(UV) pip sync --quiet --python $(DOCS)/bin/python --require-hashes requirements/docs.txt
	@touch $@

$(MODELS)/.stamp: requirements/models.txt pyproject.toml simulator/pyproject.toml | $(UV)
	@echo "making the environment of all tests, torch included (some 7 GB)" >&2
	@$(UV) venv --quiet --clear --python "$(ENVIRONMENT_PYTHON)" $(MODELS)
	@$(UV) pip sync --quiet --compile-bytecode --python $(MODELS)/bin/python --require-hashes requirements/models.txt
	@$(UV) pip install --quiet --no-deps --python $(MODELS)/bin/python -e . -e ./simulator
	@touch $@
