# Everything runs in .venv, which is set up again only when pyproject.toml changes. What tests need is added before tests run.
# By default, the interpreter that .venv was made with: the last one that was given.
PYTHON ?= $(or $(wildcard $(shell sed -n 's/^executable = //p' "$(VENV)/pyvenv.cfg" 2>/dev/null)),python3)
TORCH_INDEX ?=
DIST := dist
VENV := .venv
READY := $(VENV)/.ready
TEST_READY := $(VENV)/.test-ready
BOOK_READY := $(VENV)/.book-ready
# A relative path, since make and the shell would split this folder's at a space.
BIN := $(VENV)/bin
export PATH := $(abspath $(BIN)):$(PATH)
# Settings that are given may differ from the last time, which is for course/prepare.py to see.
GIVEN := $(if $(filter command environment,$(origin PYTHON) $(origin TORCH_INDEX)),given)
VERSION = $(shell sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
PYTEST_FLAGS ?=
# One process more than there are cores: tests wait for processes of their own.
PYTEST = $(BIN)/python -m pytest -rs --numprocesses=$$(($$(nproc) + 1)) --dist=loadfile --no-loadscope-reorder $(PYTEST_FLAGS)
marked = $(shell grep -rl 'mark\.$(1)' --include='test_*.py' tests)
GPU_TESTS = $(call marked,gpu)
# The GPU tests that import nbgrader. A machine with a GPU often has no Jupyter.
NEED_JUPYTER := tests/grading/test_cheats.py tests/notebook/test_compare.py
# nbgrader_config.py is in the bundle because nbgrader's Validate, too, takes its settings from this file.
BUNDLE := .devcontainer .dockerignore .gitignore Dockerfile course notebooks Makefile README.md CHANGELOG.md LICENSE docs/results.md docs/img environment.yml nbgrader_config.py pyproject.toml

.DEFAULT_GOAL := help
.PHONY: help given demo check test test-slow test-seldom test-gpu lint style lab release book bench bench-builds tables figures student-bundle clean

# Students have no solutions/. They see only the targets that do not need this folder.
OTHERS := $(if $(wildcard solutions),,/^[a-z-]*: solutions/d;)

help: ## Show this list
	@sed -n '$(OTHERS)s/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 24
	@echo
	@echo "  PYTHON=python3.12     another interpreter for .venv (3.11 or later)"
	$(if $(wildcard solutions),@printf '%-24s%s\n' "  PYTEST_FLAGS=-x" "more options for pytest")
	@echo "  TORCH_INDEX=https://pypi.org/simple"
	@echo "                        where pip gets PyTorch: this one has it with CUDA, which is the default with a driver"

solutions:
	@echo "The students' copy of the course lacks what this target needs: use make lab."; exit 1

$(READY): pyproject.toml $(GIVEN)
	@command -v "$(PYTHON)" >/dev/null || { \
	  echo "$(PYTHON) was not found: install Python 3.11 or later (on Debian and Ubuntu: apt install python3-venv)."; exit 1; }
	@"$(PYTHON)" -I course/prepare.py "$(VENV)" "$(TORCH_INDEX)"

$(TEST_READY): $(READY)
	$(BIN)/python -m pip install -e '.[class,test]'
	@touch $@

$(BOOK_READY): $(READY)
	$(BIN)/python -m pip install -e '.[book]'
	@touch $@

demo: solutions $(READY) ## Release, hand in, autograde and give feedback in a course under grading/demo/
	$(BIN)/python -m autograder.demo

check: solutions style ## Run make lint and the quick tests, in less than a minute: before each commit
	@# mypy has one process, so the tests run beside it.
	$(BIN)/mypy & \
	$(PYTEST) -m "quick and not later and not slow and not seldom and not gpu" $(call marked,quick); tests=$$?; wait $$! && exit $$tests

test: solutions $(TEST_READY) ## Run the tests, except slow tests and timings on a GPU
	$(PYTEST) -m "not slow and not seldom and not timing"

test-slow: solutions $(TEST_READY) ## Run the slow tests: classes, a browser, a cluster, wheels
	$(PYTEST) -m "slow and not seldom" $(call marked,slow\|tiered)

test-seldom: solutions $(TEST_READY) ## Run further examples of the slow tests, before a release
	$(PYTEST) -m seldom $(call marked,seldom\|tiered)

test-gpu: solutions ## Run the tests that need a GPU, in at most ten minutes; works without .venv too
	@python=$(firstword $(wildcard $(BIN)/python) $(PYTHON)); \
	$$python -c 'import nbgrader' 2>/dev/null && tests="$(GPU_TESTS)" || tests="$(filter-out $(NEED_JUPYTER),$(GPU_TESTS))"; \
	timeout 480 $$python -m pytest -rs -m "gpu and not slow and not seldom and not timing" --numprocesses=8 $(PYTEST_FLAGS) $$tests && \
	timeout 120 $$python -m pytest -rs -m "timing" $(PYTEST_FLAGS) $$tests

lint: solutions style ## Check format, style and types
	$(BIN)/mypy

style: $(TEST_READY)
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	git ls-files -z 'course/*.h' 'course/*.cpp' 'course/*.cuh' 'course/*.cu' 'tests/kernels/*.cu*' | xargs -0 $(BIN)/clang-format --dry-run -Werror

lab: $(READY) ## Open JupyterLab on lab/, your copies of notebooks/; what you have changed is kept
	$(BIN)/course lab

release: solutions $(READY) ## Write notebooks/ anew from solutions/ (REPOSITORY=https://github.com/... for Colab)
	$(BIN)/python -m autograder.classroom $(REPOSITORY)

book: solutions $(BOOK_READY) ## Render notebooks/ with what their cells print, as pages in build/book/
	rm -rf build/book-pages && mkdir -p build/book-pages && cp -p docs/book/*.* notebooks/*/*.ipynb build/book-pages
	$(BIN)/python -m sphinx -q -W --keep-going build/book-pages build/book

bench: solutions $(READY) ## Measure the solutions on this GPU; rewrite records, tables and chart
	$(BIN)/python -m tests.benchmarks.kernels

bench-builds: solutions $(READY) ## Time builds of every kernel with this machine's toolchains; rewrite their table
	$(BIN)/python -m tests.benchmarks.builds

tables: solutions $(READY) ## Write docs/results.md and the README's table and chart again from the records (no GPU)
	$(BIN)/python -m tests.benchmarks.kernels --redraw
	$(BIN)/python -m tests.benchmarks.builds --redraw

figures: solutions $(TEST_READY) ## Take the README's pictures of JupyterLab (needs Chromium)
	CI=true $(BIN)/python -m pytest tests/notebook/test_jupyterlab.py
	$(BIN)/python -m tests.benchmarks.figures

student-bundle: solutions ## Pack course/ and notebooks/ for students, from the files that git tracks
	@mkdir -p $(DIST)
	@omitted=$$(git ls-files --others --exclude-standard $(BUNDLE) | tr '\n' ' '); test -z "$$omitted" || \
	  echo "Not in the bundle, since git does not track them: $$omitted"
	git ls-files -z $(BUNDLE) | tar --null --files-from=- --transform='s,^,cuda-kernels-course/,S' \
	  -czf $(DIST)/cuda-kernels-course-$(VERSION).tar.gz

clean: ## Remove .venv, the demo and build results, but neither lab/ nor a class's submissions
	rm -rf $(VENV) $(DIST) build *.egg-info grading/demo .pytest_cache .hypothesis .ruff_cache .mypy_cache
