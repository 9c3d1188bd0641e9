# `make demo` and `make test` each work as the first command in a fresh clone: Python 3.11 or newer is all they need
# (node as well, for the type checker in `make check`).
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
RUN_READY := .venv/.run-ready
BENCH_READY := .venv-bench/.ready
PIP := -m pip install --quiet --disable-pip-version-check
COMPILE := $(BIN)/python -m uv pip compile pyproject.toml --universal --python-version 3.11 \
	--generate-hashes --no-emit-index-url --no-header --no-annotate --quiet

.PHONY: demo test proof check fast fuzz format pictures bench lock clean

demo: $(RUN_READY)        ## run the example machines, print a table, write figures to out/
	$(BIN)/python examples/demo.py

test: check               ## everything that has to pass: the checks, fast and slow tests, a tenth of the large families
	$(BIN)/pytest -n 2 --dist loadfile

proof: $(READY)           ## what `test` leaves out, oldest first, for BUDGET seconds (make proof BUDGET=3600)
	$(BIN)/python -m tests.proof.run --budget $(or $(BUDGET),1200)

check: $(READY)           ## format, lint, types, import directions
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports

fast: $(READY)            ## while working: all but the slow tests
	$(BIN)/pytest -n 2 -m "not slow"

fuzz: $(READY)            ## 100,000 spoilt model files, about five minutes
	$(BIN)/python tests/files/fuzz.py --count 100000 --seed 1

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

pictures: $(READY)        ## draw the pictures of docs/drawings.md anew
	$(BIN)/python docs/pictures.py

bench: $(BENCH_READY)     ## speed as ratios to Pinocchio; needs gcc and g++, two minutes to build
	.venv-bench/bin/python bench/build.py
	.venv-bench/bin/python bench/forward_dynamics.py
	.venv-bench/bin/python bench/compile_time.py
	.venv-bench/bin/python bench/calls.py

lock: $(READY)            ## renew the pins after a change of dependencies in pyproject.toml
	$(BIN)/python $(PIP) uv
	$(COMPILE) --upgrade -o requirements/run.lock
	$(COMPILE) --upgrade --extra dev -c requirements/run.lock -o requirements/dev.lock
	$(COMPILE) --upgrade --extra bench -c requirements/run.lock -o requirements/bench.lock

clean:
	rm -rf .venv .venv-bench out dist bench/build .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests examples bench -name __pycache__ -type d -prune -exec rm -rf {} +

# What a run needs, and nothing else; no bytecode is made of packages of which a tenth is ever imported. The package is
# linked by a path file, as an editable install does it, which would need hatchling.
$(RUN_READY): requirements/run.lock
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python $(PIP) --no-compile --require-hashes -r requirements/run.lock
	echo "$(CURDIR)/src" > "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/multibond.pth"
	printf '#!/bin/sh\nexec "$$(dirname "$$0")/python" -m multibond "$$@"\n' > $(BIN)/multibond
	chmod +x $(BIN)/multibond
	touch $@

# The package itself is linked, not copied: `--no-deps` because the lock file has brought everything already.
$(READY): requirements/dev.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python $(PIP) --no-compile --require-hashes -r requirements/dev.lock
	$(BIN)/python $(PIP) --no-deps --no-build-isolation --editable .
	touch $@ $(RUN_READY)

$(BENCH_READY): requirements/bench.lock pyproject.toml
	test -x .venv-bench/bin/python || $(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python $(PIP) --require-hashes -r requirements/bench.lock
	.venv-bench/bin/python $(PIP) --no-deps --no-build-isolation --editable .
	touch $@
