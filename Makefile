# The commands of CONTRIBUTING.md by short names. `make` lists them.
.DEFAULT_GOAL := help
PYTHON := .venv/bin/python
UV_COMPILE := $(PYTHON) -m uv pip compile --universal --generate-hashes --no-emit-index-url --no-header pyproject.toml

.PHONY: help start dev test lint format types hooks lock wheel benchmarks

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

types: ## Check types: none wrong in inference/, elsewhere no more than tests/type-errors.toml says
	$(PYTHON) -m tests.test_types

hooks: ## Have git run format, lint and types before each commit
	pre-commit install

lock: ## Renew the locked packages (docs/operations.md)
	$(UV_COMPILE) -o requirements/runtime.lock
	$(UV_COMPILE) --group test --extra cluster --extra s3 -o requirements/test.lock
	$(UV_COMPILE) --group benchmarks -o requirements/benchmarks.lock
	$(UV_COMPILE) --extra cluster -c requirements/runtime.lock -o requirements/cluster.lock
	$(UV_COMPILE) --extra s3 -c requirements/runtime.lock -o requirements/s3.lock

wheel: ## Build dist/topograph-….whl
	$(PYTHON) -m inference.shipping
	$(PYTHON) -m hatchling build --target wheel

benchmarks: ## Measure the whole path against a running Topograph, in a minute: make benchmarks URL=http://127.0.0.1:8000/
	$(PYTHON) -m benchmarks.whole_path $(URL)
