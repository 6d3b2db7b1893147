# The commands of CONTRIBUTING.md by short names. `make` lists them.
.DEFAULT_GOAL := help
PYTHON := .venv/bin/python
ENGINE ?= docker
UV_COMPILE := $(PYTHON) -m uv pip compile --universal --generate-hashes --no-emit-index-url --no-header pyproject.toml

.PHONY: help start dev test lint format types readable hooks lock wheel kit image release demo benchmarks

help: ## List these commands
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

start: ## Run Topograph on this machine, until Ctrl-C
	python3 manage.py start

test: ## Run every test, or those in ARGS: make test ARGS="tests/webapp -k search"
	python3 manage.py test $(ARGS)

lint: ## Check format and lint, changing nothing
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m ruff check .

format: ## Format the code, and fix what the linter can
	$(PYTHON) -m ruff format .
	$(PYTHON) -m ruff check --fix .

types: ## Check types: mypy finds no error
	$(PYTHON) -m tests.test_types

readable: ## Show which packages are beyond the limits of readable code, and lower their numbers
	$(PYTHON) -m tests.readable --write

hooks: ## Have git run format, lint and types before each commit
	pre-commit install

lock: ## Renew the locked packages (docs/operations.md)
	$(UV_COMPILE) -o requirements/runtime.lock
	$(UV_COMPILE) --group test --extra cluster --extra s3 -o requirements/test.lock
	$(UV_COMPILE) --group benchmarks -o requirements/benchmarks.lock
	$(UV_COMPILE) --extra cluster -c requirements/runtime.lock -o requirements/cluster.lock
	$(UV_COMPILE) --extra s3 -c requirements/runtime.lock -o requirements/s3.lock

wheel: ## Build dist/topograph-….whl
	python3 manage.py test --version  # installs what it is built with
	$(PYTHON) -m inference.shipping
	$(PYTHON) -m hatchling build --target wheel

kit: wheel ## Build dist/topograph-….tar, with which Topograph starts on a machine without a network
	$(PYTHON) -m deploy.kit.build

image: ## Build the container image `topograph` with Docker, or with Podman: make image ENGINE=podman
	$(ENGINE) build --tag topograph .

release: kit ## Build all that is published: wheel, kit, image, checksums, a list of what is inside. Without a registry: make release OPTIONS=--base-as-it-is
	$(PYTHON) -m tests.wheels
	$(PYTHON) -m deploy.release $(OPTIONS)

demo: ## Make dist/demo/: the topics of the example as plain pages, ready for any web server
	rm -rf dist/demo dist/demo-data && mkdir -p dist/demo
	export TOPOGRAPH_DATA=dist/demo-data && \
	corpus=$$(python3 manage.py import_corpus webapp/example/state_of_the_union.csv.gz --name "State of the Union, 1790–2020" | tail -1) && \
	run=$$(python3 manage.py train $$corpus | tail -1) && \
	python3 manage.py export_topics $$run --format site > dist/demo.zip
	python3 -m zipfile -e dist/demo.zip dist/demo
	rm -rf dist/demo-data dist/demo.zip

benchmarks: ## Measure the whole path against a running Topograph, in a minute: make benchmarks URL=http://127.0.0.1:8000/
	$(PYTHON) -m benchmarks.whole_path $(URL)
